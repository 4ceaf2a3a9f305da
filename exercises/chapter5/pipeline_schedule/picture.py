"""Plays four schedules of one step on a clock: four devices, eight micro-batches, what they idle and what they keep."""

STAGES, BATCHES, TIMES = 4, 8, {"F": 1, "I": 1, "W": 1, "B": 2}
KINDS = {"gpipe": ("GPipe", 1), "1f1b": ("1F1B", 1), "interleaved": ("interleaved, v = 2", 2), "zb-h1": ("ZB-H1", 1)}
COLOURS = {"F": "#2f6fb0", "B": "#5a9e6f", "I": "#b5523b", "W": "#e0a03c"}
NAMES = {"F": "forward", "B": "backward", "I": "gradient of the input", "W": "gradient of the weights"}
INK, GAP = "#333333", 1.5


def draw(learner, axes):
    """Draw the learner's four schedules, pass by pass, with bubble and passes in flight beside them."""
    for row, (kind, (name, chunks)) in enumerate(KINDS.items()):
        top = row * (STAGES + GAP)
        orders = learner.schedule(kind, STAGES, BATCHES, 1, 1, 1, chunks)
        ends = 0
        for device, start, length, (letter, k, chunk) in played(orders, chunks):
            shade = 0.6 if chunk else 1
            axes.broken_barh(
                [(start, length)], (top + device, 0.9), color=COLOURS[letter], alpha=shade, ec="white", lw=0.6
            )
            size = 6.5 if length >= 1 else 5
            axes.text(
                start + length / 2, top + device + 0.48, k, ha="center", va="center", fontsize=size, color="white"
            )
            ends = max(ends, start + length)
        axes.plot([ends, ends], [top - 0.1, top + STAGES], color=INK, linewidth=1)
        peaks = ", ".join(str(int(learner.peak_in_flight(list(order)))) for order in orders)
        bubble = float(learner.bubble_fraction(kind, STAGES, BATCHES, 1, 1, 1, chunks))
        units = "\n(halves of a device; pale: chunk 1)" if chunks > 1 else ""
        words = f"{name}\nends at {float(ends):.3g}\nbubble {100 * bubble:.1f} %\nin flight {peaks}{units}"
        axes.text(33.8, top + STAGES / 2, words, va="center", fontsize=8.5, color=INK, linespacing=1.4)
    handles = [axes.broken_barh([(0, 0)], (0, 0), color=COLOURS[each], label=NAMES[each]) for each in "FBIW"]
    style = {"frameon": False, "fontsize": 8.5, "ncols": 4, "handlelength": 0.9, "columnspacing": 1.4}
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(-0.01, 1.06), **style)
    axes.set_title("One step of 4 devices and 8 micro-batches, drawn to time", loc="left", fontsize=11, pad=18)
    ticks = [row * (STAGES + GAP) + device + 0.45 for row in range(len(KINDS)) for device in range(STAGES)]
    axes.set_yticks(ticks, [f"device {device}" for _ in KINDS for device in range(STAGES)], fontsize=7.5)
    axes.set(xlim=(0, 43), ylim=(len(KINDS) * (STAGES + GAP) - GAP + 0.3, -0.4), xlabel="time, in forward passes")
    axes.set_xticks(range(0, 34, 3))
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def played(orders, chunks):
    """Device, start, length and pass, as they come; stops where devices wait for one another for ever."""
    last, ended, clock, at = STAGES * chunks - 1, {}, [0] * STAGES, [0] * STAGES
    moved = True
    while moved:
        moved = False
        for device, order in enumerate(orders):
            while at[device] < len(order):
                letter, k, chunk = order[at[device]]
                link = int(chunk) * STAGES + device
                waits = [("F", k, link - 1)] if letter == "F" and link else []
                waits += [("b", k, link)] if letter == "W" else []
                waits += [("b", k, link + 1)] if letter in "BI" and link < last else []
                if any(each not in ended for each in waits):
                    break
                start, length = max([clock[device], *(ended[each] for each in waits)]), TIMES[letter] / chunks
                yield device, start, length, (letter, int(k), int(chunk))
                clock[device] = ended["b" if letter in "BI" else letter, k, link] = start + length
                at[device] += 1
                moved = True
