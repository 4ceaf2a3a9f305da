"""Curriculum stages: one plan for pretraining, mid-training, annealing and long context, resumable at any token.

Read README.md first. A plan is a list of 1 to 8 stages in the order of training. A stage is a dict:

    {"tokens": 24, "sequence_length": 4, "mixture": {"web": 3, "code": 1}, "blend": 8}

- "tokens": tokens of the stage, an integer above 0 and a multiple of its sequence length; up to 2 * 10**13 in all.
- "sequence_length": tokens per sequence in this stage, an integer above 0.
- "mixture": a number from 0 on for each source; only ratios count: weights are these numbers over their sum.
- "blend": tokens at the beginning of the stage over which the weights go linearly from those of the stage before to
  those of this stage; an integer from 0 to the stage's tokens; 0 for the first stage. A stage's own weights are those
  at the end of its blend, and the next stage's blend begins with them.

The sources of a plan are all that some stage names; a stage that does not name one has weight 0 for it. Tokens are
numbered from 0 over the whole plan, and token t is the one that is read after ``tokens_seen`` = t others.

Every function raises ValueError for a plan without a stage, for tokens that are not a positive multiple of the
sequence length, for a blend outside its range, and for a mixture with a negative number or without one above 0.

Weights must be right to an absolute 1e-9, tokens and epochs to a relative 1e-9 or 1e-9 of the largest in the answer. A
call takes at most 1 s of CPU time, however many tokens the plan has.
"""

from typing import Any

Stage = dict[str, Any]


def stage_at(stages: list[Stage], tokens_seen: int) -> tuple[int, int, int]:
    """Where training goes on after so many tokens.

    Args:
        stages: the plan.
        tokens_seen: 0 to the plan's tokens - 1. The last token of a stage belongs to it, the next to the next stage.

    Returns:
        (stage, sequence, offset): the stage's index, the number of whole sequences of this stage before the next token,
        and the number of the sequence's tokens before it. Exact integers.

    Raises:
        ValueError: ``tokens_seen`` is less than 0, or no token is left.

    Example:
        >>> plan = [{"tokens": 8, "sequence_length": 4, "mixture": {"web": 1}, "blend": 0},
        ...         {"tokens": 16, "sequence_length": 8, "mixture": {"web": 1, "code": 3}, "blend": 4}]
        >>> stage_at(plan, 17)
        (1, 1, 1)
    """
    raise NotImplementedError


def mixture_at(stages: list[Stage], tokens_seen: float) -> dict[str, float]:
    """The weights with which the next token is drawn.

    At x tokens after the beginning of a stage with blend b, the weights are, for x < b, those of the stage before
    times (1 - x/b) plus those of this stage times x/b; from x = b on, those of this stage.

    Args:
        stages: the plan.
        tokens_seen: 0 up to, not including, the plan's tokens; need not be whole. A stage begins at its first token.

    Returns:
        a weight for each source of the plan; they sum to 1.

    Raises:
        ValueError: ``tokens_seen`` is less than 0, or no token is left.

    Example:
        >>> mixture_at(plan, 9)  # the plan of stage_at
        {'web': 0.8125, 'code': 0.1875}
    """
    raise NotImplementedError


def tokens_by_source(stages: list[Stage], start: float = 0, stop: float | None = None) -> dict[str, float]:
    """Tokens that are drawn from each source between two points of the plan.

    This is the integral of ``mixture_at`` from ``start`` to ``stop``.

    Args:
        stages: the plan.
        start: tokens seen at the beginning, from 0 on; need not be whole.
        stop: tokens seen at the end, from ``start`` to the plan's tokens; None for the end of the plan.

    Returns:
        tokens of each source of the plan; they sum to ``stop - start``.

    Raises:
        ValueError: ``start`` is less than 0, ``stop`` is less than ``start`` or more than the plan has.

    Example:
        >>> tokens_by_source(plan, 0, 12)  # the plan of stage_at
        {'web': 10.5, 'code': 1.5}
    """
    raise NotImplementedError


def epochs_by_source(
    stages: list[Stage], sizes: dict[str, int], start: float = 0, stop: float | None = None
) -> dict[str, float]:
    """How often each source is read between two points of the plan: tokens drawn over tokens that it has.

    Args:
        stages: the plan.
        sizes: tokens that each source has, above 0, for every source of the plan; may name others, too.
        start: as for ``tokens_by_source``.
        stop: as for ``tokens_by_source``.

    Returns:
        epochs of each source of the plan, and of no other.

    Raises:
        ValueError: as for ``tokens_by_source``.
    """
    raise NotImplementedError


def exhausted_at(stages: list[Stage], sizes: dict[str, int], max_epochs: float) -> dict[str, float | None]:
    """When each source has been read for as many epochs as are allowed.

    Args:
        stages: the plan.
        sizes: as for ``epochs_by_source``.
        max_epochs: epochs that are allowed of each source, above 0.

    Returns:
        for each source of the plan the least ``tokens_seen`` (a real number) at which ``max_epochs * sizes[source]``
        tokens have been drawn from it, or None where the whole plan draws less. What has been drawn up to the answer
        must be right to a relative 1e-9, and the answer itself to 1e-6 of the plan's tokens. (The checks keep 1 % away
        from cases that rounding decides: where just as much as is allowed has been drawn when the plan ends, or when
        the source's weight goes to 0 or comes from 0.)

    Raises:
        ValueError: ``max_epochs`` is 0 or less.

    Example:
        >>> exhausted_at(plan, {"web": 10, "code": 6}, 1)  # the plan of stage_at
        {'web': 10.666..., 'code': 18.0}
    """
    raise NotImplementedError
