"""When to ask again: with the library fsrs where it is installed, by Leitner's boxes where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from importlib.util import find_spec
from itertools import accumulate

MAX_DAYS = 21  # a module lasts weeks, not years
BOXES_DAYS = (1, 3, 7, 14, MAX_DAYS)  # Leitner: a right answer moves a card up by one box, a wrong one to the first
AGAIN_MINUTES = 10  # what was wrong comes back in the next round

Review = tuple[datetime, float]


@cache
def has_fsrs() -> bool:
    """Whether the extra ``review`` is installed."""
    return find_spec("fsrs") is not None


def due(reviews: Sequence[Review], fsrs: bool | None = None) -> datetime:
    """When a question that was answered at these times with these scores is to be asked again.

    A clock that ran backwards is taken to have stood still.

    Args:
        reviews: at least one; in the order in which they happened.
        fsrs: which of the two rules; None for the better one that there is.
    """
    times = list(accumulate((at for at, _ in reviews), max))
    ordered = [(at, score) for at, (_, score) in zip(times, reviews, strict=True)]
    return _by_fsrs(ordered) if (has_fsrs() if fsrs is None else fsrs) else _by_boxes(ordered)


def _by_boxes(reviews: Sequence[Review]) -> datetime:
    box = -1
    for _, score in reviews:
        box = min(box + 1, len(BOXES_DAYS) - 1) if score > 1 - 1e-9 else -1
    last = reviews[-1][0]
    return last + (timedelta(days=BOXES_DAYS[box]) if box >= 0 else timedelta(minutes=AGAIN_MINUTES))


def _by_fsrs(reviews: Sequence[Review]) -> datetime:
    from fsrs import Card, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(), relearning_steps=(), maximum_interval=MAX_DAYS, enable_fuzzing=False)
    card = Card(card_id=1)
    for at, score in reviews:
        rating = Rating.Good if score > 1 - 1e-9 else Rating.Hard if score >= 0.5 else Rating.Again
        card, _ = scheduler.review_card(card, rating, at)
    last, score = reviews[-1]
    if score < 0.5:
        return last + timedelta(minutes=AGAIN_MINUTES)
    found: datetime = card.due
    return found
