"""Start: ``grade --help`` as a process, against a Python that does nothing; and what it imports."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

from measure import ROOT, in_turn, print_table, process_s, ratio

TARGET_MS = 300
HEAVY = ("numpy", "torch", "pytest", "hypothesis", "rich", "jsonschema")


def imported(command: list[str]) -> list[str]:
    """Which of the heavy packages the command imports."""
    timed = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(timed, cwd=ROOT, capture_output=True, text=True, check=True)
    names = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    return [name for name in HEAVY if name in names]


def main() -> None:
    """Time both in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    command = [sys.executable, "-m", "grader", "--help"]
    bare = [sys.executable, "-c", "pass"]
    taken = in_turn(options.rounds, {"help": lambda: process_s(command), "bare": lambda: process_s(bare)})
    figures = [f"{1000 * statistics.median(taken[side]):.0f} ms" for side in ("help", "bare")]
    found = [f"{ratio(taken['help'], taken['bare']):.1f}x", f"{TARGET_MS} ms"]
    row = ["grade --help", *figures, *found, ", ".join(imported(command)) or "none"]
    print_table(["start", "time", "bare Python", "ratio", "at most", "heavy imports"], [row])


if __name__ == "__main__":
    main()
