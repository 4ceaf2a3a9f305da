"""Mixture weights: how often to draw from each source, by temperature, under a cap on epochs, and by UniMax.

Read README.md first. Symbols: nᵢ tokens of source i, D tokens of the training budget, N the most epochs that a
source may be repeated for. A source's epochs are the tokens drawn from it, over nᵢ.

All functions take lists with one entry per source, 1 to 200 sources in any order, and answer in the same order: a
list, a tuple or an array of shape (sources,), every entry right to a relative 1e-9.
"""


def temperature_weights(sizes: list[int], t: float) -> list[float]:
    """Sampling weights in proportion to nᵢ^(1/t).

    t = 1 is in proportion to size; larger t is flatter. ``t = float("inf")`` is allowed: all sources that have
    tokens then weigh the same. A source without tokens has weight 0 at every t.

    Args:
        sizes: tokens nᵢ of each source, integers from 0 to 10**14, one of them at least above 0.
        t: temperature, 0.25 to infinity. (With the exponent α of the multilingual papers: t = 1/α.)

    Returns:
        weights that sum to 1.

    Raises:
        ValueError: ``t`` is 0 or less, a size is negative, or none is above 0.

    Example:
        >>> temperature_weights([400, 90, 10], 2.0)
        [0.612574..., 0.290569..., 0.096856...]
    """
    raise NotImplementedError


def capped_weights(weights: list[float], sizes: list[int], budget: float, max_epochs: float) -> list[float]:
    """Weights in the wanted ratios, except that no source is read for more than ``max_epochs``.

    At most ``max_epochs * sizes[i]`` of the ``budget`` tokens come from source i. What a capped source cannot take
    goes to the others, in proportion to their wanted weights, and if that lifts another one to its cap, so again.
    In the end there is a number λ with

        answer[i] = min(λ * weights[i], max_epochs * sizes[i] / budget)     and     sum(answer) = 1

    Args:
        weights: wanted weights, 0 or more. They need not sum to 1: only their ratios count. Those above 0 differ
            by a factor of 100 at most; one of them at least is above 0. A source of weight 0 keeps weight 0.
        sizes: tokens of each source, integers from 0 to 10**14. A source of no tokens has the weight 0.
        budget: D, tokens to draw in all, above 0 (up to 10**16; need not be whole).
        max_epochs: N, above 0 (0.25 to 64; need not be whole).

    Returns:
        weights that sum to 1.

    Raises:
        ValueError: the sources of positive weight cannot fill the budget within the cap: ``budget`` is more than
            ``max_epochs`` times their tokens. A budget of exactly so many tokens can be filled (tested with powers
            of two, in which nothing is rounded; otherwise budgets keep 1 % away from this border).
        ValueError: ``budget`` or ``max_epochs`` is 0 or less, a weight or size is negative, or no weight is above 0.

    Example:
        >>> capped_weights([6, 2, 1], [400, 90, 10], budget=400, max_epochs=1)
        [0.75, 0.225, 0.025]
    """
    raise NotImplementedError


def unimax(sizes: list[int], budget: float, max_epochs: float) -> list[float]:
    """Tokens to draw from each source: equally many, but none for more than ``max_epochs`` (UniMax).

    What a capped source cannot take is shared equally among the others, and so on.

    Args:
        sizes: tokens nᵢ of each source, integers from 0 to 10**14, one of them at least above 0.
        budget: D, tokens to draw in all, above 0 (up to 10**16; need not be whole).
        max_epochs: N, above 0 (0.25 to 64; need not be whole).

    Returns:
        tokens of each source (not weights; not rounded). They sum to ``budget``, or, where that is more than all
        sources have within the cap, every source is at its cap and the sum is less. This is no error.

    Raises:
        ValueError: ``budget`` or ``max_epochs`` is 0 or less, a size is negative, or none is above 0.

    Example:
        >>> unimax([400, 10, 90], budget=500, max_epochs=4)
        [230.0, 40.0, 230.0]
    """
    raise NotImplementedError
