"""The codec: every plain value survives, nothing else gets through, and hostile bytes cost little."""

from __future__ import annotations

import contextlib
import math
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from grader.boundary import wire
from grader.boundary.wire import Frame, FrameReader, Opaque, WireError

torch = pytest.importorskip("torch")

TORCH_DTYPES = [name.decode() for name in wire._TORCH]
NUMPY_DTYPES = [name.decode() for name in wire._NUMPY]
HOSTILE_S = 8.0  # seconds; what any frame may cost, with room for a busy machine
HOSTILE_BYTES = 400 << 20


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same in type, bits and order."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, complex):
        return same(left.real, right.real) and same(left.imag, right.imag)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return same(list(left), list(right)) and same(list(left.values()), list(right.values()))
    if isinstance(left, (set, frozenset)):
        return same(sorted(map(wire.encode, left)), sorted(map(wire.encode, right)))
    if isinstance(left, (np.ndarray, np.generic)):
        return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()
    if isinstance(left, torch.Tensor):
        return left.dtype == right.dtype and left.shape == right.shape and raw(left) == raw(right)
    return bool(left == right)


def raw(tensor: Any) -> bytes:
    """The bytes of a tensor."""
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).numpy().tobytes())


def there_and_back(value: Any) -> Any:
    """The value as it arrives on the other side."""
    return wire.decode(wire.encode(value))


def frame_of(tokens: list[Any], lengths: list[int] | None = None, body: bytes = b"") -> tuple[bytes, bytes]:
    """Header and body as somebody else might write them."""
    return msgspec.msgpack.encode([7, "returned", tokens, lengths if lengths is not None else []]), body


def refused(tokens: list[Any], lengths: list[int] | None = None, body: bytes = b"") -> str:
    """Assert that such a frame is refused; return why."""
    with pytest.raises(WireError) as caught:
        wire.decode_frame(*frame_of(tokens, lengths, body))
    return str(caught.value)


def accepted(tokens: list[Any], lengths: list[int] | None = None, body: bytes = b"") -> Any:
    """The value of such a frame."""
    return wire.decode_frame(*frame_of(tokens, lengths, body)).value


def only_value_or_refusal(header: bytes, body: bytes) -> None:
    """Assert that bytes give a value or WireError, at a bounded cost."""
    began = time.thread_time()
    with contextlib.suppress(WireError):
        wire.decode_frame(header, body)
    assert time.thread_time() - began < HOSTILE_S


text = st.text(st.characters(exclude_categories=[]), max_size=30)
numbers = st.one_of(
    st.integers(-(2**63), 2**64 - 1), st.integers(-(2**4095), 2**4095 - 1), st.floats(), st.complex_numbers()
)
scalars = npst.arrays(st.sampled_from(NUMPY_DTYPES), ()).map(lambda array: array[()])
atoms = st.one_of(st.none(), st.booleans(), numbers, text, st.binary(max_size=600), scalars)
keys = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, text, st.binary(max_size=40)),
    lambda inner: st.one_of(st.lists(inner, max_size=4).map(tuple), st.frozensets(inner, max_size=4)),
    max_leaves=8,
)
arrays = npst.arrays(
    st.one_of(st.sampled_from(NUMPY_DTYPES), npst.unicode_string_dtypes(max_len=5, endianness="<")),
    npst.array_shapes(min_dims=0, max_dims=8, min_side=0, max_side=3),
)


@st.composite
def tensors(draw: st.DrawFn) -> Any:
    """Tensors of every dtype, from random bits."""
    dtype = getattr(torch, draw(st.sampled_from(TORCH_DTYPES)))
    shape = draw(npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
    top = 1 if dtype == torch.bool else 255
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return torch.empty(shape, dtype=dtype)
    bits = draw(st.lists(st.integers(0, top), min_size=size, max_size=size))
    return torch.tensor(bits, dtype=torch.uint8).view(dtype).reshape(shape)


packed = st.one_of(
    *[
        st.lists(kind, min_size=8, max_size=40)
        for kind in (st.integers(-(2**63), 2**63 - 1), st.floats(), text, st.booleans())
    ]
)
values = st.recursive(
    st.one_of(atoms, arrays, tensors(), packed, packed.map(tuple)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=10),
        st.lists(inner, max_size=10).map(tuple),
        st.dictionaries(keys, inner, max_size=6),
        st.sets(keys, max_size=10),
        st.frozensets(keys, max_size=10),
    ),
    max_leaves=20,
)


# --- what survives ---------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(value=values)
def test_every_plain_value_survives(value: Any) -> None:
    """Any nesting of plain values arrives with the same types, bits and order."""
    assert same(there_and_back(value), value)


@settings(max_examples=100, deadline=None)
@given(value=values)
def test_same_value_same_bytes(value: Any) -> None:
    """A value that went around once is written in the same bytes again, so bytes can serve as a digest."""
    assert wire.encode(there_and_back(value)) == wire.encode(value)


def test_bytes_do_not_depend_on_hashes() -> None:
    """Sets are written in the same bytes by processes with other hash seeds."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import wire;"
        "members = {f'w{i}' for i in range(50)};"
        "pairs, raw = {(m, 1) for m in members}, {m.encode() for m in members};"
        "sys.stdout.write(wire.encode([members, pairs, raw]).hex())"
    )
    folder = str(Path(wire.__file__).parent)
    written = {
        subprocess.run(
            [sys.executable, "-c", program, folder],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(written) == 1


def test_alone_in_the_slot() -> None:
    """As a plain module it needs nothing of the grader, and loads numpy and torch for no plain value."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import wire;"
        "value = {'a': [1, 2.5, (None, True)], 'b': {1, 2}};"
        "assert wire.decode(wire.encode(value)) == value;"
        "assert not {'numpy', 'torch', 'grader'} & set(sys.modules);"
        "sys.modules['torch'] = None; import numpy;"
        "assert wire.decode(wire.encode(numpy.arange(3))).tolist() == [0, 1, 2];"
        "assert wire.decode(wire.encode(object())) == wire.Opaque('object')"
    )
    folder = str(Path(wire.__file__).parent)
    subprocess.run([sys.executable, "-I", "-c", program, folder], check=True)


