"""The reference of activation_memory against what autograd keeps of a layer, the paper's table, a played pipeline."""

import itertools
from pathlib import Path

import pytest

from grader.catalog import import_file

torch = pytest.importorskip("torch", reason="measures what autograd keeps of a layer")
checkpoint = pytest.importorskip("torch.utils.checkpoint", reason="recomputes").checkpoint

ROOT = Path(__file__).parents[3]
REFERENCE = import_file(
    ROOT / "solutions" / "chapter2" / "activation_memory" / "reference.py", "reference_of_activation_memory"
)
MODES = ("none", "selective", "full")


class GatheredLinear(torch.autograd.Function):
    """Sequence parallelism's g and a linear layer: keeps this rank's part of the input, and gathers it again."""

    @staticmethod
    def forward(ctx, part, others, weight):
        """Gather the other ranks' parts, multiply, keep one part."""
        ctx.save_for_backward(part, weight)
        ctx.others = others
        return torch.cat([part, *others]) @ weight

    @staticmethod
    def backward(ctx, grad):
        """Gather again; the gradient of the part only, the others' is their own ranks' business."""
        part, weight = ctx.saved_tensors
        whole = torch.cat([part, *ctx.others])
        return (grad @ weight.T)[: len(part)], None, torch.einsum("sbi,sbo->io", whole, grad)


def dropout(x):
    """Dropout with a mask of one byte per element, as on a GPU."""
    return torch.native_dropout(x, 0.1, True)[0]


