"""What an online learner knows of two classes: made wider, kept as plain arrays, put to use."""

from imbfs.learner import OnlineLearner
from imbfs.online.confidence.batches import BatchLearner
from imbfs.online.memory.batches import BatchMemory
from imbfs.online.memory.rows import RowMemory

Memory = RowMemory | BatchMemory


def of(learner: OnlineLearner) -> Memory:
    """The memory of a learner, whichever way it learns."""
    return BatchMemory(learner) if isinstance(learner, BatchLearner) else RowMemory(learner)


__all__ = ["BatchMemory", "Memory", "RowMemory", "of"]
