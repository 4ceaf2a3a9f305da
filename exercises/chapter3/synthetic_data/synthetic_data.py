"""Synthetic data: models that are trained on what the models before them wrote.

Read README.md first. Symbols: X inputs of shape (T, d), w true weights, σ noise, ŵᵢ the model of generation i = 1 … n.

Ranges: d from 1 to 6, T from d to 60, singular values of X from 0.3 to 30; σ from 0 to 10. Compute in float64.
"""

import numpy as np


def fit_generations(x: np.ndarray, w: np.ndarray, sigma: float, generations: int, mode: str, seed: int) -> np.ndarray:
    """Train a chain of linear models, each on labels of the one before.

    Generation 1 is trained on real data: labels y₁ = X w + σ z₁. Labels of generation i > 1 are synthetic:
    yᵢ = X ŵᵢ₋₁ + σ zᵢ. The inputs X are the same every time, and the entries of z₁, z₂, … are independent standard
    normal numbers, T for each generation. ŵᵢ is the least-squares fit (without intercept) to

    - mode "replace": the labels of generation i alone, (X, yᵢ);
    - mode "accumulate": the real data and all synthetic data so far, (X, y₁), …, (X, yᵢ), every row counting once.

    z₁, z₂, … follow from ``seed`` and T, and from nothing else: they are the same for both modes and for any w and σ,
    and a longer chain begins with the models of a shorter one. Other seeds give other numbers. How they are drawn is
    yours (numpy's ``default_rng(seed)``, torch, …).

    Args:
        x: X, shape (T, d), an array. Not changed.
        w: true weights, shape (d,), an array, each up to 100 in absolute value. Not changed.
        sigma: σ.
        generations: n, 1 to 3,000; in mode "accumulate" only the check of the tier "scale" asks for more than 12. It
            allows 4 times the generations at most 8 times the time.
        mode: "replace" or "accumulate".
        seed: 0 to 2**31 - 1.

    Returns:
        ŵ₁ … ŵₙ, shape (generations, d): an array, a tensor, or a list of lists; right to an absolute 1e-6.

    Raises:
        ValueError: ``sigma`` is less than 0, ``generations`` less than 1, or ``mode`` is neither of the two.
    """
    raise NotImplementedError


def expected_error(x: np.ndarray, sigma: float, generations: int, mode: str) -> np.ndarray:
    """The expected squared distance of each generation's model from the truth: E ‖ŵᵢ - w‖², in closed form.

    Args:
        x: X, shape (T, d), an array. Not changed.
        sigma: σ.
        generations: n, 1 to 10,000.
        mode: "replace" or "accumulate".

    Returns:
        n numbers, for generations 1 to n: an array, tensor, list or tuple; right to a relative 1e-6. Exact formulas,
        no simulation.

    Raises:
        ValueError: as for ``fit_generations``.

    Example:
        >>> x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        >>> expected_error(x, 2.0, 3, "replace")
        [6.0, 12.0, 18.0]
        >>> expected_error(x, 2.0, 3, "accumulate")
        [6.0, 7.5, 8.166666...]
    """
    raise NotImplementedError
