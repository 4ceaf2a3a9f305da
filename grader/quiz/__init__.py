"""The question bank: load it, prove it, ask, mark, remember. It knows no question by name."""
