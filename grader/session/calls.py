"""Calls of a file's functions: what is remembered of each, to be shown or repeated should the check fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

from grader.boundary.outcome import Raised, Returned
from grader.model import Place
from grader.session.frozen import freeze
from grader.session.literal import call_text, outline, summary

CALL: Final = 25_000  # characters: one packed array and what stands around it
ANSWER: Final = 200  # characters of an answer: two lines of a terminal


class Answering(Protocol):
    """What a proxy needs behind it: the learner's seat, or the reference's."""

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        place: Place = Place.HERE,
        **options: bool,
    ) -> Returned:
        """Call a function at a place."""
        ...

    def call_ranks(self, name: str, args_by_rank: Sequence[tuple[Any, ...]], kwargs: dict[str, Any]) -> RanksResult:
        """Call a function once on each rank."""
        ...


@dataclass(frozen=True)
class Observation:
    """A call seen from outside: its value, its arguments as they are afterwards, and what it cost."""

    value: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    cpu_s: float
    peak_mb: float | None
    launches: int


@dataclass(frozen=True)
class RanksResult:
    """What each rank answered, and what that cost, as far as the system can tell.

    Attributes:
        values: per rank.
        wire_bytes: what went over the wire between the ranks, or None.
        peak_mb: per rank, how far its memory rose during the call, in MiB, or None.
    """

    values: list[Any]
    wire_bytes: int | None
    peak_mb: list[float] | None = None


@dataclass
class Call:
    """One call of a learner's function, kept to be shown should the check fail."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    remark: str = ""
    place: Place = Place.HERE
    options: dict[str, bool] = field(default_factory=dict)
    value: Any = None
    raised: Raised | None = None
    done: bool = False

    @property
    def text(self) -> str:
        """The call as Python; where that is too long to paste, as what it looks like."""
        text = call_text(self.name, self.args, self.kwargs) + self.remark
        return text if len(text) <= CALL else self._outline()

    def _outline(self) -> str:
        parts = [outline(arg) for arg in self.args]
        parts += [f"{key}={outline(arg)}" for key, arg in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)}){self.remark}"

    @property
    def answer(self) -> str:
        """What it returned or raised, short; nothing while it has not come back."""
        if self.raised is not None:
            return f"raises {self.raised.type}: {self.raised.message}"[:ANSWER].removesuffix(": ")
        return summary(self.value, ANSWER) if self.done else ""

    @property
    def evidence(self) -> Any:
        """All that came back."""
        return self.value

    def behind(self, value: Any) -> Call | None:
        """The call to show where ``value`` was judged: this one, or None if it returned something else."""
        return self if self.done and self.raised is None and self.value is value else None

    def repeat(self, seat: Answering) -> Call:
        """The same call, made somewhere else."""
        again = replace(self, value=None, raised=None, done=False)
        args, kwargs = freeze(self.args), freeze(self.kwargs)
        again.value = seat.call(self.name, args, kwargs, place=self.place, **self.options).value
        again.done = True
        return again


@dataclass
class RanksCall(Call):
    """One call on several ranks; shown as what one rank does."""

    by_rank: list[tuple[Any, ...]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    @property
    def evidence(self) -> Any:
        """What came back from all ranks."""
        return self.values

    def behind(self, value: Any) -> Call | None:
        """This call as the rank makes it that returned ``value``, or None if no rank did."""
        for rank, each in enumerate(self.values):
            if each is value:
                return replace(self, args=self.by_rank[rank], value=each, remark=rank_remark(rank, len(self.by_rank)))
        return None

    def repeat(self, seat: Answering) -> Call:
        """The same call, made somewhere else."""
        values = seat.call_ranks(self.name, freeze(self.by_rank), freeze(self.kwargs)).values
        return replace(self, value=values[0], values=values, raised=None, done=True)


def rank_remark(rank: int, ranks: int) -> str:
    """Says at the end of a pasted line which rank it is for."""
    return f"  # rank {rank} of {ranks}"


AnyCall = TypeVar("AnyCall", bound=Call)
