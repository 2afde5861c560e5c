"""Second-order learners that select features batch by batch: SBCW and ASCW, [Liu2019]."""

from imbfs.online.confidence.learners import ASCW, SBCW

__all__ = ["ASCW", "SBCW"]
