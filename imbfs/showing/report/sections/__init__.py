"""What the pages of experiments are made of, one module a section or two."""
