"""Model memory: what a transformer weighs, while it trains and while it is served.

Read README.md first. A ``config`` says what a decoder-only transformer is made of. It is a dict with all of
these keys:

    vocab       rows of the token embedding, at least 1
    positions   rows of a learned table of positions; 0 where positions are rotary and nothing is learned
    hidden      d, width of the residual stream, at least 1
    layers      L, number of layers, at least 0
    heads       query heads, at least 1
    kv_heads    heads of keys and of values, at least 1; must divide heads
    head_dim    width of one head, at least 1; need not be hidden / heads
    ffn         width of the MLP, at least 1
    gated       True: gate, up and down projection (SwiGLU); False: up and down projection
    norm        "rmsnorm": a weight; "layernorm": a weight and a bias
    bias        which linear layers have a bias: "none", "qkv" (query, key and value projection only) or "all"
                (every linear layer of attention and MLP). The output head never has one.
    tied        True: the output head is the token embedding itself; False: it is a matrix of its own

Sizes are Python integers. Values out of range are not tested, apart from what "Raises" names. Results are exact: Python
or numpy integers, or floats of exactly the same value, in dicts in any order.
"""

from typing import Any


def count_parameters(config: dict[str, Any]) -> dict[str, int]:
    """Count the parameters of a model, part by part.

    Each layer has two norms, attention (query, key, value and output projection) and an MLP. One more norm
    follows the last layer, then the output head. A tensor that is used twice is counted once.

    Args:
        config: see above.

    Returns:
        a dict with these keys:
        "embedding": token embedding and table of positions;
        "attention", "mlp": weights and biases, all layers together;
        "norms": all norms, the last one included;
        "head": the output head where it is a matrix of its own, otherwise 0;
        "total": all of them.

    Raises:
        ValueError: ``kv_heads`` does not divide ``heads``.

    Example:
        >>> tiny = {"vocab": 10, "positions": 0, "hidden": 8, "layers": 2, "heads": 2, "kv_heads": 1,
        ...         "head_dim": 4, "ffn": 12, "gated": True, "norm": "rmsnorm", "bias": "none", "tied": False}
        >>> count_parameters(tiny)
        {'embedding': 80, 'attention': 384, 'mlp': 576, 'norms': 40, 'head': 80, 'total': 1160}
    """
    raise NotImplementedError


def state_bytes(params: int, recipe: str) -> dict[str, int]:
    """Bytes of training state that a model takes on one GPU, nothing sharded.

    README.md says which tensors each recipe keeps, and in which format.

    Args:
        params: Ψ, number of parameters, from 0 to 10**13.
        recipe: "mixed_adam", "mixed_adam_fp32_gradients", "fp32_adam", "bf16_adam" or "mixed_adam_8bit".

    Returns:
        a dict with these keys:
        "parameters": the weights that the forward pass uses;
        "gradients": the gradients, in the format in which they are summed up;
        "optimizer": master copy, moments and their scales, as far as the recipe has them;
        "total": all of them.

    Raises:
        ValueError: there is no such recipe.

    Example:
        >>> state_bytes(1000, "mixed_adam")
        {'parameters': 2000, 'gradients': 2000, 'optimizer': 12000, 'total': 16000}
    """
    raise NotImplementedError


def kv_cache_bytes(config: dict[str, Any], batch: int, length: int, bytes_per_value: int = 2) -> int:
    """Bytes of the keys and values that are kept for all tokens seen so far, so that none is computed twice.

    Args:
        config: see above.
        batch: sequences, at least 0.
        length: tokens in each of them, at least 0.
        bytes_per_value: 2 for bf16 (the default), 1 for fp8, 4 for fp32.

    Returns:
        bytes.

    Raises:
        ValueError: ``kv_heads`` does not divide ``heads``.

    Example:
        >>> tiny = {"vocab": 10, "positions": 0, "hidden": 8, "layers": 2, "heads": 2, "kv_heads": 1,
        ...         "head_dim": 4, "ffn": 12, "gated": True, "norm": "rmsnorm", "bias": "none", "tied": False}
        >>> kv_cache_bytes(tiny, batch=3, length=5)
        480
    """
    raise NotImplementedError
