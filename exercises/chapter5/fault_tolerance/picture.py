"""Draws goodput against the interval for two sizes of a cluster: the model, simulated runs, and the best intervals."""

import random

MINUTE, HOUR = 60, 3600
GPU_MTBF = 54 * 24 * HOUR / 419 * 16_384  # Llama 3: 419 failures in 54 days of 16,384 GPUs
WRITE, RESTART = 60, 10 * MINUTE
SIZES = {16_384: ("#2f6fb0", 0.6, 0.95), 100_000: ("#b5523b", 1.7, 0.2)}  # colour, and where the words are
MARKS = {"young": "o", "daly": "s", "exact": "x"}
MINUTES = [0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192]
INK = "#333333"


def draw(learner, axes):
    """Draw the learner's goodput, simulated runs of 200 hours of work (dots), and the learner's best intervals."""
    for gpus, (colour, x, y) in SIZES.items():
        mtbf = float(learner.job_mtbf(GPU_MTBF, gpus))
        curve = [float(learner.goodput(each * MINUTE, WRITE, RESTART, mtbf)) for each in MINUTES]
        axes.plot(MINUTES, curve, color=colour, linewidth=1.8)
        for each in (each for each, good in zip(MINUTES[1::3], curve[1::3], strict=True) if good > 0.15):
            axes.plot(each, simulated(learner, each * MINUTE, mtbf), ".", color=colour, alpha=0.5, markersize=9)
        words = f"{gpus:,} GPUs, a failure every {mtbf / HOUR:.2g} h"
        found = {method: float(learner.young_daly(WRITE, mtbf, method)) for method in MARKS}
        for method, tau in found.items():
            good = float(learner.goodput(tau, WRITE, RESTART, mtbf))
            axes.plot(tau / MINUTE, good, MARKS[method], color=INK, markersize=6, fillstyle="none", zorder=3)
        best = ", ".join(f"{method} {tau / MINUTE:.2f} min" for method, tau in found.items())
        axes.text(x, y, words, color=colour, fontsize=9.5)
        axes.text(x, y - 0.045, f"{best}: goodput {100 * good:.1f} %", color=colour, fontsize=8.5)
    axes.set_title("Goodput by work between checkpoints; writing 1 min, restart 10 min", loc="left", fontsize=11)
    axes.set_xscale("log")
    axes.set_xticks([0.5, 1, 2, 4, 8, 16, 32, 64, 128], ["½", "1", "2", "4", "8", "16", "32", "64", "128"])
    axes.minorticks_off()
    axes.set(xlabel="minutes of work between two checkpoints", ylabel="goodput", ylim=(0, 1), xlim=(0.47, 200))
    axes.spines[["top", "right"]].set_visible(False)


def simulated(learner, interval, mtbf):
    """Goodput of a run with random failures, played by the learner."""
    source, now, failures = random.Random(int(interval)), 0.0, []
    while now < 20_000 * HOUR and len(failures) < 5000:
        now += source.expovariate(1 / mtbf)
        failures.append(now)
    run = learner.simulate_run(failures, 200 * HOUR, interval, WRITE, RESTART)
    return 200 * HOUR / float(run["wall"])
