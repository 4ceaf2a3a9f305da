"""Quality classifier: learn from labelled texts what is worth training on, test it without leaks, keep the best.

Read README.md first. Words are what ``str.split`` finds. All texts are lower case already.
"""

from typing import Any


def train_classifier(texts: list[str], labels: list[int], seed: int) -> Any:
    """Learn to tell good texts (label 1) from bad ones (label 0).

    The method is yours: naive Bayes, logistic regression, a small network, on words or pairs of words. What counts
    is how well ``score`` ranks texts that were not in training: after training on 600 texts, the AUC is to be 0.9 or
    more on texts like them. In the checks' texts good and bad ones differ in some of their words. In training, good
    texts are also longer (length alone has an AUC of 0.85); where they are as long or shorter, the AUC is still to be
    0.85 or more. So length must not decide.

    Args:
        texts: 2 to 3,000 texts of 0 to 100 words, up to 30,000 different words together.
        labels: 0 or 1 for each text, both among them.
        seed: 0 to 2**31 - 1, for whatever chance your method needs. The same arguments give the same model, in
            every process.

    Returns:
        the model, as plain data that ``score`` understands: numbers, texts, lists, tuples, dicts, arrays, tensors.
        An object of a class of your own cannot leave the process. At most 256 MiB of memory may be used on the way,
        for 3,000 texts of 60 words with 30,000 different words.

    Raises:
        ValueError: there are not as many labels as texts, or not both labels among them.
    """
    raise NotImplementedError


def score(model: Any, texts: list[str]) -> list[float]:
    """Score texts: the higher, the more like the good ones.

    A text's score depends on the model and this text only, not on the other texts of the list. (Rounding may differ
    by 1e-5 of the largest absolute score.)

    Args:
        model: an answer of ``train_classifier``.
        texts: any number of texts, none included. A text may be empty or have only words that were not in training.

    Returns:
        one finite number per text, on any scale: a list, tuple or array.
    """
    raise NotImplementedError


def out_of_fold_scores(texts: list[str], labels: list[int], folds: int, seed: int) -> list[float]:
    """Score every text with a model that has not seen its fold: cross-validation.

    Text i belongs to fold i mod ``folds``. For each fold, a model is trained by ``train_classifier(..., seed)`` on all
    texts of the other folds, in their order; it scores the texts of this fold.

    Args:
        texts: as for ``train_classifier``.
        labels: as for ``train_classifier``; both labels are among the texts outside of every fold.
        folds: 2 to the number of texts.
        seed: handed to ``train_classifier`` as it is, for every fold.

    Returns:
        one score per text, in the order of ``texts``.

    Raises:
        ValueError: ``folds`` is less than 2 or more than there are texts, or ``train_classifier`` raises one.
    """
    raise NotImplementedError


def keep_top(scores: list[float], fraction: float) -> list[int]:
    """Keep this fraction of the texts: those with the highest scores.

    Exactly ``fraction`` times the number of texts are kept, rounded up or down as you like where that is not whole.
    Of equal scores, those that come earlier in the list are kept first.

    Args:
        scores: one score per text, in any order; finite; may be empty.
        fraction: 0 to 1, of all texts.

    Returns:
        the positions in ``scores`` of the texts that are kept, in ascending order.

    Raises:
        ValueError: ``fraction`` is not from 0 to 1.

    Example:
        >>> keep_top([0.1, 0.9, 0.3, 0.9], 0.5)
        [1, 3]
    """
    raise NotImplementedError


def educational_keep(raw_scores: list[float], threshold: int = 3) -> tuple[list[int], list[int]]:
    """Apply FineWeb-Edu's rule to raw scores of its regression.

    A raw score is cut to the range from 0 to 5 and rounded to the nearest integer; halves go to the even integer (as
    Python's ``round`` and numpy's ``rint`` do). A text is kept if this integer is at least ``threshold``.

    Args:
        raw_scores: finite numbers; may be empty.
        threshold: 0 to 5.

    Returns:
        (integer scores, positions of the kept texts in ascending order).

    Example:
        >>> educational_keep([2.5, 3.5, -0.3, 5.7, 2.51])
        ([2, 4, 0, 5, 3], [1, 3, 4])
    """
    raise NotImplementedError
