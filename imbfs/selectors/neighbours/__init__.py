"""Selectors that compare near samples."""
