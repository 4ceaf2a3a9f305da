"""What the statement of mfu hands over: a small GPT in training, on a device that works while the program goes on.

``from given import Trainer`` finds it. The steps are real: torch computes loss and gradients and updates the weights.
The time is not: the device takes as many seconds for each step as it is told, and the clock is the device's own.
"""

from typing import Any

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

LAUNCH_S = 1e-3  # what the program is busy with a step, while the device works


Weights = list[torch.Tensor]


def layer(x: torch.Tensor, weights: Weights, heads: int) -> torch.Tensor:
    """Attention and an MLP, each with a residual connection, without masks and norms; x is (batch, seq, hidden)."""
    qkv, out, up, down = weights
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in (x @ qkv).chunk(3, -1))
    seen = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
    x = x + seen.transpose(1, 2).flatten(2) @ out
    return x + functional.gelu(x @ up) @ down


class Counter(TorchDispatchMode):
    """Adds up the FLOPs of all operations inside ``with``: torch's FlopCounterMode without its tables by module.

    That one is what to use elsewhere. It imports the compiler when it meets its first operation, which takes a second.
    """

    def __init__(self) -> None:
        from torch.utils.flop_counter import flop_registry  # here, since it takes a while, and not everybody counts

        super().__init__()
        self.flops, self._formulas = 0, flop_registry

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # spares the import

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and count it, if there is a formula for it."""
        out = func(*args, **(kwargs or {}))
        formula = self._formulas.get(func._overloadpacket)
        if formula is not None:
            self.flops += formula(*args, **(kwargs or {}), out_val=out)
        return out


class Trainer:
    """A training run of a small GPT on one virtual device.

    Args:
        config: integers under "vocab", "hidden", "heads" (divides hidden), "layers", "ffn", "seq" and "batch"; and
            "recompute", True or False: whether the layers are computed again for the backward pass.
        durations: seconds that the device takes for step 0, 1, 2, ...; further steps take as long as the last one.

    Attributes:
        tokens_per_step: tokens of one step.
        model: what the functions ``mfu`` and ``hfu`` call a model.
    """

    def __init__(self, config: dict[str, Any], durations: list[float]) -> None:
        hidden, layers, vocab, ffn = (config[name] for name in ("hidden", "layers", "vocab", "ffn"))
        self._config, self._durations = config, list(durations)
        self._steps, self._now, self._free = 0, 0.0, 0.0
        source = torch.Generator().manual_seed(0)
        self._tokens = torch.randint(vocab, (config["batch"], config["seq"] + 1), generator=source)

        def weight(rows: int, columns: int) -> torch.Tensor:
            return (torch.randn(rows, columns, generator=source) / rows**0.5).requires_grad_()

        sides = [(hidden, 3 * hidden), (hidden, hidden), (hidden, ffn), (ffn, hidden)]
        self._layers = [[weight(*side) for side in sides] for _ in range(layers)]
        self._embedding, self._head = weight(vocab, hidden), weight(hidden, vocab)
        self.tokens_per_step = config["batch"] * config["seq"]
        self.model = {
            "embedding_weights": vocab * hidden,
            "dense_weights": layers * (4 * hidden**2 + 2 * hidden * ffn),
            "expert_weights": 0,
            "experts": 0,
            "active_experts": 0,
            "head_weights": vocab * hidden,
            "layers": layers,
            "heads": config["heads"],
            "head_dim": hidden // config["heads"],
        }

    def step(self) -> None:
        """Run one training step. Like a launch on a GPU, it returns before the device has finished."""
        duration = self._durations[min(self._steps, len(self._durations) - 1)]
        self._steps += 1
        self._free = max(self._now, self._free) + duration
        self._now += LAUNCH_S
        weights, gradients = self._backward()
        with torch.no_grad():
            for each, gradient in zip(weights, gradients, strict=True):
                each -= 0.1 * gradient

    def _loss(self, x: torch.Tensor) -> torch.Tensor:
        """The mean cross entropy of the next tokens, from the output of the last layer."""
        return functional.cross_entropy((x @ self._head).flatten(0, 1), self._tokens[:, 1:].flatten())

    def _backward(self) -> tuple[Weights, Weights]:
        """Weights and their gradients, layer by layer; what is recomputed is not kept before."""
        heads, again = self._config["heads"], self._config["recompute"]
        looked_up = self._embedding[self._tokens[:, :-1]]
        x, kept = looked_up, []
        for weights in self._layers:
            x = x.detach().requires_grad_()
            with torch.set_grad_enabled(not again):
                kept.append((x, layer(x, weights, heads)))
            x = kept[-1][1]
        x = x.detach().requires_grad_()
        gradient, *gradients = torch.autograd.grad(self._loss(x), (x, self._head))
        done = [self._head]
        for weights in reversed(self._layers):
            x, y = kept.pop()
            if again:
                y = layer(x, weights, heads)
            gradient, *of_weights = torch.autograd.grad((y * gradient).sum(), (x, *weights))
            done, gradients = done + weights, gradients + of_weights
        return [*done, self._embedding], [
            *gradients,
            *torch.autograd.grad((looked_up * gradient).sum(), self._embedding),
        ]

    def counted_step(self) -> int:
        """Run one training step and answer its FLOPs, by the formulas of ``torch.utils.flop_counter``."""
        with Counter() as counter:
            self.step()
        return counter.flops

    def synchronize(self) -> None:
        """Wait until the device has finished all steps."""
        self._now = max(self._now, self._free)

    def clock(self) -> float:
        """Seconds since the beginning, as the program sees them. It does not wait for the device."""
        return self._now
