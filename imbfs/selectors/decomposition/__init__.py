"""Selection on pseudo-classes of like size."""
