"""Given: words that every text has."""

STOP_WORDS = frozenset({"a", "and", "of", "the"})
