"""The fixtures ``learner`` and ``reference``: files whose functions can be called as if they were modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.model import Place
from grader.session.calls import Answering, Observation, RanksResult


class Proxy:
    """A file whose functions can be called; which file, the session decides for each check.

    Args:
        names: the public functions of the stub.
        role: the fixture's name, for messages.
    """

    def __init__(self, names: Sequence[str], role: str) -> None:
        self.seat_: Answering | None = None
        self._names, self._role = tuple(names), role
        for name in names:
            setattr(self, name, Function(self, name))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self._role} has no function {name}: the stub has {', '.join(self._names)}")


class Function:
    """One function of a file behind a proxy."""

    def __init__(self, proxy: Proxy, name: str) -> None:
        self._proxy, self.__name__ = proxy, name

    @property
    def _seat(self) -> Answering:
        seat = self._proxy.seat_
        if seat is None:
            raise AttributeError(f"{self.__name__} was called outside of a check")
        return seat

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value that the function returns."""
        return self._seat.call(self.__name__, args, kwargs).value

    def observe(self, *args: Any, **kwargs: Any) -> Observation:
        """The value, the arguments after the call, and its cost as the trusted side measured it."""
        seen = self._seat.call(self.__name__, args, kwargs, echo=True, measure=True)
        after = seen.arguments or (args, kwargs)
        return Observation(seen.value, tuple(after[0]), dict(after[1]), seen.cpu_s, seen.peak_mb, seen.launches)

    def without_kernels(self, *args: Any, **kwargs: Any) -> Any:
        """The value when Triton launches do nothing."""
        return self._seat.call(self.__name__, args, kwargs, kernels=False).value

    def elsewhere(self, *args: Any, **kwargs: Any) -> Any:
        """The value from another interpreter: other memory addresses, another salt for the hashes of strings."""
        return self._seat.call(self.__name__, args, kwargs, place=Place.ELSEWHERE).value

    def on_gpu(self, *args: Any, **kwargs: Any) -> Any:
        """The value with tensors on a CUDA device and Triton kernels compiled; for checks marked ``gpu``."""
        return self._seat.call(self.__name__, args, kwargs, place=Place.GPU).value

    def on_ranks(self, args_by_rank: Sequence[tuple[Any, ...]], **kwargs: Any) -> RanksResult:
        """The values of as many real ranks as there are tuples of arguments."""
        return self._seat.call_ranks(self.__name__, args_by_rank, kwargs)