def test_a_value_of_a_missing_module_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tensor that arrives where torch is not installed is an error of the frame, not of the grader."""
    data = wire.encode(torch.zeros(2))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(WireError, match="not installed"):
        wire.decode(data)


@pytest.mark.parametrize("bits", ["7ff8000000000001", "fff8dead00000000", "8000000000000000", "7ff0000000000000"])
@pytest.mark.parametrize("copies", [1, 20])
def test_special_floats(bits: str, copies: int) -> None:
    """NaN payloads, the negative zero and infinities keep every bit, packed or not."""
    value = [struct.unpack(">d", bytes.fromhex(bits))[0]] * copies
    assert [struct.pack(">d", item).hex() for item in there_and_back(value)] == [bits] * copies


@pytest.mark.parametrize("value", ["\ud800", "\udfff\ud800", "a\0b", "\U0010ffff" * 300, ["\ud800", "\udc00"] * 9])
def test_awkward_strings(value: Any) -> None:
    """Lone surrogates, also side by side in packed lists, null characters and long strings survive."""
    assert same(there_and_back(value), value)


def test_packed_and_plain_agree_on_types() -> None:
    """A list of one kind stays of that kind; one bool or one big int among ints is not lost."""
    for value in (
        [1] * 50,
        [1] * 50 + [True],
        [1] * 50 + [2**70],
        [1.0] * 50 + [1],
        [2**63] * 20,
        [True] * 20,
    ):
        assert same(there_and_back(value), value)
        assert same(there_and_back(tuple(value)), tuple(value))


@pytest.mark.parametrize("name", NUMPY_DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3), (1,) * 8])
def test_every_numpy_dtype(name: str, shape: tuple[int, ...]) -> None:
    """Every dtype and shape arrives equal, writable, in C order and owning its memory."""
    value = np.ones(shape, name)
    got = there_and_back(value)
    assert same(got, value)
    assert type(got) is np.ndarray
    assert got.flags.writeable and got.flags.owndata and got.flags.c_contiguous


@pytest.mark.parametrize("value", [np.str_("ab\0"), np.bytes_(b"xy\0"), np.str_(""), np.longlong(3), np.bool_(True)])
def test_numpy_scalars_keep_their_type(value: Any) -> None:
    """Numpy's scalars stay scalars of numpy, text included."""
    got = there_and_back(value)
    assert got == value and got.dtype == value.dtype and isinstance(got, np.generic)


def test_orders_become_one() -> None:
    """Big-endian, Fortran-ordered, reversed and broadcast arrays arrive as plain little-endian C arrays."""
    base = np.arange(24, dtype=">f4").reshape(4, 6)
    for value in (base, np.asfortranarray(base), base[::-1, ::2], np.broadcast_to(base[0], (3, 6))):
        got = there_and_back(value)
        assert got.dtype.str == "<f4" and got.flags.c_contiguous and got.flags.owndata
        np.testing.assert_array_equal(got, value)
    words = np.array(["ab", "\ud800"], ">U3")
    assert there_and_back(words).tolist() == words.tolist()


@pytest.mark.parametrize("name", TORCH_DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3), (1,) * 8])
def test_every_torch_dtype(name: str, shape: tuple[int, ...]) -> None:
    """Every dtype and shape arrives bit for bit, bf16 and fp8 included, and can be written to."""
    value = torch.ones(shape, dtype=torch.float32).to(getattr(torch, name))
    got = there_and_back(value)
    assert same(got, value)
    assert type(got) is torch.Tensor and got.is_contiguous()
    got.zero_()


def test_views_of_tensors_become_plain() -> None:
    """Conjugate, negative, transposed, expanded and differentiable tensors arrive as plain memory."""
    base = torch.randn(3, 4, dtype=torch.complex64)
    parameter = torch.nn.Parameter(torch.randn(3))
    for value in (base.conj(), base.conj().imag, base.T, base[:1].expand(5, 4), base[:, 1::2]):
        got = there_and_back(value)
        assert torch.equal(got, value.resolve_conj().resolve_neg())
        assert not got.is_conj() and not got.is_neg() and got.is_contiguous()
    for value in (parameter, (parameter * 2), torch.ones(2, requires_grad=True)):
        got = there_and_back(value)
        assert type(got) is torch.Tensor and not got.requires_grad and torch.equal(got, value.detach())


def test_the_sender_keeps_its_memory() -> None:
    """A value that was written does not change with what it was written from."""
    array, tensor = np.zeros(1000), torch.zeros(1000)
    parts = wire.encode_frame(1, "call", (array, tensor))
    array[:] = 1
    tensor[:] = 1
    got = wire.decode_frame(parts[0][4:], b"".join(parts[1:])).value
    assert not got[0].any() and not got[1].any()


# --- what does not ---------------------------------------------------------------------------------


class Liar(int):
    """Claims to equal everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class LyingMeta(type):
    """Makes a class that claims to be int."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(int)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError("learner's code ran")


class Impostor(metaclass=LyingMeta):
    """An object of a class that claims to be int."""

    def __index__(self) -> int:
        return 3


