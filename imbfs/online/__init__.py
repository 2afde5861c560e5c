"""Online learners: selectors that also classify."""

from imbfs.online.pa import MBPA, PA

__all__ = ["MBPA", "PA"]
