"""Online learners: selectors that also classify."""

from imbfs.online.confidence import ASCW, SBCW
from imbfs.online.cost_sensitive import CS
from imbfs.online.csoal import CSOAL
from imbfs.online.ofs import OFS
from imbfs.online.pa import MBPA, ONPA, PA

__all__ = ["ASCW", "CS", "CSOAL", "MBPA", "OFS", "ONPA", "PA", "SBCW"]