class MyTensor(torch.Tensor):  # type: ignore[misc]
    """A subclass of a tensor."""


@dataclass
class Point:
    """A dataclass."""

    x: int = 0


Pair = namedtuple("Pair", "a b")
Text = type("Text", (str,), {})
Items = type("Items", (list,), {})
Table = type("Table", (dict,), {})
Real = type("Real", (float,), {})
Scalar = type("Scalar", (np.float64,), {})
Grid = type("Grid", (np.ndarray,), {})


def not_plain() -> dict[str, Any]:
    """Values that are not plain data, by the name they arrive under."""
    return {
        "Liar": Liar(3),
        "Impostor": Impostor(),
        "Text": Text("a"),
        "Items": Items([1]),
        "Table": Table(a=1),
        "Real": Real(1.0),
        "Scalar": Scalar(1.0),
        "Point": Point(),
        "type": int,
        "function": lambda: None,
        "Grid": np.zeros(3).view(Grid),
        "matrix": np.zeros((2, 2)).view(np.matrix),
        "MaskedArray": np.ma.masked_array([1, 2], [True, False]),
        "ndarray of object": np.array([1, "a"], object),
        "ndarray of datetime64[D]": np.zeros(2, "datetime64[D]"),
        "ndarray of [('a', '<f8')]": np.zeros(2, [("a", "f8")]),
        "datetime64": np.datetime64("2020-01-01"),
        "longdouble": np.longdouble(1),
        "MyTensor": torch.zeros(2).as_subclass(MyTensor),
        "Tensor of torch.float32, torch.sparse_coo, cpu": torch.eye(2).to_sparse(),
        "Tensor of torch.float32, torch.strided, meta": torch.zeros(2, device="meta"),
        "dtype": torch.float32,
        "Opaque": Opaque("Opaque"),
    }


@pytest.mark.parametrize("name", not_plain())
def test_lying_objects_arrive_as_what_they_are(name: str) -> None:
    """What is not plain data by exact type arrives as its type's name, alone and inside other values."""
    value = not_plain()[name]
    assert there_and_back(value) == Opaque(name)
    assert there_and_back([value, 1]) == [Opaque(name), 1]
    assert there_and_back({"a": (value,)}) == {"a": (Opaque(name),)}
    assert there_and_back([value] * 20) == [Opaque(name)] * 20


def test_kinds_of_the_standard_library_arrive_as_what_they_stand_for() -> None:
    """A learner who counts with Counter or answers with a namedtuple has answered with a dict or a tuple."""
    counted = defaultdict(list, {"a": [1]})
    pairs = (
        (Pair(1, [2]), (1, [2])), (OrderedDict(a=1), {"a": 1}), (Counter("aab"), {"a": 2, "b": 1}),
        (counted, {"a": [1]}), (range(3), [0, 1, 2]), (deque([1, "b"]), [1, "b"]), (bytearray(b"a"), b"a"),
    )  # fmt: skip
    assert there_and_back({(1, Pair(1, 2))}) == {(1, (1, 2))}  # as a member and a key, too
    for value, plain in pairs:
        arrived = there_and_back([value])[0]
        assert type(arrived) is type(plain) and arrived == plain


def test_other_tensors_are_not_plain() -> None:
    """Quantised and nested tensors arrive as opaque."""
    nested = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)], layout=torch.jagged)
    assert isinstance(there_and_back(nested), Opaque)
    with warnings.catch_warnings(action="ignore"):
        quantised = torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.quint8)
    assert isinstance(there_and_back(quantised), Opaque)


@pytest.mark.parametrize(
    "value",
    [
        {Point: 1, "a": 2},
        {(1, Text("b"))},
        {frozenset({Text("a")}): [1] * 500},
        {"a", Liar(3)},
        frozenset({("b" * 3000, torch.zeros(2))}),
    ],
)
def test_a_key_that_is_not_plain(value: Any) -> None:
    """A dict or a set with a key that is not plain is opaque as a whole, and nothing of it is left behind."""
    got = there_and_back(["x" * 5000, value, "y" * 5000])
    assert got[0] == "x" * 5000 and got[2] == "y" * 5000
    assert type(got[1]) is Opaque and got[1].type_name.startswith(f"{type(value).__name__} of ")


def test_type_names_are_short_and_the_classes_own() -> None:
    """A type's name is cut at 80 characters, and no code of a metaclass runs to find it."""
    assert there_and_back(type("N" * 500, (), {})()) == Opaque("N" * 80)
    assert there_and_back(Opaque("N" * 500)) == Opaque("N" * 80)
    assert there_and_back(Impostor()) == Opaque("Impostor")


def test_cycles_end() -> None:
    """A container that holds itself, once or many times over, is refused for its depth or its parts."""
    ring: list[Any] = []
    ring.append(ring)
    bush: list[Any] = []
    bush += [bush] * 50
    table: dict[str, Any] = {}
    table["a"] = {"b": table}
    shared: Any = ()
    for _ in range(31):
        shared = (shared, shared)
    for value in (ring, bush, table, shared):
        began = time.thread_time()
        with pytest.raises(WireError, match=r"deep|parts"):
            wire.encode(value)
        assert time.thread_time() - began < HOSTILE_S


def test_a_list_that_grows_meanwhile() -> None:
    """A list that another thread appends to is written as it was at one moment."""
    growing: list[Any] = [None, "a"] * 20
    stop = threading.Event()

    def grow() -> None:
        while not stop.is_set() and len(growing) < 50_000:
            growing.append("a")

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        for _ in range(50):
            assert there_and_back(growing)[:2] == [None, "a"]
    finally:
        stop.set()
        thread.join()


