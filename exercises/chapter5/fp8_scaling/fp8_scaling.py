"""FP8 scaling: how tensors are brought into the range of E4M3, and multiplied there.

Read README.md first. FP8 numbers are handed around as arrays of floats whose entries are numbers that E4M3 has;
``given.to_e4m3`` rounds to them. The largest is 448. Arrays are numpy arrays, of float32 where they are arguments.
"""

import numpy as np


def delayed_scale(history: list[float], scale: float, algorithm: str, margin: int = 0) -> float:
    """The scale of the next step, from the largest absolute values (amax) of the last steps.

    The amax that counts is the largest of the history ("max") or its last entry ("most_recent"). The new scale is
    448 / amax / 2**margin. Where this amax is 0 or infinite the scale stays what it is.

    Args:
        history: amax of the last steps, oldest first, this step's last; 1 to 1024 entries. Each is 0, infinity, or from
            1e-30 to 1e30; NaN is not tested.
        scale: the scale of this step, above 0.
        algorithm: "max" or "most_recent".
        margin: powers of two that are kept free, an integer from 0 to 10.

    Returns:
        the scale, to a relative error of 1e-5.

    Raises:
        ValueError: there is no such algorithm.

    Example:
        >>> delayed_scale([1.0, 2.0, 10.0], 224.0, "max")
        44.8
    """
    raise NotImplementedError


def quantize(x: np.ndarray, scale: float) -> np.ndarray:
    """Multiply by a scale that may be too large, and cast to E4M3 with saturation.

    Args:
        x: float32, any shape; finite numbers with x * scale below 1e30, and infinities. NaN stays NaN.
        scale: from 1e-6 to 1e6.

    Returns:
        x * scale as E4M3 numbers: an array of floats of the shape of ``x``. What is beyond 448 becomes 448, and below
        -448 it becomes -448. Only NaN becomes NaN.

    Example:
        >>> quantize(np.array([1.0, 1.07, -3.0], dtype=np.float32), 224.0)
        array([ 224.,  240., -448.], dtype=float32)
    """
    raise NotImplementedError


def blockwise_quantize(
    x: np.ndarray, block: tuple[int, int], power_of_two: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Cut a matrix into blocks, and quantize each with a scale factor of its own, from its own amax.

    The scale factor is sf = max(amax, 1e-4) / 448, and the block is x / sf as E4M3 numbers, so that x is about
    q * sf. (Note that it divides, where ``quantize`` multiplies.)

    Blocks are counted from the upper left corner. Where a side of the matrix is no multiple of the block's, the last
    blocks are smaller.

    Args:
        x: float32, shape (rows, columns), at least one of each; finite, up to 1e30.
        block: rows and columns of a block, each from 1 on: (1, 128) for activations, (128, 128) for weights.
        power_of_two: round sf up to the next power of two; one that is a power of two stays.

    Returns:
        - q: E4M3 numbers, an array of floats of the shape of ``x``, never NaN;
        - sf: an array of floats, one per block, with as many rows and columns as there are blocks; to a relative error
          of 1e-6, and exact powers of two where these are asked for.

        Whether x is divided by sf or multiplied by 1 / sf is free, and so is float32 or float64: values that are
        that near to the middle between two E4M3 numbers may be rounded to either.

    Example:
        >>> q, sf = blockwise_quantize(np.array([[1.0, 2.0, 896.0]], dtype=np.float32), (1, 2))
        >>> q, sf
        (array([[224., 448., 448.]], dtype=float32), array([[0.00446429, 2.        ]], dtype=float32))
    """
    raise NotImplementedError


def fp8_matmul(qa: np.ndarray, sa: np.ndarray, qb: np.ndarray, sb: np.ndarray, block: int = 128) -> np.ndarray:
    """Multiply activations with weights, both quantized in blocks, and undo the scales.

    Entry (i, j) of the result is the sum over all blocks b along k of

        sa[i, b] * sb[j // block, b] * (sum over the k of block b of qa[i, k] * qb[j, k])

    Args:
        qa: E4M3 numbers, float32, shape (m, k): activations, quantized in blocks of (1, block).
        sa: their scale factors, float32, shape (m, number of blocks along k).
        qb: E4M3 numbers, float32, shape (n, k): weights, quantized in blocks of (block, block). A row belongs to an
            output, so that the result is about activations times weights transposed.
        sb: their scale factors, float32, shape (number of blocks along n, number of blocks along k).
        block: side of a block; the last one along n and along k may be smaller.

    Returns:
        array of floats, float32 or float64, shape (m, n). Products and sums in float32 are precise enough. For
        m = n = 512, k = 4096 and blocks of 32, at most 80 MiB may be taken beyond the arguments.

    Example:
        >>> one, two = np.ones((1, 2), dtype=np.float32), np.full((1, 1), 2, dtype=np.float32)
        >>> fp8_matmul(one, two, 3 * one, two, block=2)
        array([[24.]], dtype=float32)
    """
    raise NotImplementedError
