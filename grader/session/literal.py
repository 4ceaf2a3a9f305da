"""Values as Python source, so that the call a learner reads can be pasted as it stands.

``literal`` writes a value that evaluates to exactly that value, with ``np`` and ``torch`` (and ``base64`` and
``zlib`` for large arrays) in scope. ``summary`` writes what a value looks like, for reading only.
"""

from __future__ import annotations

import base64
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.expect import show

Array = npt.NDArray[Any]

WRITTEN_OUT: Final = 4_000  # characters: about fifty lines of a terminal; longer arrays are compressed
PACKED: Final = 20_000  # characters of a compressed array; longer ones cannot sensibly be pasted
PACKED_BYTES: Final = 2**22  # not worth compressing to find out: even zeros of this size are hard to look into
SAME: Final = 8  # an array of one value repeated is written as np.full from this size on
OUTLINED: Final = 200  # characters of an argument in a call that is too long as a whole
TOO_LARGE: Final = "too large to write out"  # marks a literal that only describes its value


def literal(value: Any) -> str:
    """Python source that evaluates to ``value``: same type, dtype, shape and bits, NaN payloads aside.

    An array beyond 20,000 characters is only described; ``TOO_LARGE`` then stands in the text.
    """
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _numpy_scalar(value)
    if _is_tensor(value):
        return _tensor(value)
    return f"<{show(value, 80)}>"


def summary(value: Any, width: int = 200) -> str:
    """What ``value`` looks like, in at most ``width`` characters."""
    return show(value, width)


def outline(value: Any) -> str:
    """``value`` as Python source where that is short, and otherwise only described."""
    text = literal(value)
    return text if len(text) <= OUTLINED else _described(value)


def call_text(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """A call as Python source."""
    parts = [literal(arg) for arg in args] + [f"{key}={literal(arg)}" for key, arg in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _float(value: float, module: str = "") -> str:
    if math.isfinite(value):
        return repr(value)
    name = "nan" if math.isnan(value) else "inf"
    sign = "-" if value == -math.inf else ""
    return f"{sign}{module}.{name}" if module else f'float("{sign}{name}")'


def _complex(value: complex, module: str = "") -> str:
    return f"complex({_float(value.real, module)}, {_float(value.imag, module)})"


def _sequence(value: Iterable[Any], brackets: str) -> str:
    parts = [literal(item) for item in value]
    comma = "," if brackets == "()" and len(parts) == 1 else ""
    return f"{brackets[0]}{', '.join(parts)}{comma}{brackets[1]}"


def _set(value: set[Any] | frozenset[Any]) -> str:
    name = type(value).__name__
    if not value:
        return f"{name}()"
    # Sorted by value where that works, so that the same set reads the same on every run.
    try:
        items = sorted(value)
    except TypeError:
        items = sorted(value, key=lambda item: (type(item).__name__, repr(item)))
    braces = _sequence(items, "{}")
    return braces if name == "set" else f"frozenset({braces})"


def _dict(value: dict[Any, Any]) -> str:
    return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    type(None): repr,
    bool: repr,
    int: repr,
    str: repr,
    bytes: repr,
    float: _float,
    complex: _complex,
    list: lambda value: _sequence(value, "[]"),
    tuple: lambda value: _sequence(value, "()"),
    set: _set,
    frozenset: _set,
    dict: _dict,
}


def _numpy_scalar(value: np.generic) -> str:
    name = f"np.{value.dtype.name.replace('bool', 'bool_')}"
    kind = value.dtype.kind
    if kind == "c":
        return f"{name}({_complex(complex(value), 'np')})"
    if kind == "f":
        return f"{name}({_digits(value)})"
    if kind in "biu":
        return f"{name}({value.item()!r})"
    return f"np.array({value.item()!r}, dtype={value.dtype.str!r})[()]"


def _digits(value: Any) -> str:
    """The fewest digits that give this number back in its own precision."""
    return str(value) if np.isfinite(value) else _float(float(value), "np")


def _element(value: Any) -> str:
    if value.dtype.kind == "c":
        return _complex(complex(value), "np")
    return _digits(value) if value.dtype.kind == "f" else repr(value.item())


def _array(value: Array) -> str:
    dtype = _dtype(value.dtype)
    if value.size == 0:
        return f"np.zeros({value.shape}, dtype={dtype})"
    if value.dtype.kind not in "biufcSU":
        return f"<{show(value, 80)}>"
    if value.size >= SAME and _is_constant(value):
        return f"np.full({value.shape}, {_element(value.flat[0])}, dtype={dtype})"
    text = _written_out(value, _element)
    if text:
        return f"np.array({text}, dtype={dtype})"
    packed = _packed(value, value)
    return f"np.frombuffer({packed}, dtype={dtype}).reshape({value.shape}).copy()" if packed else _described(value)


def _dtype(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "SU":
        return repr(dtype.str)
    return f"np.{dtype.name.replace('bool', 'bool_')}"


def _is_constant(value: Array) -> bool:
    """Whether all elements have the same bits: 0.0 and -0.0 are not the same here."""
    raw = np.ascontiguousarray(value).reshape(-1)
    return raw.tobytes() == raw[:1].tobytes() * raw.size


def _written_out(value: Array, element: Callable[[Any], str]) -> str:
    """Nested lists of the elements, or "" where that is too long."""
    if value.size > WRITTEN_OUT // 3:  # "0, " is the shortest element
        return ""
    text = _nested(value, element)
    return text if len(text) <= WRITTEN_OUT else ""


def _nested(value: Any, element: Callable[[Any], str]) -> str:
    if value.ndim == 0:
        return element(value[()])
    return f"[{', '.join(_nested(part, element) if value.ndim > 1 else element(part) for part in value)}]"


def _packed(raw: Array, described: Any) -> str:
    if raw.nbytes > PACKED_BYTES:
        return ""
    coded = base64.b64encode(zlib.compress(raw.tobytes(), 9)).decode("ascii")
    return f'zlib.decompress(base64.b64decode("{coded}"))' if len(coded) <= PACKED else ""


def _described(value: Any) -> str:
    return f"<{show(value, 80)}, {TOO_LARGE}>"


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _tensor(value: Any) -> str:
    torch = sys.modules["torch"]
    dtype, shape = str(value.dtype), tuple(value.shape)
    if value.numel() == 0:
        return f"torch.zeros({shape}, dtype={dtype})"
    try:
        plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous()
        raw = plain.reshape(-1).view(torch.uint8).numpy()
        narrow = dtype in ("torch.bfloat16", "torch.float16") or dtype.startswith("torch.float8")
        numbers = (plain.float() if narrow else plain).numpy()
    except (RuntimeError, TypeError, NotImplementedError):
        return f"<{show(value, 80)}>"
    if value.numel() >= SAME and raw.tobytes() == raw[: plain.element_size()].tobytes() * value.numel():
        return f"torch.full({shape}, {_torch_element(numbers.flat[0])}, dtype={dtype})"
    text = _written_out(numbers, _torch_element)
    if text:
        return f"torch.tensor({text}, dtype={dtype})"
    packed = _packed(raw, value)
    if not packed:
        return _described(value)
    return f"torch.frombuffer(bytearray({packed}), dtype={dtype}).reshape({shape})"


def _torch_element(value: Any) -> str:
    return _element(value).replace("np.", "torch.")
