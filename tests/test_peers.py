"""Files as other readers read them: CSV by pandas, ARFF and MATLAB by scipy, to the last bit.

LIBSVM text is held against scikit-learn in test_libsvm.py. What is read in another way, and why:

- CSV: a column of texts, a missing value and an infinite one are refused, which pandas keeps; a
  whole number that needs more than 64 bits is a float here and a text there.
- ARFF: a nominal value is a code here and the text there.
- MATLAB: X is float64 whatever it is stored as.
"""

import io

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.io import arff as scipy_arff
from scipy.io import loadmat, savemat
from scipy.sparse import csc_array, issparse

from imbfs.datasets.formats import read

some = settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
# Behind the first letter anything but what ends a field, a line, or is cut off at the ends.
names = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="\"',;?%{}\\@#|"), min_size=1
).map(lambda text: "n" + text)
reals = st.floats(allow_nan=False, allow_infinity=False, width=64)
written = st.one_of(
    reals.map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(
        ["+1.", ".5", "-0", "007", "1e5", "1E-5", "4.9e-324", "1.7976931348623157e308"]
    ),
)


@st.composite
def tables(draw) -> tuple[list[str], list[list[str]], list[str]]:
    """Names, rows of numbers as texts, and two classes."""
    header = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    row = st.lists(written, min_size=len(header), max_size=len(header))
    rows = draw(st.lists(row, min_size=2, max_size=6))
    return header, rows, [draw(st.sampled_from(["a", "b"])) for _ in rows]


def test_csv_is_read_as_pandas_reads_it(tmp_path):
    path = tmp_path / "a.csv"

    @some
    @given(tables(), st.sampled_from([",", ";", "\t"]))
    def check(table, separator):
        header, rows, classes = table
        lines = [[*header, "class"], *([*row, c] for row, c in zip(rows, classes, strict=True))]
        path.write_text("\n".join(separator.join(line) for line in lines), encoding="utf-8")
        data = read(path, format="csv", target="class", header=True)
        kinds = dict.fromkeys(header, np.float64)
        frame = pd.read_csv(path, sep=separator, dtype=kinds)
        np.testing.assert_array_equal(data.X, frame[header].to_numpy())
        assert data.names == tuple(header)
        assert [data.classes[code] for code in data.y] == frame["class"].tolist() == classes

    check()


def test_arff_is_read_as_scipy_reads_it(tmp_path):
    path = tmp_path / "a.arff"

    @some
    @given(tables(), st.booleans())
    def check(table, missing):
        _, rows, classes = table
        header = [f"a{j}" for j in range(len(rows[0]))]
        head = "".join(f"@attribute {name} numeric\n" for name in header)
        cells = [[*row, c] for row, c in zip(rows, classes, strict=True)]
        if missing:
            cells[0][0] = "?"
        lines = "\n".join(",".join(row) for row in cells)
        text = f"@relation r\n{head}@attribute class {{a,b}}\n@data\n{lines}\n"
        path.write_text(text)
        data = read(path, format="arff", impute="median")
        peer, _ = scipy_arff.loadarff(io.StringIO(text))
        expected = np.array([peer[name] for name in header]).T
        np.testing.assert_array_equal(data.X, expected)
        assert [data.classes[code] for code in data.y] == [c.decode() for c in peer["class"]]

    check()


KINDS = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "i8", "u8", "?"]


@st.composite
def matrices(draw) -> np.ndarray:
    kind = np.dtype(draw(st.sampled_from(KINDS)))
    elements = None
    if kind.kind == "f":
        elements = st.floats(allow_nan=False, allow_infinity=False, width=8 * kind.itemsize)
    X = draw(arrays(kind, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=elements))
    return csc_array(X.astype(float)) if draw(st.booleans()) and kind.kind == "f" else X


def test_matlab_files_are_read_as_scipy_reads_them(tmp_path):
    path = tmp_path / "a.mat"

    @some
    @given(matrices(), st.booleans(), st.booleans())
    def check(X, packed, texts):
        y = np.arange(X.shape[0]) % 2
        Y = np.array([f"c{label}" for label in y], dtype=object) if texts else y
        savemat(path, {"X": X, "Y": Y}, do_compression=packed)
        data = read(path)
        peer = loadmat(path)["X"]
        ours, theirs = (A.toarray() if issparse(A) else A for A in (data.X, peer))
        assert issparse(data.X) == issparse(peer)
        np.testing.assert_array_equal(ours, theirs.astype(np.float64))
        assert [str(data.classes[code]) for code in data.y] == [
            f"c{label}" if texts else str(label) for label in y
        ]

    check()
