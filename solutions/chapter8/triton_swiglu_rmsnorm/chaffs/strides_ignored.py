"""Row r begins at r * width.
Killed by: test_fused_projection_is_read_in_place
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _kernel(gate, up, weight, out, gate_row, up_row, out_row, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    g = tl.load(gate + row * gate_row + columns, mask=inside, other=0.0).to(tl.float32)
    u = tl.load(up + row * up_row + columns, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    h = g * tl.sigmoid(g) * u
    scale = tl.rsqrt(tl.sum(h * h, axis=0) / width + eps)
    tl.store(out + row * out_row + columns, (h * scale * w).to(out.dtype.element_ty), mask=inside)


def swiglu_rmsnorm(gate, up, weight, eps):
    if gate.shape != up.shape or weight.shape != gate.shape[1:]:
        raise ValueError("shapes do not fit")
    out = torch.empty_like(gate)
    launch(gate, up, weight, out, eps)
    return out


def swiglu_rmsnorm_into(buffer, row, column, gate_up, weight, eps):
    rows, width = gate_up.shape[0], weight.shape[0]
    block = buffer[row : row + rows, column : column + width]
    if gate_up.shape[1] != 2 * width or block.shape != (rows, width):
        raise ValueError("shapes do not fit")
    launch(gate_up[:, :width], gate_up[:, width:], weight, block, eps)
    return buffer


def launch(gate, up, weight, out, eps):
    rows, width = gate.shape
    strides = width, width, out.stride(0)
    if rows:
        _kernel[(rows,)](gate, up, weight, out, *strides, width, eps, BLOCK=triton.next_power_of_2(width))
