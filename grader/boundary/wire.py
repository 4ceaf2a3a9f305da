"""The one door for values: what crosses the boundary, and in which bytes.

A frame is a little-endian u32 (length of the header), a msgpack header and raw buffers. The header holds a
value as a flat list of tokens in pre-order, so the parser never recurses and every limit is checked here:

- None, a bool, a float, or bytes (the UTF-8 of a str) stand for themselves;
- an int is a tag, and its operands follow: see ``_Tag``.

Bulk data is an operand of its own: bytes inside the header, or the number of the next raw buffer. A sequence
is a count and so many values, or, where all items are of one simple kind, a negative code and packed data.

This file is also imported inside the slot as a plain module, next to hostile code, where the rest of the
grader is absent: so the standard library and msgspec only, numpy and torch where a value needs them. Nothing
that is decoded runs code of its own: what comes out are exact built-ins, exact arrays and tensors, and
``Opaque``.
"""

from __future__ import annotations

import collections
import functools
import re
import socket
import struct
import sys
import time
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import ModuleType
from typing import Annotated, Any, Final

import msgspec

MAX_HEADER: Final = 1 << 20  # bytes
MAX_BODY: Final = 64 << 20  # bytes, all raw buffers of a frame together
MAX_NODES: Final = 100_000  # values of a frame, packed ones aside: a Python object each
MAX_PACKED: Final = 2_000_000  # packed items of a frame: some 80 MB once they are Python objects
MAX_PACKED_STR: Final = 1_000_000  # a short str weighs twice as much as a number
MAX_DEPTH: Final = 32
MAX_NDIM: Final = 8
MAX_BIG_INT: Final = 512  # bytes
MAX_TYPE_NAME: Final = 80  # characters
MAX_KEYED_CPU_S: Final = 2.0  # keys can be made to collide: 100,000 honest ones take 0.02 s

_TOO_LARGE = f"the value is larger than {MAX_BODY >> 20} MiB"
_TOO_MANY = f"the value has more than {MAX_PACKED:,} items in lists"
_TOO_MANY_STRS = f"the value has more than {MAX_PACKED_STR:,} strings in lists"
_TOO_BRANCHED = f"the value has more than {MAX_NODES:,} parts"
_TOO_DEEP = f"the value is nested more than {MAX_DEPTH} deep"

_MIN_PACKED = 8  # below, single tokens are faster
_INLINE = 256  # bytes; longer data becomes a raw buffer
_INLINE_TOTAL = MAX_HEADER // 4  # bytes; past it even short data does, to keep the header under its cap
_STRIDE = 64  # keys between two looks at the clock

_NUMPY = {
    **dict.fromkeys((b"|b1", b"|i1", b"|u1"), 1),
    **dict.fromkeys((b"<i2", b"<u2", b"<f2"), 2),
    **dict.fromkeys((b"<i4", b"<u4", b"<f4"), 4),
    **dict.fromkeys((b"<i8", b"<u8", b"<f8", b"<c8"), 8),
    b"<c16": 16,
}
_NUMPY_TEXT = re.compile(rb"(?:<U|\|S)([1-9][0-9]{0,4})")
_TORCH = {
    **dict.fromkeys((b"bool", b"uint8", b"int8", b"float8_e4m3fn", b"float8_e5m2"), 1),
    **dict.fromkeys((b"int16", b"uint16", b"float16", b"bfloat16"), 2),
    **dict.fromkeys((b"int32", b"uint32", b"float32"), 4),
    **dict.fromkeys((b"int64", b"uint64", b"float64", b"complex64"), 8),
    b"complex128": 16,
}
_Token = bool | int | float | bytes | None


class _Tag:
    """What an int among the tokens announces."""

    INT = 0  # int that msgpack can hold
    STR = 1  # data
    BYTES = 2  # data
    LIST = 3  # sequence
    TUPLE = 4  # sequence
    DICT = 5  # sequence of keys, sequence of values
    SET = 6  # sequence
    FROZENSET = 7  # sequence
    BIG_INT = 8  # data, little-endian two's complement
    COMPLEX = 9  # float, float
    SCALAR = 10  # dtype, data
    ARRAY = 11  # dtype, number of dimensions, dimensions, data
    TENSOR = 12  # the same
    OPAQUE = 13  # data


