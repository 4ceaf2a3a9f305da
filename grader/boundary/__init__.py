"""The trust boundary: see docs/boundary.md."""