# --- limits, from both sides -----------------------------------------------------------------------


def nest(depth: int, make: Any = lambda inner: [inner]) -> Any:
    """So many containers within each other."""
    value: Any = None
    for _ in range(depth):
        value = make(value)
    return value


MAKERS = {
    "list": lambda inner: [inner],
    "tuple": lambda inner: (inner,),
    "dict": lambda inner: {"a": inner},
    "frozenset": lambda inner: frozenset({inner}),
    "frozenset of two": lambda inner: frozenset({inner, 1}),
    "key": lambda inner: ((inner, 1),),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_depth(kind: str) -> None:
    """32 containers within each other pass, 33 do not, on either side."""
    most = wire.MAX_DEPTH // (2 if kind == "key" else 1)
    assert same(there_and_back(nest(most, MAKERS[kind])), nest(most, MAKERS[kind]))
    with pytest.raises(WireError, match="deep"):
        wire.encode(nest(most + 1, MAKERS[kind]))


@pytest.mark.parametrize("tag", [wire._Tag.LIST, wire._Tag.TUPLE, wire._Tag.SET, wire._Tag.FROZENSET])
def test_depth_of_hostile_tokens(tag: int) -> None:
    """A frame of nothing but opening brackets is refused at depth 33."""
    tag = wire._Tag.FROZENSET if tag == wire._Tag.SET else tag
    assert accepted([tag, 1] * 32 + [None]) is not None
    assert "deep" in refused([tag, 1] * 33 + [None])
    refused([tag, 1] * 100_000 + [None])


def test_parts() -> None:
    """100,000 parts pass, one more does not; packed ones do not count."""
    most = [None] * wire.MAX_NODES
    assert there_and_back(most) == most
    with pytest.raises(WireError, match="parts"):
        wire.encode([*most, None])
    assert "parts" in refused([wire._Tag.LIST, wire.MAX_NODES + 1] + [None] * (wire.MAX_NODES + 1))
    assert "parts" in refused([wire._Tag.LIST, 2**64 - 1])
    assert "parts" in refused([wire._Tag.LIST, 60_000] + [wire._Tag.LIST, 60_000] * 2)
    ints = list(range(wire.MAX_NODES + 1))
    assert there_and_back([ints, ints]) == [ints, ints]


def test_packed_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed items are counted over the whole frame, strings among them by a limit of their own."""
    with pytest.raises(WireError, match="items in lists"):
        wire.encode([0] * (wire.MAX_PACKED + 1))
    with pytest.raises(WireError, match="items in lists"):
        wire.encode([[0.0] * (wire.MAX_PACKED // 2 + 1)] * 2)
    with pytest.raises(WireError, match="strings in lists"):
        wire.encode([""] * (wire.MAX_PACKED_STR + 1))
    monkeypatch.setattr(wire, "MAX_PACKED", 100)
    monkeypatch.setattr(wire, "MAX_PACKED_STR", 50)
    for most in ([1] * 100, [1.0] * 100, [True] * 100, [[1] * 50, [1.0] * 50], ["a"] * 50):
        assert same(there_and_back(most), most)
    for code, width in ((wire._Packed.INT, 8), (wire._Packed.FLOAT, 8), (wire._Packed.BOOL, 1)):
        accepted([wire._Tag.LIST, code, bytes(100 * width)])
        assert "items in lists" in refused([wire._Tag.LIST, code, bytes(101 * width)])
        twice = [wire._Tag.LIST, code, bytes(60 * width)] * 2
        assert "items in lists" in refused([wire._Tag.LIST, 2, *twice])
    accepted([wire._Tag.LIST, wire._Packed.STR, bytes(50 * 4), b""])
    assert "strings in lists" in refused([wire._Tag.LIST, wire._Packed.STR, bytes(51 * 4), b""])


def test_bytes_of_a_frame() -> None:
    """64 MiB of data pass, one byte more does not, whatever it is made of."""
    most = bytes(wire.MAX_BODY)
    assert there_and_back(most) == most
    for value in (
        bytes(wire.MAX_BODY + 1),
        [bytes(wire.MAX_BODY // 2), bytes(wire.MAX_BODY // 2 + 1)],
        "a" * (wire.MAX_BODY + 1),
        "\u20ac" * (wire.MAX_BODY // 3 + 1),
        ["\u20ac" * (wire.MAX_BODY // 20)] * 20,
        np.zeros(wire.MAX_BODY + 1, np.uint8),
        [np.zeros(wire.MAX_BODY // 2 + 1, np.uint8)] * 2,
        torch.zeros(wire.MAX_BODY // 4 + 1),
    ):
        with pytest.raises(WireError, match="MiB"):
            wire.encode(value)


def test_huge_views_are_refused_unmade() -> None:
    """A broadcast array or an expanded tensor that claims gigabytes is refused without making them."""
    tracemalloc.start()
    try:
        for value in (np.broadcast_to(np.zeros(1), (2**17, 2**17)), torch.zeros(1).expand(2**17, 2**17)):
            with pytest.raises(WireError, match="MiB"):
                wire.encode(value)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_dimensions() -> None:
    """Eight dimensions pass and nine do not, on either side."""
    for make in (np.zeros, torch.zeros):
        assert same(there_and_back(make((1,) * 8)), make((1,) * 8))
        with pytest.raises(WireError, match="dimensions"):
            wire.encode(make((1,) * 9))
    refused([wire._Tag.ARRAY, b"|u1", 9, *[1] * 9, b"a"])
    refused([wire._Tag.TENSOR, b"uint8", 9, *[1] * 9, b"a"])


def test_big_ints() -> None:
    """Ints of up to 512 bytes pass, larger ones do not, on either side."""
    for value in (2**4095 - 1, -(2**4095), 2**64, -(2**63) - 1):
        assert there_and_back(value) == value
    for value in (2**4095, -(2**4095) - 1, 1 << 100_000):
        with pytest.raises(WireError, match="512 bytes"):
            wire.encode(value)
    assert "512 bytes" in refused([wire._Tag.BIG_INT, bytes(513)])


def test_many_short_strings_do_not_fill_the_header() -> None:
    """Short strings past the header's share become buffers, so that a legal value fits."""
    value = [None, *[f"{i:0250}" for i in range(20_000)], *[b"x" * 200] * 1000]
    assert there_and_back(value) == value


def test_long_keys_are_refused() -> None:
    """Keys live in the header, and more than it holds is an error."""
    value = {(i, "k" * 1000) for i in range(500)}
    assert there_and_back(value) == value
    with pytest.raises(WireError, match="keys are too long"):
        wire.encode({(i, "k" * 1000) for i in range(2000)})


# --- hostile frames --------------------------------------------------------------------------------

T = wire._Tag
P = wire._Packed
LONG = 1 << 40
BAD_TOKENS: dict[str, tuple[Any, ...]] = {
    "nothing": ([],),
    "two values": ([None, None],),
    "unknown tag": ([99],),
    "negative tag": ([-1],),
    "huge tag": ([2**64 - 1],),
    "int without operand": ([T.INT],),
    "int of float": ([T.INT, 1.0],),
    "int of bool": ([T.INT, True],),
    "int of None": ([T.INT, None],),
    "list without count": ([T.LIST],),
    "list of float count": ([T.LIST, 1.0, None],),
    "list of bool count": ([T.LIST, True, None],),
    "list too short": ([T.LIST, 2, None],),
    "unknown packing": ([T.LIST, -99, b""],),
    "packed ints broken": ([T.LIST, P.INT, bytes(9)],),
    "packed bool of 2": ([T.LIST, P.BOOL, b"\1\2"],),
    "packed strs too long": ([T.LIST, P.STR, b"\2\0\0\0", b"a"],),
    "packed strs too short": ([T.LIST, P.STR, b"\1\0\0\0", b"ab"],),
    "packed strs huge": ([T.LIST, P.STR, b"\xff" * 8, b"ab"],),
    "packed strs not utf-8": ([T.LIST, P.STR, b"\1\0\0\0", b"\xff"],),
    "packed strs without text": ([T.LIST, P.STR, b"\1\0\0\0"],),
    "str not utf-8": ([b"\xff"],),
    "str overlong": ([b"\xc0\x80"],),
    "str beyond unicode": ([T.STR, b"\xf4\x90\x80\x80"],),
    "data of float": ([T.BYTES, 1.0],),
    "data of None": ([T.BYTES, None],),
    "buffer missing": ([T.BYTES, 0],),
    "buffer out of range": ([T.BYTES, 1], [1], b"a"),
    "buffer negative": ([T.BYTES, -1], [1], b"a"),
    "buffer twice": ([T.LIST, 2, T.BYTES, 0, T.BYTES, 0], [1], b"a"),
    "buffer out of order": ([T.LIST, 2, T.BYTES, 1, T.BYTES, 0], [1, 1], b"ab"),
    "buffer left over": ([None], [1], b"a"),
    "empty buffer left over": ([None], [0]),
    "buffer of bool": ([T.BYTES, False], [1], b"a"),
    "buffer of negative length": ([T.LIST, 2, T.BYTES, 0, T.BYTES, 1], [-1, 2], b"a"),
    "body too short": ([T.BYTES, 0], [2], b"a"),
    "body too long": ([T.BYTES, 0], [1], b"ab"),
    "length over cap": ([T.BYTES, 0], [wire.MAX_BODY + 1]),
    "lengths over cap": ([None], [2**63, 2**63]),
    "complex of ints": ([T.COMPLEX, 1, 2],),
    "complex of one": ([T.COMPLEX, 1.0],),
    "dict key without value": ([T.DICT, 1, b"a", 0],),
    "dict value without key": ([T.DICT, 0, 1, None],),
    "dict without values": ([T.DICT, 0],),
    "duplicate key": ([T.DICT, 2, b"a", b"a", 2, None, None],),
    "duplicate key packed": ([T.DICT, P.INT, bytes(16), 2, None, None],),
    "equal keys": ([T.DICT, 2, T.INT, 1, True, 2, None, None],),
    "equal keys 1 and 1.0": ([T.DICT, 2, T.INT, 1, 1.0, 2, None, None],),
    "duplicate member": ([T.SET, 2, None, None],),
    "duplicate member packed": ([T.FROZENSET, P.STR, bytes(8), b""],),
    "list as key": ([T.DICT, 1, T.LIST, 0, 1, None],),
    "list in tuple as key": ([T.DICT, 1, T.TUPLE, 1, T.LIST, 0, 1, None],),
    "dict as member": ([T.SET, 1, T.DICT, 0, 0],),
    "set as member": ([T.SET, 1, T.SET, 0],),
    "array as member": ([T.SET, 1, T.ARRAY, b"|u1", 0, b"a"],),
    "tensor as key": ([T.DICT, 1, T.TENSOR, b"uint8", 0, b"a", 1, None],),
    "opaque as member": ([T.FROZENSET, 1, T.OPAQUE, b"a"],),
    "opaque in frozenset as key": ([T.DICT, 1, T.FROZENSET, 1, T.OPAQUE, b"a", 1, None],),
    "opaque too long": ([T.OPAQUE, b"a" * 81],),
    "opaque not utf-8": ([T.OPAQUE, b"\xff"],),
    "dtype of None": ([T.ARRAY, None, 0, b""],),
    "dtype object": ([T.ARRAY, b"|O", 0, bytes(8)],),
    "dtype void": ([T.ARRAY, b"|V8", 0, bytes(8)],),
    "dtype datetime": ([T.ARRAY, b"<M8[s]", 0, bytes(8)],),
    "dtype big-endian": ([T.ARRAY, b">f8", 0, bytes(8)],),
    "dtype list": ([T.ARRAY, b"f8,O", 0, bytes(8)],),
    "dtype empty text": ([T.ARRAY, b"<U0", 0, b""],),
    "dtype huge text": ([T.ARRAY, b"<U999999999", 0, b""],),
    "dtype of numpy in tensor": ([T.TENSOR, b"<f8", 0, bytes(8)],),
    "dtype of torch quantised": ([T.TENSOR, b"quint8", 0, b"a"],),
    "attribute of torch": ([T.TENSOR, b"__loader__", 0, b"a"],),
    "scalar dtype object": ([T.SCALAR, b"|O", bytes(8)],),
    "scalar too short": ([T.SCALAR, b"<f8", bytes(7)],),
    "scalar too long": ([T.SCALAR, b"<f8", bytes(9)],),
    "scalar bool of 2": ([T.SCALAR, b"|b1", b"\2"],),
    "scalar text not utf-8": ([T.SCALAR, b"U", b"\xff"],),
    "scalar dtype of int": ([T.SCALAR, 1, b"a"],),
    "array too short": ([T.ARRAY, b"<f8", 1, 2, bytes(15)],),
    "array too long": ([T.ARRAY, b"<f8", 1, 2, bytes(17)],),
    "array of huge shape": ([T.ARRAY, b"|u1", 2, LONG, LONG, b""],),
    "array of wrapping shape": ([T.ARRAY, b"|u1", 2, 2**32, 2**32, b""],),
    "array of empty huge shape": ([T.ARRAY, b"|u1", 3, 0, 2**26, 2**26, b""],),
    "tensor of empty huge shape": ([T.TENSOR, b"uint8", 3, 0, 2**26, 2**26, b""],),
    "array of negative shape": ([T.ARRAY, b"|u1", 2, -1, -1, b"a"],),
    "array of float shape": ([T.ARRAY, b"|u1", 1, 1.0, b"a"],),
    "array of bool shape": ([T.ARRAY, b"|u1", 1, True, b"a"],),
    "array of many dimensions": ([T.ARRAY, b"|u1", LONG, b"a"],),
    "array of negative dimensions": ([T.ARRAY, b"|u1", -1, b"a"],),
    "array bool of 2": ([T.ARRAY, b"|b1", 0, b"\2"],),
    "tensor bool of 2": ([T.TENSOR, b"bool", 0, b"\2"],),
    "array character beyond unicode": ([T.ARRAY, b"<U1", 0, b"\xff" * 4],),
}


@pytest.mark.parametrize("name", BAD_TOKENS)
def test_hostile_tokens_are_refused(name: str) -> None:
    """Each way to lie in a well-formed frame is refused as a whole."""
    refused(*BAD_TOKENS[name])


def test_the_same_tokens_told_straight() -> None:
    """What the hostile frames above twist is accepted untwisted: they fail for the reason they name."""
    assert accepted([T.LIST, 2, T.BYTES, 0, T.BYTES, 1], [1, 2], b"abc") == [b"a", b"bc"]
    assert accepted([T.LIST, P.STR, b"\1\0\0\0\2\0\0\0", "äbc".encode()]) == ["ä", "bc"]
    assert accepted([T.DICT, 2, b"a", T.TUPLE, 1, None, 2, None, T.LIST, 0]) == {"a": None, (None,): []}
    assert accepted([T.SET, 1, T.FROZENSET, 1, T.SCALAR, b"<f4", bytes(4)]) == {frozenset({np.float32(0)})}
    assert accepted([T.ARRAY, b"<U1", 1, 1, b"\xff\xff\x10\0"]).tolist() == ["\U0010ffff"]
    assert accepted([T.ARRAY, b"|u1", 2, 0, 1 << 20, b""]).shape == (0, 1 << 20)
    assert accepted([T.OPAQUE, ("\U0001f600" * 80).encode()]) == Opaque("\U0001f600" * 80)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\xc1",
        b"\x90",
        b"\x93\x00\xa1a\x90",
        b"\x95\x00\xa1a\x91\xc0\x90\xc0",
        b"\x94\xff\xa1a\x91\xc0\x90",
        b"\x94\xc0\xa1a\x91\xc0\x90",
        b"\x94\xcb" + bytes(8) + b"\xa1a\x91\xc0\x90",
        b"\x94\x00\xd9\x21" + b"a" * 33 + b"\x91\xc0\x90",
        b"\x94\x00\xa1\xff\x91\xc0\x90",
        b"\x94\x00\xa1a\x91\xa1a\x90",
        b"\x94\x00\xa1a\x91\xd4\x05\x00\x90",
        b"\x94\x00\xa1a\x91\x91\xc0\x90",
        b"\x94\x00\xa1a" + b"\x91" * 1_000_000,
        b"\x91" * 1_000_000,
        b"\x95\x00\xa1a\x90\x90" + b"\x91" * 1_000_000,
        b"\x94\x00\xa1a\xdd\xff\xff\xff\xff",
        b"\x94\x00\xa1a\x91\xc6\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\x84\xa4call\x00\xa4kind\xa1a\xa6tokens\x91\xc0\xa7buffers\x90",
        b"\x94\x00\xa1a\x91\xc0\x90\x00",
    ],
)
def test_broken_headers(header: bytes) -> None:
    """A header that is not exactly the expected structure is refused, at once and without memory."""
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            wire.decode_frame(header)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


