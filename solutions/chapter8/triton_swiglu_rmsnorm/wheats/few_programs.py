"""At most 16 programs, each walking through rows; the normed value is rounded before the weight scales it."""

import torch
import triton
import triton.language as tl


@triton.jit
def _walk(gate_ptr, up_ptr, weight_ptr, out_ptr, rows, width, gate_row, up_row, out_row, eps, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    mask = columns < width
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        gate = tl.load(gate_ptr + row * gate_row + columns, mask=mask, other=float("-inf")).to(tl.float32)
        up = tl.load(up_ptr + row * up_row + columns, mask=mask, other=0.0).to(tl.float32)
        hidden = tl.where(mask, gate * tl.sigmoid(gate) * up, 0.0)
        variance = tl.sum(hidden * hidden, axis=0) / width
        normed = (hidden / tl.sqrt(variance + eps)).to(out_ptr.dtype.element_ty)
        scaled = (normed * weight).to(out_ptr.dtype.element_ty)
        tl.store(out_ptr + row * out_row + columns, scaled, mask=mask)


def _check(condition, text):
    if not condition:
        raise ValueError(text)


def swiglu_rmsnorm(gate, up, weight, eps):
    _check(gate.shape == up.shape, "gate and up differ in shape")
    _check(weight.shape == (gate.shape[1],), "weight does not match the width")
    return _fill(torch.empty(gate.shape, dtype=gate.dtype, device=gate.device), gate, up, weight, eps)


def swiglu_rmsnorm_into(buffer, row, column, gate_up, weight, eps):
    _check(gate_up.shape[1] == 2 * weight.shape[0], "gate_up does not match the weight")
    gate, up = gate_up.chunk(2, dim=1)
    block = buffer.narrow(0, min(row, len(buffer)), max(0, min(len(gate), len(buffer) - row)))
    block = block[:, column : column + gate.shape[1]]
    _check(block.shape == gate.shape, "the block does not fit into the buffer")
    _fill(block, gate, up, weight, eps)
    return buffer


def _fill(out, gate, up, weight, eps):
    rows, width = gate.shape
    if rows > 0:
        _walk[(min(rows, 16),)](
            gate, up, weight, out, rows, width, gate.stride(0), up.stride(0), out.stride(0), eps,
            BLOCK=triton.next_power_of_2(width), num_warps=16,
        )  # fmt: skip
    return out
