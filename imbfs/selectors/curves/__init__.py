"""Selectors by areas under the curves of single features."""
