"""What estimators take, as their signatures say it."""

from numpy.typing import ArrayLike
from scipy.sparse import sparray, spmatrix

Matrix = ArrayLike | sparray | spmatrix  # samples in rows; a data frame's names are kept
Target = ArrayLike | sparray | spmatrix  # a class a sample, or a column of 0 and 1 a label
