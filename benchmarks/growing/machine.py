"""What the numbers were taken on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path


def described() -> dict[str, str]:
    """Processor, memory and versions, in words."""
    cores, pages = os.cpu_count(), os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    packages = ("numpy", "numba", "scipy", "scikit-learn", "matplotlib")
    return {
        "processor": _processor(),
        "cores": f"{cores} cores of which one was used",
        "memory": f"{pages / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": f"Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
