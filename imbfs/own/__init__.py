"""A user's own file: taken in with what is odd about it, looked at, its features ranked."""
