"""Selectors from outside that misbehave, drawn at random: write, raise, warn, return anything."""

import random

HEAD = """\
import sys, warnings
import numpy as np
import pandas as pd
from scipy.sparse import csr_array

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class Own(BaseException):
    pass

class Odd(np.ndarray):
    def __array_finalize__(self, other):
        self.note = 1

def deeper(n=0):
    return deeper(n + 1)

def score(X, y):
"""
FIRST = (
    "pass",
    "X *= 0",
    "X[:] = 1",
    "X[0, 0] = np.nan",
    "X += 1e300",
    "X.sort(axis=0)",
    "np.random.default_rng(0).shuffle(X)",
    "np.nan_to_num(X, copy=False)",
    "np.multiply(X, 0, out=X)",
    "y[:] = 1",
    "y *= -1",
    "y.sort()",
    "X.resize((2, 2))",
    "X.shape = (-1,)",
    "del X, y",
    "np.seterr(all='raise')",
    "np.seterr(all='ignore')",
    "np.random.seed(3)",
    "warnings.simplefilter('error')",
    "warnings.warn('odd \\x1b[31m\\n \\ud800')",
    "warnings.warn(Mute())",
    "warnings.filterwarnings('ignore')",
    "np.zeros(3) / 0",
)
RAISES = (
    "raise ValueError",
    "raise ValueError('a\\nb\\x1b[31m \\ud800')",
    "raise KeyError(('a', None))",
    "raise Mute",
    "raise Own('mine')",
    "raise GeneratorExit",
    "sys.exit(3)",
    "sys.exit('text')",
    "raise StopIteration",
    "raise MemoryError",
    "raise OSError(28, 'No space left on device')",
    "raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'odd')",
    "raise ExceptionGroup('several', [ValueError(1), KeyError(2)])",
    "raise type('A' * 500, (Exception,), {})('b' * 5000)",
    "raise ValueError from Mute()",
    "deeper()",
    "assert False",
    "1 / 0",
    "np.empty(1 << 60)",
)
RETURNS = (
    "None",
    "5",
    "'text'",
    "[1.0] * p",
    "tuple(range(p))",
    "{}",
    "(v for v in range(p))",
    "np.arange(p)",
    "np.arange(p) % 2 == 0",
    "np.arange(p, dtype=np.float16)",
    "np.arange(p, dtype=np.longdouble)",
    "np.arange(p, dtype='>f8')",
    "np.arange(p, dtype=np.uint64) + (1 << 63)",
    "np.arange(p, dtype=complex)",
    "np.arange(p).astype(object)",
    "np.arange(p).astype(str)",
    "np.arange(p).astype('datetime64[D]')",
    "np.full(p, np.nan)",
    "np.full(p, np.inf)",
    "np.full(p, -np.inf)",
    "np.where(np.arange(p) == 1, np.nan, 1.0)",
    "np.zeros(p)[:, None]",
    "np.zeros((p, p))",
    "np.zeros(())",
    "np.zeros(0)",
    "np.zeros(p + 1)",
    "np.zeros(2 * p)[::2]",
    "np.zeros(p).view(Odd)",
    "np.ma.masked_all(p)",
    "np.ma.array(np.arange(p, dtype=float), mask=np.arange(p) < 3)",
    "np.matrix(np.zeros(p))",
    "pd.Series(np.zeros(p))",
    "csr_array(np.zeros((1, p)))",
    "np.zeros(p, dtype=[('a', float)])",
    "X",
    "X[0]",
    "y",
    "np.random.random(p)",
    "score",
    "type",
)


def drawn(rng: random.Random) -> bytes:
    """The source of a module with one."""
    lines = ["p = X.shape[1]"]
    lines += [rng.choice(FIRST) for _ in range(rng.choice((0, 1, 1, 2)))]
    lines += [rng.choice(RAISES)] if rng.random() < 0.3 else []
    lines += [f"return {rng.choice(RETURNS)}"]
    return (HEAD + "".join(f"    {line}\n" for line in lines)).encode()
