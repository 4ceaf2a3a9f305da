"""Reference of triton_swiglu_rmsnorm: each row is read once, kept in registers, and written once."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = 8192  # columns: up to here a row is one block; wider rows are several, of which only the last is padded
WARPS = 16
WIDE_WARPS = 32  # a thread block of 1024 threads, the largest there is


@triton.jit
def _row_kernel(gate, up, weight, out, gate_stride, up_stride, out_stride, width, eps, BLOCK: tl.constexpr):
    """One program per row. Several rows fit into one processor and hide each other's waiting."""
    row = tl.program_id(0).to(tl.int64)  # row * stride passes 2**31 in a large batch
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    g = tl.load(gate + row * gate_stride + columns, mask=inside).to(tl.float32)
    u = tl.load(up + row * up_stride + columns, mask=inside).to(tl.float32)
    h = tl.where(inside, g * tl.sigmoid(g) * u, 0.0)  # outside the row: nothing to add to the sum of squares
    scale = tl.rsqrt(tl.sum(h * h) / width + eps)
    w = tl.load(weight + columns, mask=inside).to(tl.float32)
    tl.store(out + row * out_stride + columns, (h * scale * w).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _read(row, width, there, BLOCK: tl.constexpr, BLOCKS: tl.constexpr):
    """Load one row block by block, in the dtype that it has in memory; no other program needs it."""
    blocks = ()
    for b in tl.static_range(BLOCKS):
        columns = b * BLOCK + tl.arange(0, BLOCK)
        part = tl.load(row + columns, mask=(columns < width) & there, other=0.0, eviction_policy="evict_first")
        blocks = blocks + (part,)  # noqa: RUF005
    return blocks


@triton.jit
def _wide_kernel(
    gate, up, weight, out, gate_stride, up_stride, out_stride, rows, width, eps,
    BLOCK: tl.constexpr, BLOCKS: tl.constexpr,
):  # fmt: skip
    """One program per processor, walking through the rows: two wide rows do not fit into one."""
    row = tl.program_id(0).to(tl.int64)
    gates = _read(gate + row * gate_stride, width, True, BLOCK, BLOCKS)
    while row < rows:
        ups = _read(up + row * up_stride, width, True, BLOCK, BLOCKS)
        hidden = ()
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for b in tl.static_range(BLOCKS):
            g = gates[b].to(tl.float32)
            h = g * tl.sigmoid(g) * ups[b].to(tl.float32)
            squares += h * h
            hidden = hidden + (h,)  # noqa: RUF005
        # The next row's gate travels while this one is summed and written; for its up registers run out.
        following = row + tl.num_programs(0)
        gates = _read(gate + following * gate_stride, width, following < rows, BLOCK, BLOCKS)
        scale = tl.rsqrt(tl.sum(squares) / width + eps)
        for b in tl.static_range(BLOCKS):
            columns = b * BLOCK + tl.arange(0, BLOCK)
            inside = columns < width
            w = tl.load(weight + columns, mask=inside).to(tl.float32)
            y = (hidden[b] * scale * w).to(out.dtype.element_ty)
            tl.store(out + row * out_stride + columns, y, mask=inside, cache_modifier=".cs")
        row = following


def swiglu_rmsnorm(gate: torch.Tensor, up: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Compute y = RMSNorm(silu(gate) * up) * weight over the last dimension, in one kernel launch."""
    if up.shape != gate.shape:
        raise ValueError(f"gate is {tuple(gate.shape)}, but up is {tuple(up.shape)}")
    if weight.shape != gate.shape[1:]:
        raise ValueError(f"rows are {gate.shape[1]} wide, but weight is {tuple(weight.shape)}")
    out = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
    _launch(gate, up, weight, eps, out)
    return out


def swiglu_rmsnorm_into(
    buffer: torch.Tensor, row: int, column: int, gate_up: torch.Tensor, weight: torch.Tensor, eps: float
) -> torch.Tensor:
    """Compute the same on the output of a fused projection, and write it into a block of a larger buffer."""
    rows, width = len(gate_up), len(weight)
    if gate_up.shape[1] != 2 * width:
        raise ValueError(f"gate_up has {gate_up.shape[1]} columns, but weight asks for {2 * width}")
    block = buffer[row : row + rows, column : column + width]
    if block.shape != (rows, width):
        raise ValueError(f"{rows} x {width} at ({row}, {column}) exceeds {tuple(buffer.shape)}")
    _launch(gate_up[:, :width], gate_up[:, width:], weight, eps, block)
    return buffer


def _launch(gate: torch.Tensor, up: torch.Tensor, weight: torch.Tensor, eps: float, out: torch.Tensor) -> None:
    rows, width = gate.shape
    strides = gate.stride(0), up.stride(0), out.stride(0)
    if width <= BLOCK:
        block = triton.next_power_of_2(width)
        _row_kernel[(rows,)](gate, up, weight, out, *strides, width, eps, BLOCK=block, num_warps=WARPS)
    else:
        programs = min(rows, _processors(gate.device))
        blocks = {"BLOCK": BLOCK, "BLOCKS": triton.cdiv(width, BLOCK)}
        _wide_kernel[(programs,)](gate, up, weight, out, *strides, rows, width, eps, **blocks, num_warps=WIDE_WARPS)


def _processors(device: torch.device) -> int:
    """Streaming multiprocessors of a GPU; the interpreter is one processor, and takes two for the sake of testing."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 2
