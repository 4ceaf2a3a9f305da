"""Many learners at once: what was handed in, in whatever layout, graded into one ledger, told in many formats.

``readers`` finds who handed in what, ``run`` grades what the ledger does not know yet, ``reports`` tells it.
"""
