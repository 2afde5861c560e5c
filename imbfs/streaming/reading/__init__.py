"""The text of a stream as rows with labels, from any byte on, parsed ahead in a thread."""
