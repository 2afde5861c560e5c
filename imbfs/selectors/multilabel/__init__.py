"""Selectors of data whose samples have several labels."""
