"""The text of a stream as rows with labels, from any byte on, read and parsed ahead in threads."""
