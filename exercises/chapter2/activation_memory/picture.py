"""Draws what each pipeline stage of GPT-3 keeps, four ways, under what an 80 GB GPU has left beside its state."""

GPT3 = {"length": 2048, "batch": 1, "hidden": 12_288, "heads": 96, "ffn": 49_152, "layers": 96}
TP, PP, MICRO_BATCHES = 8, 8, 64  # Korthikanti et al. 2022, table 3
STATE = 16 * 174_600_000_000 / (TP * PP) / 1e9  # GB of weights, gradients and Adam on each of the 64 GPUs
LEFT = 80 - STATE
WAYS = {  # label: sp, recompute, colour
    "tensor parallel": (False, "none", "#b5523b"),
    "and sequence parallel": (True, "none", "#e0a03c"),
    "both, selective": (True, "selective", "#5a9e6f"),
    "tensor parallel, full": (False, "full", "#2f6fb0"),
}
INK, WIDTH = "#333333", 0.19


def draw(learner, axes):
    """Draw the learner's stage_activation_bytes of GPT-3, and best_recompute's plan for the first stage."""
    for place, (label, (sp, recompute, colour)) in enumerate(WAYS.items()):
        heights = [gigabytes(learner, sp, recompute, stage) for stage in range(PP)]
        left = [stage + (place - 1.5) * (WIDTH + 0.015) for stage in range(PP)]
        axes.bar(left, heights, WIDTH, color=colour, linewidth=0, label=label)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # hides the line behind a number
        axes.text(left[0], heights[0] + 0.7, f"{heights[0]:.3g}", ha="center", fontsize=7.5, color=INK, bbox=paper)
    axes.axhline(LEFT, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(PP - 0.5, LEFT + 0.7, f"left beside the state: {LEFT:.0f} of 80 GB", ha="right", fontsize=8.5, color=INK)
    axes.legend(loc="upper right", frameon=False, fontsize=8.5, ncols=2, handlelength=0.9, columnspacing=1.2)
    axes.text(PP - 0.5, LEFT - 1.2, plan_text(learner), ha="right", va="top", fontsize=8.5, color=INK, linespacing=1.4)
    axes.set_title("Activations of GPT-3 on 8 stages of 8 GPUs, under 1F1B", loc="left", fontsize=11)
    axes.set_xticks(range(PP), [f"stage {stage}" for stage in range(PP)])
    axes.tick_params(axis="x", length=0)
    axes.set(ylabel="GB per GPU", ylim=(0, 66), xlim=(-0.55, PP - 0.45))
    axes.spines[["top", "right"]].set_visible(False)


def gigabytes(learner, sp, recompute, stage):
    """GB on one GPU of a stage."""
    return float(learner.stage_activation_bytes(GPT3, TP, sp, recompute, PP, stage, MICRO_BATCHES)) / 1e9


def plan_text(learner):
    """The plan that the learner finds for the first stage, without sequence parallelism."""
    length, hidden = GPT3["length"], GPT3["hidden"]
    core = 4 * length**2 * hidden // 10**6  # millions of FLOPs: appendix A of the paper
    costs = {"none": 0, "selective": core, "full": core + 24 * length * hidden**2 // 10**6}
    options = {mode: (PP * int(learner.activation_bytes(GPT3, TP, False, mode)), cost) for mode, cost in costs.items()}
    plan = learner.best_recompute(GPT3["layers"] // PP, int(LEFT * 1e9), options)
    if plan is None:
        return "no plan fits stage 0 without sequence parallelism"
    layers = ", ".join(f"{mode} {int(plan.get(mode, 0))}" for mode in costs)
    return f"stage 0 without sequence parallelism,\ncheapest plan for its {GPT3['layers'] // PP} layers: {layers}"
