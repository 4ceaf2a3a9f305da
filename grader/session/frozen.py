"""Plain values held still: copies that no later mutation reaches."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

SCALARS: Final = frozenset({type(None), bool, int, float, complex, str, bytes})


def freeze(value: Any) -> Any:
    """A copy of a plain value; anything else is kept as it is.

    Only containers, arrays and tensors are copied. It happens before each call, and ``copy.deepcopy`` takes
    ten times as long.
    """
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is tuple:
        return tuple([freeze(item) for item in value])
    if kind is list:
        return [freeze(item) for item in value]
    if kind is dict:
        return {key: freeze(item) for key, item in value.items()}
    if kind is np.ndarray:
        return value.copy()
    if kind is set:
        return set(value)
    return value.detach().clone() if is_tensor(value) else value


def is_tensor(value: Any) -> bool:
    """Whether a value is a torch tensor; torch is looked up, never imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)
