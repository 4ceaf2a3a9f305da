"""The reference solution as a check sees it: in the trusted process, but through the learner's codec.

Answers can be kept in a case book, so that they are worked out once per seed, or come from a book alone where
the course has no solutions.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import time
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from grader.boundary import wire
from grader.boundary.outcome import Returned
from grader.catalog import import_file
from grader.errors import ContentError
from grader.expect import LearnerError
from grader.model import Exercise, Place, Verdict
from grader.session.calls import RanksResult
from grader.session.casebook import MAX_ANSWER_BYTES, Entry
from grader.session.pace import Stopped

KEY_BYTES: Final = 16
_serial = itertools.count()


class OracleError(LearnerError):
    """The reference raised: as ``expect.raises`` wants it, or else by a fault of the content."""


class NoAnswer(Stopped):
    """The book holds no answer to this call, and there is no reference to work it out."""

    def __init__(self) -> None:
        super().__init__(Verdict.SKIPPED, "this kit has no answer to compare with: hand in to have it checked")


class Oracle:
    """Answers the calls of the ``reference`` fixture.

    Attributes:
        answers: where answers are looked up and kept, or None to work out every one.
        room: bytes that new answers may still take; 0 keeps none.
        asked: whether anything was asked since this was last set to False.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._module: Any = None
        self.answers: MutableMapping[bytes, bytes] | None = None
        self.room = 0
        self.asked = False

    @contextmanager
    def kept_in(self, entry: Entry) -> Iterator[None]:
        """While it lasts, answers are kept in ``entry``; afterwards they are still looked up there."""
        self.answers, self.room, self.asked = entry.answers, MAX_ANSWER_BYTES, False
        try:
            yield
        finally:
            self.room, entry.asked = 0, self.asked

    def call(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        place: Place = Place.HERE,
        **options: bool,
    ) -> Returned:
        """Call a function of the reference, wherever it is asked for; answers what it returned.

        Raises:
            OracleError: the reference raised.
            NoAnswer: there is no reference, and the book does not know.
        """
        self.asked = True
        if options.get("echo") or options.get("measure"):
            return self._observed(name, args, kwargs)
        question = wire.encode((name, args, kwargs))
        if self.answers is None:
            return _read(self._work_out(question))
        key = hashlib.blake2b(question, digest_size=KEY_BYTES).digest()
        answer = self.answers.get(key)
        if answer is None:
            answer = self._work_out(question)
            if len(answer) < self.room:
                self.answers[key] = answer
                self.room -= len(answer)
        return _read(answer)

    def call_ranks(self, name: str, args_by_rank: Sequence[tuple[Any, ...]], kwargs: dict[str, Any]) -> RanksResult:
        """Refused: the trusted process is one process."""
        raise ContentError(f"reference.{name}.on_ranks: only the learner's functions run on ranks", _NO_RANKS)

    def _work_out(self, question: bytes) -> bytes:
        name, args, kwargs = wire.decode(question)
        try:
            return wire.encode(("returned", self._function(name)(*args, **kwargs)))
        except Exception as error:
            types = [kind.__name__ for kind in type(error).__mro__]
            return wire.encode(("raised", type(error).__name__, types, str(error)))

    def _observed(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Returned:
        _, args, kwargs = wire.decode(wire.encode((name, args, kwargs)))
        function = self._function(name)
        start_s = time.process_time()
        value = function(*args, **kwargs)
        cpu_s = time.process_time() - start_s
        return Returned(wire.decode(wire.encode(value)), (args, kwargs), cpu_s, None)

    def _function(self, name: str) -> Any:
        if self._module is None:
            self._module = self._load()
        return getattr(self._module, name)

    def _load(self) -> Any:
        exercise = self._exercise
        if exercise.reference is None:
            raise NoAnswer
        if "triton" in exercise.needs:
            # Read by triton when it is imported; only its interpreter runs without a GPU.
            os.environ.setdefault("TRITON_INTERPRET", "1")
        return import_file(exercise.reference, f"_reference_{next(_serial)}_{exercise.slug}", exercise.given)


_NO_RANKS: Final = "Compare the ranks' answers with a plain call of the reference."


def _read(answer: bytes) -> Returned:
    kind, *rest = wire.decode(answer)
    if kind == "raised":
        raise OracleError(*rest)
    return Returned(rest[0])
