"""The tail of a gated feed-forward block, SwiGLU and RMSNorm, fused into one Triton kernel.

Your functions allocate and launch; a kernel of yours (a function under ``@triton.jit``) does all the
arithmetic. The same file runs on any CPU through Triton's interpreter and, compiled, on a GPU.
"""

from __future__ import annotations

import torch
import triton  # noqa: F401
import triton.language as tl  # noqa: F401


def swiglu_rmsnorm(gate: torch.Tensor, up: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Compute  y = RMSNorm(silu(gate) * up) * weight  over the last dimension, in one kernel launch.

    With h = silu(gate) * up and silu(x) = x / (1 + exp(-x)), row by row:

        y[r, c] = h[r, c] / sqrt(mean over c of h[r, c]² + eps) * weight[c]

    Args:
        gate: [rows, width], float32 or float16 (bfloat16 too on a GPU). rows may be 0; width is any number
            from 1 to 20,000, not only powers of two. Elements of a row are adjacent (stride(1) = 1); how far
            apart rows are is up to stride(0).
        up: same shape, dtype and device; its stride(0) may differ from gate's.
        weight: [width], contiguous, float32 or gate's dtype.
        eps: positive (the checks: 1e-6 to 1); added to the mean of squares, under the root.

    Returns:
        A new contiguous tensor of gate's shape, dtype and device. All arithmetic is in float32 (h may well be
        larger than the largest float16) and is rounded to the dtype at the end. Tolerated is one more
        rounding to the dtype: of the normed value, before the weight. In float32 |h| stays below 1e18, so
        that h² is finite; NaN and infinity are not tested. gate, up and weight stay as they are.

    Raises:
        ValueError: up's shape is not gate's, or weight's is not [width]. Raised before anything is launched.

    Launches: one, whatever the size; none is also fine where rows is 0.

    Example:
        >>> gate, up = torch.tensor([[1.0, -2.0]]), torch.tensor([[3.0, 0.5]])
        >>> swiglu_rmsnorm(gate, up, torch.tensor([1.0, 2.0]), 1e-6)
        tensor([[ 1.4121, -0.1535]])
    """
    raise NotImplementedError


def swiglu_rmsnorm_into(
    buffer: torch.Tensor, row: int, column: int, gate_up: torch.Tensor, weight: torch.Tensor, eps: float
) -> torch.Tensor:
    """Compute the same on the output of a fused projection, and write it into a block of a larger buffer.

    One matrix product usually yields both inputs at once: the left half of each row of ``gate_up`` is gate,
    the right half is up. They are read where they lie, without a copy. The result goes to
    ``buffer[row : row + rows, column : column + width]``, and no other element of the buffer is touched.

    Args:
        buffer: two-dimensional, contiguous, of gate_up's dtype and device, large enough for the block.
        row: first row of the block, 0 or more (negative ones are not tested).
        column: first column of the block, 0 or more (negative ones are not tested).
        gate_up: [rows, 2 * width], contiguous, otherwise as gate above. For rows = 0 the checks pass a row
            and a column at which a block would fit.
        weight: [width], as above: its length says what width is.
        eps: as above.

    Returns:
        The buffer itself, with the block filled.

    Raises:
        ValueError: gate_up's last dimension is not 2 * width, or the block does not fit into the buffer.

    Launches: one, and none is also fine where rows is 0.

    Hint: one kernel serves both functions, if it is told where each row begins.
    """
    raise NotImplementedError