class Rank:
    """One of t ranks of a transformer layer in bf16: attention and an MLP with GELU, each behind a norm."""

    def __init__(self, config, tp, sp):
        self.tp, self.sp, self.config = tp, sp, config
        hidden, self.heads = config["hidden"], config["heads"] // tp
        self.width = hidden // config["heads"]
        inner = self.heads * self.width
        sides = [(hidden, 3 * inner), (inner, hidden), (hidden, config["ffn"] // tp), (config["ffn"] // tp, hidden)]
        self.qkv, self.out, self.up, self.down = (
            torch.randn(side, dtype=torch.bfloat16).requires_grad_() for side in sides
        )
        self.norms = [torch.ones(hidden, dtype=torch.bfloat16).requires_grad_() for _ in range(2)]

    def enter(self, x, weight):
        """From the stream to the inside, by a column-parallel linear layer."""
        if not self.sp:
            return x @ weight
        return GatheredLinear.apply(x, [torch.zeros_like(x)] * (self.tp - 1), weight)

    def leave(self, x, weight):
        """From the inside to the stream, by a row-parallel one; the sum over ranks keeps nothing."""
        x = x @ weight
        return x[: len(x) // self.tp] if self.sp else x

    def core(self, query, key, value):
        """From Q K^T to the product with V."""
        scores = torch.softmax(query @ key.transpose(-1, -2), dim=-1)
        return dropout(scores) @ value

    def attention(self, x, selective):
        """All of attention on this rank's heads."""
        made = self.enter(x, self.qkv)
        length, batch = made.shape[:2]
        query, key, value = (
            part.reshape(length, batch, self.heads, self.width).permute(1, 2, 0, 3).contiguous()
            for part in made.chunk(3, dim=-1)
        )
        if selective:
            mixed = checkpoint(self.core, query, key, value, use_reentrant=False)
        else:
            mixed = self.core(query, key, value)
        return self.leave(mixed.permute(2, 0, 1, 3).reshape(length, batch, -1), self.out)

    def __call__(self, x, selective=False):
        """The layer."""
        normed = torch.nn.functional.layer_norm(x, x.shape[-1:], self.norms[0])
        x = x + dropout(self.attention(normed, selective))
        normed = torch.nn.functional.layer_norm(x, x.shape[-1:], self.norms[1])
        inside = torch.nn.functional.gelu(self.enter(normed, self.up))
        return x + dropout(self.leave(inside, self.down))

    @property
    def weights(self):
        """What is not an activation."""
        return [self.qkv, self.out, self.up, self.down, *self.norms]


def kept_by_autograd(config, tp, sp, recompute):
    """Bytes of the distinct buffers that autograd keeps, weights and statistics of norms left out."""
    torch.manual_seed(0)
    rank = Rank(config, tp, sp)
    x = torch.randn(
        config["length"] // (tp if sp else 1), config["batch"], config["hidden"], dtype=torch.bfloat16
    ).requires_grad_()
    buffers, weights = {}, {weight.untyped_storage().data_ptr() for weight in rank.weights}
    statistics = config["length"] * config["batch"]

    def keep(tensor):
        storage = tensor.untyped_storage()
        # A norm keeps mean and deviation of each token, which the paper neglects.
        if storage.data_ptr() not in weights and tensor.numel() > statistics:
            buffers[storage.data_ptr()] = (
                storage.nbytes(),
                tensor,
            )  # the tensor is held, so that its place is not reused
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        if recompute == "full":
            y = checkpoint(rank, x, use_reentrant=False)
        else:
            y = rank(x, selective=recompute == "selective")
    total = sum(size for size, _ in buffers.values())
    y.sum().backward()  # what was kept is enough
    return total


LAYERS = [
    {"length": 8, "batch": 2, "hidden": 16, "heads": 4, "ffn": 64, "layers": 1},
    {"length": 24, "batch": 1, "hidden": 32, "heads": 4, "ffn": 44, "layers": 1},
    {"length": 4, "batch": 3, "hidden": 40, "heads": 4, "ffn": 52, "layers": 1},
]


@pytest.mark.parametrize("recompute", MODES)
@pytest.mark.parametrize(("tp", "sp"), [(1, False), (2, False), (4, False), (2, True), (4, True)])
@pytest.mark.parametrize("config", LAYERS, ids=["long", "longer", "wide"])
def test_what_autograd_keeps(config, tp, sp, recompute):
    """A layer written in torch keeps exactly as many bytes, on one rank of t, recomputed or not."""
    assert kept_by_autograd(config, tp, sp, recompute) == REFERENCE.activation_bytes(config, tp, sp, recompute)


MODELS = {  # Korthikanti et al. 2022, table 3: micro-batch, hidden, heads, layers
    "22B": (4, 6144, 64, 48),
    "175B": (1, 12_288, 96, 96),
    "530B": (1, 20_480, 128, 105),
    "1T": (1, 25_600, 160, 128),
}


def published(model):
    """The config of one of the paper's models."""
    batch, hidden, heads, layers = MODELS[model]
    sizes = {"hidden": hidden, "heads": heads, "ffn": 4 * hidden, "layers": layers}
    return {"length": 2048, "batch": batch, **sizes}


@pytest.mark.parametrize("model", MODELS)
def test_table_2(model):
    """The six rows of table 2, written as the paper does."""
    config = published(model)
    s, b, h, a, t = config["length"], config["batch"], config["hidden"], config["heads"], 8
    rows = {
        (1, False, "none"): s * b * h * (34 + 5 * a * s / h),
        (t, False, "none"): s * b * h * (10 + 24 / t + 5 * a * s / (h * t)),
        (t, True, "none"): s * b * h * (34 / t + 5 * a * s / (h * t)),
        (t, False, "selective"): s * b * h * (10 + 24 / t),
        (t, True, "selective"): s * b * h * 34 / t,
        (t, False, "full"): s * b * h * 2,
    }
    for args, want in rows.items():
        assert REFERENCE.activation_bytes(config, *args) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize(("model", "percent"), [("175B", 70), ("530B", 65)])
def test_savings_of_selective_recomputation(model, percent):
    """Selective recomputation saves 70 % for GPT-3 and 65 % for MT-NLG (section 5)."""
    none, selective = (REFERENCE.activation_bytes(published(model), 8, True, mode) for mode in MODES[:2])
    assert round(100 * (1 - selective / none)) == percent


@pytest.mark.parametrize("model", MODELS)
def test_shares_of_figure_7(model):
    """Against tensor parallelism alone: both techniques leave about 20 %, full recomputation 10 % (6.1)."""
    config = published(model)
    alone = REFERENCE.activation_bytes(config, 8, False, "none")
    assert REFERENCE.activation_bytes(config, 8, True, "selective") < 0.21 * alone
    assert 0.07 < REFERENCE.activation_bytes(config, 8, False, "full") / alone < 0.11


def play(pp, micro_batches):
    """1F1B played on a clock, each pass waiting for its neighbour: the most that each stage has in flight."""
    orders = []
    for stage in range(pp):
        warm_up = min(pp - 1 - stage, micro_batches)
        orders.append(["F"] * warm_up + ["F", "B"] * (micro_batches - warm_up) + ["B"] * warm_up)
    done = [{"F": 0, "B": 0} for _ in range(pp)]
    most = [0] * pp
    while any(orders):
        before = [dict(each) for each in done]
        for stage, order in enumerate(orders):
            if not order:
                continue
            neighbour = stage - 1 if order[0] == "F" else stage + 1
            fed = before[neighbour][order[0]] if 0 <= neighbour < pp else micro_batches
            if fed > done[stage][order[0]]:
                done[stage][order.pop(0)] += 1
                most[stage] = max(most[stage], done[stage]["F"] - done[stage]["B"])
        assert done != before, "the schedule is stuck"
    return most


@pytest.mark.parametrize(("pp", "micro_batches"), list(itertools.product((1, 2, 3, 5, 8), (1, 2, 4, 8, 13))))
def test_pipeline_that_is_played(pp, micro_batches):
    """Each stage keeps what a played 1F1B schedule has in flight there."""
    config = {**LAYERS[0], "layers": 3 * pp}
    layer = REFERENCE.activation_bytes(config, 2, True, "none")
    kept = [REFERENCE.stage_activation_bytes(config, 2, True, "none", pp, i, micro_batches) for i in range(pp)]
    assert kept == [3 * most * layer for most in play(pp, micro_batches)]


def test_plans_of_a_gpt3_stage():
    """The picture's plan: two layers keep everything and ten are selective; with more memory nothing is recomputed."""
    config = published("175B")
    core = 4 * 2048**2 * 12_288 // 10**6
    costs = {"none": 0, "selective": core, "full": core + 24 * 2048 * 12_288**2 // 10**6}
    options = {mode: (8 * REFERENCE.activation_bytes(config, 8, False, mode), costs[mode]) for mode in MODES}
    plan = REFERENCE.best_recompute(12, 36_350_000_000, options)
    assert plan == {"none": 2, "selective": 10, "full": 0}
    assert REFERENCE.best_recompute(12, 56 * 10**9, options) == {"none": 12, "selective": 0, "full": 0}
    assert REFERENCE.best_recompute(12, 4 * 10**9, options) is None


def test_picture():
    """The picture draws 32 bars, the line of the memory that is left, and the plan."""
    figure = pytest.importorskip("matplotlib.figure", reason="draws the picture").Figure()
    picture = import_file(
        ROOT / "exercises" / "chapter2" / "activation_memory" / "picture.py", "picture_of_activation_memory"
    )
    axes = figure.subplots()
    picture.draw(REFERENCE, axes)
    heights = [bar.get_height() for bar in axes.patches]
    assert len(heights) == 32
    assert max(heights) == pytest.approx(55.566, abs=0.001)
    assert any("none 2, selective 10, full 0" in text.get_text() for text in axes.texts)