class _Packed:
    """Codes of packed sequences, in the place of a count."""

    INT = -1  # data: int64
    FLOAT = -2  # data: float64
    STR = -3  # data: uint32 lengths in characters; data: UTF-8 of all together
    BOOL = -4  # data: a byte each


class WireError(Exception):
    """The value does not fit into a frame, or the bytes are not a frame; the message says which limit."""


@dataclass(frozen=True)
class Opaque:
    """Stands for a value that is not plain data; all that crosses is the name of its type."""

    type_name: str


class Frame(msgspec.Struct, frozen=True):
    """One message.

    Attributes:
        call: random 64-bit id of the call it belongs to.
        kind: what it says, e.g. ``call`` or ``returned``; at most 32 characters.
        value: plain data.
    """

    call: int
    kind: str
    value: Any


class _Header(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    call: Annotated[int, msgspec.Meta(ge=0)]
    kind: Annotated[str, msgspec.Meta(max_length=32)]
    tokens: list[bool | int | float | bytes | None]
    buffers: list[int]


_to_msgpack = msgspec.msgpack.Encoder().encode
_from_msgpack = msgspec.msgpack.Decoder(_Header).decode


def _volume(shape: Sequence[int], itemsize: int) -> int:
    """Bytes of an array, or WireError where no frame could hold it, even with an empty dimension filled."""
    if len(shape) > MAX_NDIM:
        raise WireError(f"an array has more than {MAX_NDIM} dimensions")
    volume = itemsize
    for extent in shape:
        volume *= extent or 1
        if volume > MAX_BODY:
            raise WireError(f"an array is larger than {MAX_BODY >> 20} MiB")
    return 0 if 0 in shape else volume


def _type_name(kind: type) -> str:
    # Asked of `type` itself: a metaclass may define a `__name__` of its own.
    name: str = type.__dict__["__name__"].__get__(kind)
    return name[:MAX_TYPE_NAME]


@functools.cache
def _numpy_scalars(numpy: ModuleType) -> frozenset[type]:
    return frozenset(numpy.dtype(code).type for code in "?bBhHiIlLqQefdFDUS")


# --- encoding -------------------------------------------------------------------------------------


class _NotAKeyError(Exception):
    """A dict or a set holds something that is not plain data; the message is the name of its type."""


def _snapshot(items: Collection[Any]) -> tuple[Any, ...]:
    if len(items) > MAX_PACKED:
        raise WireError(_TOO_MANY)
    return tuple(items)


class _Writer:
    """Writes one value as tokens and buffers."""

    def __init__(self) -> None:
        self.tokens: list[_Token] = []
        self.buffers: list[bytes] = []
        self.body = self.inline = self.nodes = self.packed = self.packed_str = 0
        self.keyed = False  # inside a key: no buffers (members of a set are put in order), nothing opaque

    def value(self, value: Any, depth: int) -> None:
        """Write any value; what is not plain data, by exact type, becomes opaque."""
        kind = type(value)
        if kind is float or kind is bool or value is None:
            self.tokens.append(value)
        elif kind is int:
            self._int(value)
        elif kind is str:
            self._str(value)
        elif (write := _WRITERS.get(kind) if type(kind) is type else None) is not None:
            write(self, value, depth)
        else:
            self._foreign(value, kind, depth)

    def _int(self, value: int) -> None:
        if -(1 << 63) <= value < 1 << 64:
            self.tokens += (_Tag.INT, value)
            return
        size = (value if value >= 0 else ~value).bit_length() // 8 + 1
        if size > MAX_BIG_INT:
            raise WireError(f"an int has more than {MAX_BIG_INT} bytes")
        self.tokens.append(_Tag.BIG_INT)
        self._data(value.to_bytes(size, "little", signed=True))

    def _str(self, value: str) -> None:
        if len(value) > MAX_BODY:
            raise WireError(_TOO_LARGE)
        text = value.encode("utf-8", "surrogatepass")
        if len(text) > _INLINE or self.inline > _INLINE_TOTAL:
            self.tokens.append(_Tag.STR)
            self._data(text)
        else:
            self.inline += len(text)
            self.tokens.append(text)

    def _data(self, data: bytes) -> None:
        size = len(data)
        if self.keyed or (size <= _INLINE and self.inline <= _INLINE_TOTAL):
            self.inline += size
            if self.inline > MAX_HEADER:
                raise WireError("the keys are too long")
            self.tokens.append(data)
            return
        self.body += size
        if self.body > MAX_BODY:
            raise WireError(_TOO_LARGE)
        self.tokens.append(len(self.buffers))
        self.buffers.append(data)

    def _bytes(self, value: bytes, _depth: int) -> None:
        self.tokens.append(_Tag.BYTES)
        self._data(value)

    def _complex(self, value: complex, _depth: int) -> None:
        self.tokens += (_Tag.COMPLEX, value.real, value.imag)

    def _list(self, value: list[Any], depth: int) -> None:
        self.tokens.append(_Tag.LIST)
        self._sequence(value, depth)

    def _tuple(self, value: tuple[Any, ...], depth: int) -> None:
        self.tokens.append(_Tag.TUPLE)
        self._sequence(value, depth)

    def _sequence(self, items: Collection[Any], depth: int) -> None:
        """Write a sequence; a list is copied first, because it may change while it is walked."""
        items = _snapshot(items)
        count = len(items)
        if count >= _MIN_PACKED and self._pack(items):
            return
        if depth >= MAX_DEPTH:
            raise WireError(_TOO_DEEP)
        self.nodes += count
        if self.nodes > MAX_NODES:
            raise WireError(_TOO_BRANCHED)
        self.tokens.append(count)
        for item in items:
            self.value(item, depth + 1)

    def _pack(self, items: tuple[Any, ...]) -> bool:
        kinds = set(map(type, items))
        if len(kinds) != 1 or not (pack := _PACKERS.get(id(kinds.pop()))):
            return False
        self.packed += len(items)
        if self.packed > MAX_PACKED:
            raise WireError(_TOO_MANY)
        return pack(self, items)

    def _pack_ints(self, items: tuple[int, ...]) -> bool:
        try:
            data = struct.pack(f"<{len(items)}q", *items)
        except struct.error:
            return False
        self.tokens.append(_Packed.INT)
        self._data(data)
        return True

    def _pack_floats(self, items: tuple[float, ...]) -> bool:
        self.tokens.append(_Packed.FLOAT)
        self._data(struct.pack(f"<{len(items)}d", *items))
        return True

    def _pack_bools(self, items: tuple[bool, ...]) -> bool:
        self.tokens.append(_Packed.BOOL)
        self._data(bytes(items))
        return True

    def _pack_strs(self, items: tuple[str, ...]) -> bool:
        self.packed_str += len(items)
        if self.packed_str > MAX_PACKED_STR:
            raise WireError(_TOO_MANY_STRS)
        lengths = tuple(map(len, items))
        if self.body + sum(lengths) > MAX_BODY:
            raise WireError(_TOO_LARGE)
        self.tokens.append(_Packed.STR)
        self._data(struct.pack(f"<{len(items)}I", *lengths))
        self._data("".join(items).encode("utf-8", "surrogatepass"))
        return True

    def _dict(self, value: dict[Any, Any], depth: int) -> None:
        pairs = _snapshot(value.items())
        keys = tuple([key for key, _ in pairs])
        if self._keys("dict", _Tag.DICT, keys, depth):
            self._sequence([item for _, item in pairs], depth)

    def _set(self, value: set[Any], depth: int) -> None:
        self._keys("set", _Tag.SET, _snapshot(value), depth)

    def _frozenset(self, value: frozenset[Any], depth: int) -> None:
        self._keys("frozenset", _Tag.FROZENSET, _snapshot(value), depth)

    def _keys(self, name: str, tag: int, keys: tuple[Any, ...], depth: int) -> bool:
        """Write keys or members, or make the whole container opaque where one of them is."""
        keyed, tokens, body = self.keyed, self.tokens, self.body
        token_count, buffer_count = len(tokens), len(self.buffers)
        tokens.append(tag)
        try:
            if tag == _Tag.DICT:
                self._key_sequence(keys, depth)
            else:
                self._members(keys, depth)
        except _NotAKeyError as fault:
            if keyed:
                raise
            del tokens[token_count:], self.buffers[buffer_count:]
            self.keyed, self.tokens, self.body = keyed, tokens, body
            self._opaque(Opaque(f"{name} of {fault}"), depth)
            return False
        self.keyed = keyed
        return True

    def _key_sequence(self, keys: tuple[Any, ...], depth: int) -> None:
        if len(keys) < _MIN_PACKED or not self._pack(keys):
            self.keyed = True
            self._sequence(keys, depth)

    def _members(self, members: tuple[Any, ...], depth: int) -> None:
        """Write members in an order that does not depend on hashes: a set always gives the same bytes."""
        kinds = set(map(type, members))
        if len(members) < 2 or kinds == {int} or kinds == {str}:
            self._key_sequence(tuple(sorted(members)), depth)
            return
        self.keyed = True
        self.nodes += len(members)
        if self.nodes > MAX_NODES:
            raise WireError(_TOO_BRANCHED)
        if depth >= MAX_DEPTH:
            raise WireError(_TOO_DEEP)
        outer = self.tokens
        parts = []
        for member in members:
            self.tokens = []
            self.value(member, depth + 1)
            parts.append(self.tokens)
        self.tokens = outer
        outer.append(len(parts))
        for part in sorted(parts, key=_to_msgpack):
            outer += part

    def _opaque(self, value: Opaque, _depth: int) -> None:
        if self.keyed:
            raise _NotAKeyError(value.type_name)
        self.tokens.append(_Tag.OPAQUE)
        self._data(value.type_name[:MAX_TYPE_NAME].encode("utf-8", "surrogatepass"))

    def _foreign(self, value: Any, kind: type, depth: int) -> None:
        """Write an array, a numpy scalar or a tensor; without numpy or torch loaded there is none."""
        if type(kind) is type and issubclass(kind, tuple) and "_fields" in kind.__dict__:
            return self._tuple(tuple(tuple.__iter__(value)), depth)  # a namedtuple
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        name = _type_name(kind)
        if numpy is not None and type(kind) is type:
            if kind is numpy.ndarray:
                if self._array(numpy, value):
                    return
                name = f"{name} of {value.dtype}"
            elif kind in _numpy_scalars(numpy):
                return self._scalar(numpy, value)
        if torch is not None and (kind is torch.Tensor or kind is torch.nn.Parameter):
            if self._tensor(torch, value):
                return
            name = f"{name} of {value.dtype}, {value.layout}, {value.device}"
        self._opaque(Opaque(name), 0)

    def _scalar(self, numpy: ModuleType, value: Any) -> None:
        self.tokens.append(_Tag.SCALAR)
        if type(value) is numpy.str_:
            self.tokens.append(b"U")
            # Asked of `str` itself: numpy's own cuts final nulls off.
            self._data(str.__str__(value).encode("utf-8", "surrogatepass"))
        elif type(value) is numpy.bytes_:
            self.tokens.append(b"S")
            self._data(bytes(value))
        else:
            dtype = value.dtype.newbyteorder("<")
            self.tokens.append(dtype.str.encode())
            self._data(numpy.asarray(value, dtype).tobytes())

    def _array(self, numpy: ModuleType, value: Any) -> bool:
        if self.keyed or value.dtype.kind not in "biufcUS":
            return False
        dtype = value.dtype.newbyteorder("<")
        name = dtype.str.encode()
        if name not in _NUMPY and not _NUMPY_TEXT.fullmatch(name):
            return False
        self._shaped(_Tag.ARRAY, name, value.shape, dtype.itemsize)
        self._data(numpy.asarray(value, dtype).tobytes())
        return True

    def _tensor(self, torch: ModuleType, value: Any) -> bool:
        value = value.detach()
        name = str(value.dtype).removeprefix("torch.").encode()
        plain = value.layout is torch.strided and not (value.is_meta or value.is_quantized or value.is_nested)
        if self.keyed or not plain or name not in _TORCH:
            return False
        self._shaped(_Tag.TENSOR, name, tuple(value.shape), _TORCH[name])
        flat = value.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
        self._data(flat.view(torch.uint8).numpy().tobytes())
        return True

    def _shaped(self, tag: int, dtype: bytes, shape: tuple[int, ...], itemsize: int) -> None:
        """Write all but the data, and refuse before `expand` or `broadcast_to` is made into real memory."""
        if self.body + _volume(shape, itemsize) > MAX_BODY:
            raise WireError(_TOO_LARGE)
        self.tokens += (tag, dtype, len(shape), *shape)


_WRITERS: Final[dict[type, Callable[[_Writer, Any, int], None]]] = {
    bytes: _Writer._bytes,
    complex: _Writer._complex,
    list: _Writer._list,
    tuple: _Writer._tuple,
    dict: _Writer._dict,
    collections.OrderedDict: _Writer._dict,  # these few of the standard library arrive as what they stand for
    collections.Counter: _Writer._dict,
    collections.defaultdict: _Writer._dict,
    collections.deque: _Writer._list,
    range: _Writer._list,
    bytearray: lambda writer, value, depth: writer._bytes(bytes(value), depth),
    set: _Writer._set,
    frozenset: _Writer._frozenset,
    Opaque: _Writer._opaque,
}
_PACKERS: Final[dict[int, Callable[[_Writer, Any], bool]]] = {
    id(int): _Writer._pack_ints,
    id(float): _Writer._pack_floats,
    id(bool): _Writer._pack_bools,
    id(str): _Writer._pack_strs,
}


# --- decoding -------------------------------------------------------------------------------------


class _Reader:
    """Reads one value back; trusts nothing about the tokens but their types."""

    used = offset = nodes = packed = packed_str = 0
    stride = _STRIDE
    deadline = 0.0

    def __init__(self, header: _Header, body: memoryview) -> None:
        self.tokens = iter(header.tokens)
        self.take = self.tokens.__next__
        self.lengths = header.buffers
        self.body = body
        self.readers = _READERS

    def value(self, depth: int) -> Any:
        """Read the value that comes next."""
        token = self.take()
        kind = type(token)
        if kind is int:
            read = self.readers.get(token)
            if read is None:
                raise WireError("a value of an unknown kind, or one that cannot be a key")
            return read(self, depth)
        if kind is bytes:
            return str(token, "utf-8", "surrogatepass")  # type: ignore[arg-type]
        return token

    def finished(self) -> bool:
        """Whether all tokens and all buffers were used."""
        return self.used == len(self.lengths) and next(self.tokens, self) is self

    def _number(self, most: int) -> int:
        number = self.take()
        if type(number) is not int or not 0 <= number <= most:
            raise WireError("a number is out of its range")
        return number

    def _data(self) -> bytes | memoryview:
        """Bytes from the header, or the next raw buffer: each is used once, in order."""
        token = self.take()
        if type(token) is bytes:
            return token
        if type(token) is not int or token != self.used or token >= len(self.lengths):
            raise WireError("data that is not there")
        self.used += 1
        start = self.offset
        self.offset += self.lengths[token]
        return self.body[start : self.offset]

    def _int(self, _depth: int) -> int:
        value = self.take()
        if type(value) is not int:
            raise WireError("an int that is none")
        return value

    def _str(self, _depth: int) -> str:
        return str(self._data(), "utf-8", "surrogatepass")

    def _bytes(self, _depth: int) -> bytes:
        return bytes(self._data())

    def _big_int(self, _depth: int) -> int:
        data = self._data()
        if len(data) > MAX_BIG_INT:
            raise WireError(f"an int has more than {MAX_BIG_INT} bytes")
        return int.from_bytes(data, "little", signed=True)

    def _complex(self, _depth: int) -> complex:
        real, imag = self.take(), self.take()
        if type(real) is not float or type(imag) is not float:
            raise WireError("a complex number that is none")
        return complex(real, imag)

    def _opaque(self, _depth: int) -> Opaque:
        data = self._data()
        name = str(data, "utf-8", "surrogatepass") if len(data) <= 4 * MAX_TYPE_NAME else None
        if name is None or len(name) > MAX_TYPE_NAME:
            raise WireError("the name of a type is too long")
        return Opaque(name)

    def _list(self, depth: int) -> list[Any]:
        """Read a sequence, packed or not."""
        count = self.take()
        if type(count) is not int:
            raise WireError("a sequence without a count")
        if count < 0:
            return self._packed(count)
        self.nodes += count
        if self.nodes > MAX_NODES:
            raise WireError(_TOO_BRANCHED)
        if depth >= MAX_DEPTH:
            raise WireError(_TOO_DEEP)
        depth += 1
        value = self.value
        return [value(depth) for _ in range(count)]

    def _packed(self, code: int) -> list[Any]:
        data = self._data()
        if code == _Packed.INT:
            return self._numbers("q", data)
        if code == _Packed.FLOAT:
            return self._numbers("d", data)
        if code == _Packed.STR:
            return self._strs(self._numbers("I", data), self._data())
        if code == _Packed.BOOL:
            self._count_packed(len(data))
            if bytes(data).translate(None, b"\0\1"):
                raise WireError("a bool that is none")
            return list(map(bool, data))
        raise WireError("a sequence of an unknown kind")

    def _count_packed(self, count: int) -> None:
        self.packed += count
        if self.packed > MAX_PACKED:
            raise WireError(_TOO_MANY)

    def _numbers(self, code: str, data: bytes | memoryview) -> list[Any]:
        numbers: array[Any] = array(code)
        if len(data) % numbers.itemsize:
            raise WireError("a packed sequence has a broken length")
        self._count_packed(len(data) // numbers.itemsize)
        numbers.frombytes(data)
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers.tolist()

    def _strs(self, lengths: list[int], data: bytes | memoryview) -> list[str]:
        self.packed_str += len(lengths)
        if self.packed_str > MAX_PACKED_STR:
            raise WireError(_TOO_MANY_STRS)
        text = str(data, "utf-8", "surrogatepass")
        ends = list(accumulate(lengths))
        if (ends[-1] if ends else 0) != len(text):
            raise WireError("packed strings have broken lengths")
        return [text[end - length : end] for length, end in zip(lengths, ends, strict=True)]

    def _tuple(self, depth: int) -> tuple[Any, ...]:
        return tuple(self._list(depth))

    def _keys(self, depth: int) -> list[Any]:
        """Read a sequence of values that are hashed and compared by value."""
        readers = self.readers
        self.readers = _KEY_READERS
        keys = self._list(depth)
        self.readers = readers
        return keys

    def _dict(self, depth: int) -> dict[Any, Any]:
        keys = self._keys(depth)
        values = self._list(depth)
        if len(keys) != len(values):
            raise WireError("a dict has a key without a value")
        if len(keys) <= self.stride:
            result = dict(zip(keys, values, strict=True))
        else:
            result = {}
            for part in self._parts(len(keys)):
                result.update(zip(keys[part], values[part], strict=True))
        if len(result) != len(keys):
            raise WireError("a key occurs twice")
        return result

    def _set(self, depth: int) -> set[Any]:
        members = self._keys(depth)
        if len(members) <= self.stride:
            result = set(members)
        else:
            result = set()
            for part in self._parts(len(members)):
                result.update(members[part])
        if len(result) != len(members):
            raise WireError("a member of a set occurs twice")
        return result

    def _frozenset(self, depth: int) -> frozenset[Any]:
        # As a key its comparison may be as slow as its making: look at the clock after each from now on.
        if self.readers is _KEY_READERS:
            self.stride = 1
        return frozenset(self._set(depth))

    def _parts(self, count: int) -> Iterator[slice]:
        """Where to put keys in place, a few at a time; gives up when they were made to collide."""
        self.deadline = self.deadline or time.thread_time() + MAX_KEYED_CPU_S
        for start in range(0, count, self.stride):
            yield slice(start, start + self.stride)
            if time.thread_time() > self.deadline:
                raise WireError("the keys of a dict or the members of a set take too long to tell apart")

    def _dtype(self, itemsizes: dict[bytes, int]) -> tuple[str, int]:
        name = self.take()
        if type(name) is not bytes:
            raise WireError("a dtype that is none")
        itemsize = itemsizes.get(name, 0)
        if not itemsize and itemsizes is _NUMPY and (match := _NUMPY_TEXT.fullmatch(name)):
            itemsize = int(match[1]) * (4 if name[:2] == b"<U" else 1)
        if not itemsize:
            raise WireError("a dtype that may not cross")
        return name.decode(), itemsize

    def _shaped(self, itemsize: int) -> tuple[tuple[int, ...], bytes | memoryview]:
        """Read shape and data; their sizes agree before anything is made of them."""
        dimensions = self._number(MAX_NDIM)
        shape = tuple([self._number(MAX_BODY) for _ in range(dimensions)])
        data = self._data()
        if _volume(shape, itemsize) != len(data):
            raise WireError("shape and data of an array disagree")
        return shape, data

    def _array(self, _depth: int) -> Any:
        name, itemsize = self._dtype(_NUMPY)
        return _new_array(name, *self._shaped(itemsize))

    def _scalar(self, _depth: int) -> Any:
        name = self.take()
        if name == b"U" or name == b"S":
            numpy = _import("numpy")
            data = bytes(self._data())
            return numpy.str_(str(data, "utf-8", "surrogatepass")) if name == b"U" else numpy.bytes_(data)
        if type(name) is not bytes or name not in _NUMPY:
            raise WireError("a dtype that may not cross")
        data = bytes(self._data())
        if len(data) != _NUMPY[name]:
            raise WireError("a number has the wrong size")
        return _new_array(name.decode(), (), data)[()]

    def _tensor(self, _depth: int) -> Any:
        name, itemsize = self._dtype(_TORCH)
        shape, data = self._shaped(itemsize)
        if name == "bool":
            _require_bools(data)
        torch = _import("torch")
        tensor = torch.empty(shape, dtype=getattr(torch, name))
        if data:
            tensor.reshape(-1).view(torch.uint8).copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        return tensor


_KEY_READERS: Final[dict[Any, Callable[[_Reader, int], Any]]] = {
    _Tag.INT: _Reader._int,
    _Tag.STR: _Reader._str,
    _Tag.BYTES: _Reader._bytes,
    _Tag.TUPLE: _Reader._tuple,
    _Tag.FROZENSET: _Reader._frozenset,
    _Tag.BIG_INT: _Reader._big_int,
    _Tag.COMPLEX: _Reader._complex,
    _Tag.SCALAR: _Reader._scalar,
}
_READERS: Final[dict[Any, Callable[[_Reader, int], Any]]] = {
    **_KEY_READERS,
    _Tag.LIST: _Reader._list,
    _Tag.DICT: _Reader._dict,
    _Tag.SET: _Reader._set,
    _Tag.ARRAY: _Reader._array,
    _Tag.TENSOR: _Reader._tensor,
    _Tag.OPAQUE: _Reader._opaque,
}


def _import(name: str) -> Any:
    try:
        return sys.modules.get(name) or __import__(name)
    except ImportError as fault:
        raise WireError(f"a value of {name}, which is not installed") from fault


def _require_bools(data: bytes | memoryview) -> None:
    # A byte of 2 would be a bool that is neither equal to True nor to False.
    if bytes(data).translate(None, b"\0\1"):
        raise WireError("a bool that is none")


def _new_array(name: str, shape: tuple[int, ...], data: bytes | memoryview) -> Any:
    """A writable array that owns its memory; shape and data agree already."""
    numpy = _import("numpy")
    if name == "|b1":
        _require_bools(data)
    if name[1] == "U" and data and numpy.frombuffer(data, "<u4").max() > sys.maxunicode:
        raise WireError("a character that is none")
    result = numpy.empty(shape, numpy.dtype(name))
    if data:
        result.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(data, numpy.uint8)
    return result


# --- frames ---------------------------------------------------------------------------------------


def encode_frame(call: int, kind: str, value: Any) -> list[bytes]:
    """Write a frame.

    Args:
        call: id of the call, 0 to 2**64 - 1.
        kind: what the frame says, at most 32 characters.
        value: anything; what is not plain data arrives as ``Opaque``.

    Returns:
        the frame in parts, to be sent one after the other.

    Raises:
        WireError: where the value breaks a limit or cannot be read.
    """
    writer = _Writer()
    try:
        writer.value(value, 0)
    except (WireError, MemoryError):
        raise
    except Exception as fault:  # a hostile metaclass, or a tensor that cannot be read
        raise WireError(f"the value cannot be read ({_type_name(type(fault))})") from None
    header = _to_msgpack(_Header(call, kind, writer.tokens, list(map(len, writer.buffers))))
    if len(header) > MAX_HEADER or len(writer.buffers) > MAX_NODES:
        raise WireError("the value has too many parts")
    return [len(header).to_bytes(4, "little") + header, *writer.buffers]


def decode_frame(header: bytes | bytearray | memoryview, body: bytes | bytearray | memoryview = b"") -> Frame:
    """Read a frame from its header (without the length before it) and all its buffers in one piece.

    Raises:
        WireError: where the bytes are not a frame or break a limit.
    """
    parsed, size = _parse_header(header)
    if size != len(body):
        raise WireError("a frame has the wrong length")
    return _decode_body(parsed, memoryview(body))


def _header_size(prefix: bytes | bytearray | memoryview) -> int:
    size = int.from_bytes(prefix, "little")
    if size > MAX_HEADER:
        raise WireError("the header of a frame is too long")
    return size


def _parse_header(header: bytes | bytearray | memoryview) -> tuple[_Header, int]:
    """Read a header and say how many bytes follow it."""
    if len(header) > MAX_HEADER:
        raise WireError("the header of a frame is too long")
    try:
        parsed = _from_msgpack(header)
    except msgspec.DecodeError as fault:
        raise WireError(f"not a frame: {fault}") from None
    sizes = parsed.buffers
    if len(sizes) > MAX_NODES or (sizes and min(sizes) < 0) or sum(sizes) > MAX_BODY:
        raise WireError(f"a frame has more than {MAX_BODY >> 20} MiB")
    return parsed, sum(sizes)


def _decode_body(header: _Header, body: memoryview) -> Frame:
    reader = _Reader(header, body)
    try:
        value = reader.value(0)
    except StopIteration:
        raise WireError("a value ends too early") from None
    except UnicodeDecodeError:
        raise WireError("a str is not UTF-8") from None
    if not reader.finished():
        raise WireError("a value ends too late")
    return Frame(header.call, header.kind, value)


class FrameReader:
    """Puts frames together from bytes as they arrive; for a socket that is polled.

    A limit is enforced as soon as the bytes that break it are there, and memory grows only with bytes that
    have really come. After a ``WireError`` the stream is lost: where the next frame begins cannot be known.
    """

    def __init__(self) -> None:
        """Start at the beginning of a stream."""
        self._data = bytearray()
        self._lost = False
        self._header: _Header | None = None
        self._start = 0  # where the body begins
        self._size = 4  # bytes that are needed for the next step

    @property
    def pending(self) -> int:
        """Bytes that have come and belong to no finished frame yet."""
        return len(self._data)

    def feed(self, data: bytes | bytearray | memoryview) -> Frame | None:
        """Add bytes; return the first finished frame, or None. Call with ``b""`` for the frame after it.

        Raises:
            WireError: where the bytes are not a frame or break a limit.
        """
        if self._lost:
            raise WireError("the stream is lost")
        self._data += data
        if len(self._data) < self._size:
            return None
        self._lost = True
        ready = self._header is not None or self._read_header()
        frame = self._finish() if ready and len(self._data) >= self._size else None
        self._lost = False
        return frame

    def _read_header(self) -> bool:
        end = 4 + _header_size(self._data[:4])
        if len(self._data) < end:
            self._size = end
            return False
        self._header, size = _parse_header(self._data[4:end])
        self._start, self._size = end, end + size
        return True

    def _finish(self) -> Frame:
        """Cut the frame off; of frame and rest the smaller one is copied."""
        assert self._header is not None
        data, header, start, end = self._data, self._header, self._start, self._size
        if len(data) - end <= end:
            self._data = data[end:]
        else:
            data = self._data[:end]
            del self._data[:end]
        self._header, self._size = None, 4
        return _decode_body(header, memoryview(data)[start:end])


_CUT = "the stream ends within a frame"


def send_frame(sock: socket.socket, call: int, kind: str, value: Any) -> None:
    """Send a frame on a blocking socket; see ``encode_frame``."""
    for part in encode_frame(call, kind, value):
        sock.sendall(part)


def recv_frame(sock: socket.socket) -> Frame | None:
    """Receive a frame from a blocking socket, or None where the stream ends between two frames.

    Raises:
        WireError: where the bytes are not a frame or break a limit.
    """
    prefix = _recv(sock, 4)
    if not prefix:
        return None
    if len(prefix) < 4:
        raise WireError(_CUT)
    announced = _header_size(prefix)
    header = _recv(sock, announced)
    if len(header) < announced:
        raise WireError(_CUT)
    parsed, size = _parse_header(header)
    body = _recv(sock, size)
    if len(body) < size:
        raise WireError(_CUT)
    return _decode_body(parsed, memoryview(body))


def _recv(sock: socket.socket, size: int) -> bytearray:
    """Receive so many bytes, or fewer where the stream ends."""
    data = bytearray(size)
    view = memoryview(data)
    got = 0
    while got < size and (count := sock.recv_into(view[got:])):
        got += count
    view.release()
    del data[got:]
    return data


def encode(value: Any) -> bytes:
    """Write one value as bytes that hold all of it; the same value always gives the same bytes.

    The order of a dict is part of the value, the order of a set is not.

    Raises:
        WireError: where the value breaks a limit or cannot be read.
    """
    return b"".join(encode_frame(0, "", value))


def decode(data: bytes | bytearray | memoryview) -> Any:
    """Read back what ``encode`` wrote.

    Raises:
        WireError: where the bytes are something else.
    """
    view = memoryview(data)
    end = 4 + _header_size(view[:4])
    return decode_frame(view[4:end], view[end:]).value
