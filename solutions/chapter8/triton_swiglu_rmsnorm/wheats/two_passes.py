"""A row in pieces of 1024 columns: one pass sums the squares, another reads gate and up again and writes."""

import torch
import triton
import triton.language as tl


@triton.jit
def _hidden(gate, up, columns, width):
    g = tl.load(gate + columns, mask=columns < width, other=0.0).to(tl.float32)
    u = tl.load(up + columns, mask=columns < width, other=0.0).to(tl.float32)
    return g / (1.0 + tl.exp(-g)) * u


@triton.jit
def _kernel(gate, up, weight, out, gate_row, up_row, out_row, width, eps, PIECE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    gate += row * gate_row
    up += row * up_row
    out += row * out_row
    squares = tl.zeros([PIECE], dtype=tl.float32)
    for start in range(0, width, PIECE):
        h = _hidden(gate, up, start + tl.arange(0, PIECE), width)
        squares += h * h
    root = tl.sqrt(tl.sum(squares) / width + eps)
    for start in range(0, width, PIECE):
        columns = start + tl.arange(0, PIECE)
        w = tl.load(weight + columns, mask=columns < width, other=0.0).to(tl.float32)
        y = _hidden(gate, up, columns, width) / root * w
        tl.store(out + columns, y.to(out.dtype.element_ty), mask=columns < width)


def swiglu_rmsnorm(gate, up, weight, eps):
    if gate.shape != up.shape or weight.shape != gate.shape[-1:]:
        raise ValueError("shapes do not fit")
    rows, width = gate.shape
    out = torch.empty_like(gate, memory_format=torch.contiguous_format)
    _kernel[(rows,)](gate, up, weight, out, gate.stride(0), up.stride(0), width, width, eps, PIECE=1024)
    return out


def swiglu_rmsnorm_into(buffer, row, column, gate_up, weight, eps):
    rows, width = len(gate_up), len(weight)
    if gate_up.shape[1] != 2 * width:
        raise ValueError("gate_up must be twice as wide as weight")
    block = buffer[row : row + rows, column : column + width]
    if block.shape != (rows, width):
        raise ValueError("the block does not fit")
    if rows > 0:
        _kernel[(rows,)](
            gate_up,
            gate_up[:, width:],
            weight,
            block,
            2 * width,
            2 * width,
            buffer.shape[1],
            width,
            eps,
            PIECE=1024,
        )
    return buffer
