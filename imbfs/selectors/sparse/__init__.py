"""Selectors that learn sparse weights from all rows at once."""
