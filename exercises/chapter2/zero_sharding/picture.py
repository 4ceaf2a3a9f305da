"""Draws the bytes per GPU against the number of GPUs, stage beside stage, under the line of an 80 GB GPU."""

PARAMS, HBM = 13_000_000_000, 80  # a model of Llama 2's middle size; GB of an H100
GPUS = (1, 4, 16, 64, 256)
RECIPE = {"optimizer": 12, "gradients": 2, "parameters": 2}
COLOURS = {"optimizer": "#2f6fb0", "gradients": "#e0a03c", "parameters": "#5a9e6f"}
INK, WIDTH = "#333333", 0.2


def draw(learner, axes):
    """Draw zero_bytes_per_gpu of the learner for 13 billion parameters, stacked by state."""
    for stage in range(4):
        for place, dp in enumerate(GPUS):
            draw_bar(axes, place + (stage - 1.5) * (WIDTH + 0.02), gigabytes(learner, stage, dp), stage)
    axes.axhline(HBM, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    handles = [axes.bar(0, 0, color=colour, label=state) for state, colour in COLOURS.items()]
    style = {"frameon": False, "fontsize": 8.5, "handlelength": 0.9, "handletextpad": 0.5, "borderpad": 0}
    axes.legend(handles=handles[::-1], loc="lower left", bbox_to_anchor=(0.265, 0.7), **style)
    # Stage 0 leaves room above the other bars of each group.
    note(axes, 2, "Smallest N", (f"{stage}: {smallest(learner, stage)}" for stage in range(4)))
    sent = [int(learner.zero_traffic(PARAMS, stage, 64)) / PARAMS for stage in range(4)]
    note(axes, 3, "Sent per step", (f"{stage}: {models:.2f} Ψ" for stage, models in enumerate(sent)))
    note(axes, 4, f"HBM of a GPU\n{HBM} GB", ())
    axes.set_title("State of 13 billion parameters, mixed precision, ZeRO stages 0 to 3", loc="left", fontsize=11)
    axes.set_xticks(range(len(GPUS)), [f"N = {dp}" for dp in GPUS])
    axes.tick_params(axis="x", length=0, pad=16)
    axes.set(ylabel="GB per GPU", ylim=(0, 225), xlim=(-0.55, len(GPUS) - 0.45))
    axes.spines[["top", "right"]].set_visible(False)


def smallest(learner, stage):
    """How many GPUs the learner finds necessary."""
    return learner.smallest_dp_that_fits(PARAMS, stage, RECIPE, HBM * 10**9, 1024) or "none"


def note(axes, place, heading, lines):
    """A few words above the line, in the group at ``place``."""
    text = "\n".join([heading, *lines])
    axes.text(place - 0.2, HBM + 3, text, ha="left", va="bottom", fontsize=8.5, color=INK, linespacing=1.4)


def gigabytes(learner, stage, dp):
    """GB of each state: the learner's answer for recipes that have this state only."""
    nothing = dict.fromkeys(RECIPE, 0)
    return {
        state: int(learner.zero_bytes_per_gpu(PARAMS, stage, dp, {**nothing, state: size})) / 1e9
        for state, size in RECIPE.items()
    }


def draw_bar(axes, x, parts, stage):
    """One stacked bar, its stage beneath and its height above."""
    base = 0
    for state, height in parts.items():
        axes.bar(x, height, WIDTH, bottom=base, color=COLOURS[state], linewidth=0)
        base += height
    axes.text(x, base + 2, f"{base:.3g}", ha="center", fontsize=7.5, color=INK)
    axes.text(x, -3, str(stage), ha="center", va="top", fontsize=8, color=INK)
