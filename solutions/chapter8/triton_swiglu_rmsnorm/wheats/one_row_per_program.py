"""One program per row, the whole row in one block at any width; views tell where rows begin; a root and a division."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def _kernel(gate, up, weight, out, gate_stride, up_stride, out_stride, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    g = tl.load(gate + row * gate_stride + columns, mask=inside, other=0.0).to(tl.float32)
    u = tl.load(up + row * up_stride + columns, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    h = g * tl.sigmoid(g) * u
    y = h / tl.sqrt(tl.sum(h * h, axis=0) / width + eps) * w
    tl.store(out + row * out_stride + columns, y.to(out.dtype.element_ty), mask=inside)


def _launch(gate, up, weight, out, eps):
    rows, width = gate.shape
    if rows == 0:
        return
    block = triton.next_power_of_2(width)
    num_warps = min(max(block // 512, 1), 16)
    _kernel[(rows,)](
        gate, up, weight, out, gate.stride(0), up.stride(0), out.stride(0), width, eps, BLOCK=block, num_warps=num_warps
    )


def swiglu_rmsnorm(gate: torch.Tensor, up: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    if gate.dim() != 2 or up.shape != gate.shape:
        raise ValueError("up must have gate's shape")
    if weight.shape != (gate.shape[1],):
        raise ValueError("weight must be [width]")
    out = torch.empty(gate.shape, dtype=gate.dtype, device=gate.device)
    _launch(gate, up, weight, out, eps)
    return out


def swiglu_rmsnorm_into(
    buffer: torch.Tensor, row: int, column: int, gate_up: torch.Tensor, weight: torch.Tensor, eps: float
) -> torch.Tensor:
    width = weight.shape[0]
    rows = gate_up.shape[0]
    if gate_up.shape[1] != 2 * width:
        raise ValueError("gate_up must be [rows, 2 * width]")
    if row < 0 or column < 0 or row + rows > buffer.shape[0] or column + width > buffer.shape[1]:
        raise ValueError("the block does not fit into the buffer")
    out = buffer[row : row + rows, column : column + width]
    _launch(gate_up[:, :width], gate_up[:, width:], weight, out, eps)
    return buffer
