"""Learning from streams larger than memory: one pass over text, a model that goes on later."""
