"""Selectors that cut features into bins."""