token = st.one_of(
    st.integers(-5, 15),
    st.integers(-5, 15),
    st.sampled_from([*wire._NUMPY, *wire._TORCH, b"<U1", b"|S3", b"U", b"S"]),
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(-(2**63), 2**64 - 1),
    st.binary(max_size=16),
)


@settings(max_examples=1500, deadline=None)
@given(
    tokens=st.lists(token, max_size=24),
    lengths=st.lists(st.integers(0, 16), max_size=4),
    filler=st.binary(max_size=64),
)
def test_random_tokens(tokens: list[Any], lengths: list[int], filler: bytes) -> None:
    """Any stream of tokens gives a value or WireError."""
    only_value_or_refusal(*frame_of(tokens, lengths, filler[: sum(lengths)].ljust(sum(lengths), b"\0")))


@settings(max_examples=300, deadline=None)
@given(header=st.binary(max_size=200), body=st.binary(max_size=50))
def test_random_bytes(header: bytes, body: bytes) -> None:
    """Any bytes give a value or WireError."""
    only_value_or_refusal(header, body)
    with contextlib.suppress(WireError):
        wire.decode(header)


@settings(max_examples=300, deadline=None)
@given(value=values, flips=st.lists(st.integers(0, 2**20), min_size=1, max_size=4), cut=st.integers(0, 2**20))
def test_damaged_frames(value: Any, flips: list[int], cut: int) -> None:
    """A valid frame with flipped bits gives a value or WireError; a shortened one never gives a value."""
    whole = bytearray(wire.encode(value))
    with pytest.raises(WireError):
        wire.decode(bytes(whole[: cut % len(whole)]))
    for flip in flips:
        whole[flip // 8 % len(whole)] ^= 1 << flip % 8
    with contextlib.suppress(WireError):
        wire.decode(bytes(whole))


def colliding_ints() -> tuple[list[Any], list[int], bytes]:
    """Ints that fill one long run of CPython's probing order, and as many that start at its beginning."""
    run, position = [], 0
    for _ in range(300_000):
        run.append(position)
        position = (5 * position + 1) % (1 << 20)
    keys = run + [run[0] + (k << 20) for k in range(1, 300_000)]
    data = struct.pack(f"<{len(keys)}q", *keys)
    return [T.DICT, P.INT, 0, P.BOOL, 1], [len(data), len(keys)], data + bytes(len(keys))


def members_of(tag: int, operands: list[tuple[Any, ...]]) -> tuple[list[Any], list[int], bytes]:
    """A set of such members."""
    return [T.SET, len(operands), *[token for each in operands for token in (tag, *each)]], [], b""


MANY = wire.MAX_NODES - 1
WORDS = wire.MAX_PACKED_STR
MODULUS = (1 << 61) - 1  # of CPython's hash of an int
DENSE: dict[str, Any] = {
    "empty dicts": lambda: ([T.LIST, MANY] + [T.DICT, 0, 0] * MANY, [], b""),
    "empty sets": lambda: ([T.LIST, MANY] + [T.SET, 0] * MANY, [], b""),
    "empty arrays": lambda: ([T.LIST, MANY] + [T.ARRAY, b"|u1", 1, 0, b""] * MANY, [], b""),
    "small tensors": lambda: ([T.LIST, 80_000] + [T.TENSOR, b"int8", 0, b"a"] * 80_000, [], b""),
    "strings": lambda: (
        [T.LIST, P.STR, 0, 1],
        [4 * WORDS, 2 * WORDS],
        b"\1\0\0\0" * WORDS + "é".encode() * WORDS,
    ),
    "numbers": lambda: ([T.LIST, P.FLOAT, 0], [8 * wire.MAX_PACKED], bytes(8 * wire.MAX_PACKED)),
    "wide text": lambda: ([T.STR, 0], [wire.MAX_BODY], b"a" * (wire.MAX_BODY - 4) + "\U0001f600".encode()),
    "colliding ints": colliding_ints,
    "colliding big ints": lambda: members_of(
        T.BIG_INT, [((MODULUS * k).to_bytes(10, "little"),) for k in range(1 << 7, 60_000)]
    ),
    "colliding complex": lambda: members_of(T.COMPLEX, [(-1000003.0 * k, float(k)) for k in range(50_000)]),
}


@pytest.mark.parametrize("name", DENSE)
def test_the_worst_frames_cost_little_time(name: str) -> None:
    """The densest frames within the limits end in bounded time; keys made to collide are given up."""
    header, body = frame_of(*DENSE[name]())
    only_value_or_refusal(header, body)
    if "colliding" in name:
        with pytest.raises(WireError, match="too long to tell apart"):
            wire.decode_frame(header, body)


@pytest.mark.parametrize("name", [name for name in DENSE if "colliding" not in name])
def test_the_worst_frames_cost_little_memory(name: str) -> None:
    """The densest frames within the limits become values of bounded size."""
    header, body = frame_of(*DENSE[name]())
    tracemalloc.start()
    try:
        wire.decode_frame(header, body)
        assert tracemalloc.get_traced_memory()[1] < HOSTILE_BYTES
    finally:
        tracemalloc.stop()


def test_honest_keys_are_not_taken_for_colliding() -> None:
    """A large dict of ordinary keys is far from the limit on time."""
    value = {f"word{i}": i for i in range(200_000)}
    began = time.thread_time()
    assert len(there_and_back(set(range(500_000)))) == 500_000
    with pytest.raises(WireError, match="parts"):
        wire.encode({(i,): None for i in range(wire.MAX_NODES)})
    pairs = {(i, i + 1): i for i in range(wire.MAX_NODES // 4)}
    assert same(there_and_back(pairs), pairs)
    assert list(there_and_back(value)) == list(value)
    assert time.thread_time() - began < HOSTILE_S


# --- streams ---------------------------------------------------------------------------------------


def whole_frame(call: int, value: Any) -> bytes:
    """A frame in one piece."""
    return b"".join(wire.encode_frame(call, "call", value))


@settings(max_examples=100, deadline=None)
@given(value=values, call=st.integers(0, 2**64 - 1))
def test_byte_by_byte_is_the_same_as_at_once(value: Any, call: int) -> None:
    """How a stream is cut does not matter, and call and kind arrive with the value."""
    data = whole_frame(call, value)
    at_once = FrameReader().feed(data)
    reader = FrameReader()
    got = [frame for byte in data if (frame := reader.feed(bytes([byte])))]
    assert at_once is not None and len(got) == 1 and reader.pending == 0
    assert (at_once.call, at_once.kind) == (got[0].call, got[0].kind) == (call, "call")
    assert same(at_once.value, value) and same(got[0].value, value)


def test_frames_in_one_chunk() -> None:
    """Frames that come together are handed out one by one, and what is left over can be seen."""
    reader = FrameReader()
    last = whole_frame(3, "c" * 1000)
    first = reader.feed(whole_frame(1, np.arange(1000)) + whole_frame(2, "b") + last[:-1])
    assert first is not None and first.call == 1 and reader.pending > len(last)
    second = reader.feed(b"")
    assert second == Frame(2, "call", "b") and reader.pending == len(last) - 1
    assert reader.feed(b"") is None
    assert reader.feed(last[-1:]) == Frame(3, "call", "c" * 1000) and reader.pending == 0


def test_announced_lengths_are_refused_at_once() -> None:
    """A length over its limit is an error before a single byte that it announces has come."""
    for size in (wire.MAX_HEADER + 1, 2**32 - 1):
        with pytest.raises(WireError, match="too long"):
            FrameReader().feed(size.to_bytes(4, "little"))
    for lengths in ([wire.MAX_BODY + 1], [wire.MAX_BODY, 1], [2**64 - 1], [0] * (wire.MAX_NODES + 1)):
        header, _ = frame_of([T.BYTES, 0], lengths)
        with pytest.raises(WireError, match="MiB"):
            FrameReader().feed(len(header).to_bytes(4, "little") + header)


def test_announced_bytes_take_no_memory() -> None:
    """A reader that was promised 64 MiB holds no more than what has come."""
    header, _ = frame_of([T.BYTES, 0], [wire.MAX_BODY])
    tracemalloc.start()
    try:
        reader = FrameReader()
        assert reader.feed(len(header).to_bytes(4, "little") + header + bytes(1000)) is None
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_broken_stream_stays_broken() -> None:
    """After an error nothing more is read, however sound it looks."""
    reader = FrameReader()
    with pytest.raises(WireError):
        reader.feed(b"\3\0\0\0\xc1\xc1\xc1" + whole_frame(1, None))
    with pytest.raises(WireError, match="lost"):
        reader.feed(whole_frame(1, None))


def test_large_frames_in_small_pieces_are_not_slow() -> None:
    """Putting 64 MiB together costs time in proportion to its size, not to its square."""
    data = memoryview(whole_frame(1, bytes(wire.MAX_BODY)))
    reader = FrameReader()
    began = time.thread_time()
    frame = None
    for start in range(0, len(data), 4096):
        frame = reader.feed(data[start : start + 4096])
    assert frame is not None and len(frame.value) == wire.MAX_BODY
    assert time.thread_time() - began < HOSTILE_S


def test_many_frames_in_one_chunk_are_not_slow() -> None:
    """Handing out a hundred thousand frames of one chunk does not copy the chunk as often."""
    reader = FrameReader()
    began = time.thread_time()
    frame = reader.feed(whole_frame(1, None) * 100_000)
    count = 0
    while frame is not None:
        count += 1
        frame = reader.feed(b"")
    assert count == 100_000 and time.thread_time() - began < HOSTILE_S


def test_blocking_sockets() -> None:
    """A worker's end: frames large and small arrive, and the end of the stream is told from a cut frame."""
    left, right = socket.socketpair()
    sent = [None, np.arange(1 << 20), {"a": (1, "b")}]
    with left, right:

        def send() -> None:
            for call, value in enumerate(sent):
                wire.send_frame(left, call, "returned", value)
            left.close()

        thread = threading.Thread(target=send)
        thread.start()
        for call, value in enumerate(sent):
            frame = wire.recv_frame(right)
            assert frame is not None and frame.call == call and same(frame.value, value)
        assert wire.recv_frame(right) is None
        thread.join()


def test_a_cut_stream_is_an_error() -> None:
    """A stream that ends at any place within a frame gives WireError."""
    data = whole_frame(1, "a" * 300)
    for cut in [*range(1, 40), len(data) - 1]:
        left, right = socket.socketpair()
        with left, right:
            left.sendall(data[:cut])
            left.shutdown(socket.SHUT_WR)
            with pytest.raises(WireError, match="ends within"):
                wire.recv_frame(right)


def test_random_streams() -> None:
    """Random bytes on a stream end in WireError or in waiting, never in anything else."""
    generator = random.Random(0)
    for _ in range(2000):
        reader = FrameReader()
        data = generator.randbytes(200)
        size = generator.randrange(100)
        try:
            while reader.feed(size.to_bytes(4, "little") + data):
                pass
        except WireError:
            pass
