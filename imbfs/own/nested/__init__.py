"""What `imbfs benchmark` does: a nested comparison on a user's own data, within a budget."""
