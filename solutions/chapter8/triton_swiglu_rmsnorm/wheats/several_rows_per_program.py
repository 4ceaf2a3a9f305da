"""Each program takes up to four rows as a two-dimensional tile; offsets into flat memory instead of views."""

import triton
import triton.language as tl

TILE = 4096  # numbers that a program takes at once, where a row has fewer


@triton.jit
def _tile(gate, up, weight, out, layout, rows, width, eps, R: tl.constexpr, C: tl.constexpr):
    gate_row, up_row, out_row, up_at, out_at = layout
    r = (tl.program_id(0) * R + tl.arange(0, R))[:, None].to(tl.int64)
    c = tl.arange(0, C)[None, :]
    inside = (r < rows) & (c < width)
    g = tl.load(gate + r * gate_row + c, mask=inside, other=0).to(tl.float32)
    u = tl.load(up + up_at + r * up_row + c, mask=inside, other=0).to(tl.float32)
    h = g * u * tl.sigmoid(g)
    mean = tl.sum(h * h, axis=1)[:, None] * (1.0 / width)
    w = tl.load(weight + c, mask=c < width, other=0)
    y = h * tl.rsqrt(mean + eps) * w.to(tl.float32)
    tl.store(out + out_at + r * out_row + c, y.to(out.dtype.element_ty), mask=inside)


def _run(gate, up, weight, out, layout, rows, width, eps):
    if rows:
        columns = triton.next_power_of_2(width)
        tall = min(4, max(1, TILE // columns))
        grid = (triton.cdiv(rows, tall),)
        _tile[grid](gate, up, weight, out, layout, rows, width, eps, R=tall, C=columns, num_warps=16)
    return out


def swiglu_rmsnorm(gate, up, weight, eps):
    rows, width = gate.shape
    if tuple(up.shape) != (rows, width) or tuple(weight.shape) != (width,):
        raise ValueError(f"{tuple(gate.shape)}, {tuple(up.shape)} and {tuple(weight.shape)} do not fit together")
    out = gate.new_empty((rows, width))
    return _run(gate, up, weight, out, (gate.stride(0), up.stride(0), width, 0, 0), rows, width, eps)


def swiglu_rmsnorm_into(buffer, row, column, gate_up, weight, eps):
    rows, both = gate_up.shape
    width = weight.numel()
    if both != 2 * width or buffer.shape[0] < row + rows or buffer.shape[1] < column + width:
        raise ValueError("shapes do not fit together")
    pitch = buffer.shape[1]
    layout = (both, both, pitch, width, row * pitch + column)
    return _run(gate_up, gate_up, weight, buffer, layout, rows, width, eps)
