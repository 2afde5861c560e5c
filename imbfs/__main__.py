"""`python -m imbfs`."""

from imbfs.cli import main

main()
