"""The DATASETS table: one line a set. Adding a set is adding a line."""

from collections.abc import Callable
from dataclasses import dataclass

from imbfs.datasets import builtin, synthetic
from imbfs.datasets.data import Data


@dataclass(frozen=True)
class Dataset:
    """A line of the table: where a set comes from and what it must look like when parsed.

    `make` builds it without a download; otherwise `file` is looked for, in any compression, below
    the data directory and comes from `url`. `target` names the class column of a CSV.
    """

    summary: str
    n_samples: int
    n_features: int
    class_counts: dict
    make: Callable[[], Data] | None = None
    file: str = ""
    target: str | None = None
    url: str = ""
    fingerprint: str = ""


LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
MICROARRAY = "https://github.com/ramhiser/datamicroarray"

# fmt: off
DATASETS = {
    "digits": Dataset("Handwritten digits, 8 x 8 pixels", 1797, 64, {"0": 178, "1": 182, "2": 177, "3": 183, "4": 181, "5": 182, "6": 181, "7": 179, "8": 174, "9": 180}, make=builtin.digits),
    "breast_cancer": Dataset("Breast cancer Wisconsin, malignant the smaller class", 569, 30, {"malignant": 212, "benign": 357}, make=builtin.breast_cancer),
    "wine": Dataset("Wine recognition, three cultivars", 178, 13, {"0": 59, "1": 71, "2": 48}, make=builtin.wine),
    "microarray": Dataset("Synthetic expression matrix with 20 relevant genes known", 100, 2000, {"common": 90, "rare": 10}, make=synthetic.microarray),
    "topics": Dataset("Synthetic multi-label word counts", 300, 50, {}, make=synthetic.topics),
    "gaussians": Dataset("Synthetic, 100 like features, 900 : 100", 1000, 100, {"common": 900, "rare": 100}, make=synthetic.gaussians),
    "uniforms": Dataset("Synthetic, two overlapping uniform classes", 400, 2, {"common": 300, "rare": 100}, make=synthetic.uniforms),
    "a9a": Dataset("Adult census income, binary features", 32_561, 123, {-1: 24_720, 1: 7_841}, file="a9a/a9a", url=f"{LIBSVM}/binary/a9a", fingerprint="700f4f4ea14dce8e6a81593124fba63a"),
    "w7a": Dataset("Web pages, binary keywords", 24_692, 300, {-1: 23_952, 1: 740}, file="w7a/w7a", url=f"{LIBSVM}/binary/w7a", fingerprint="9ebbac37e0d0e53a9d8715ff50400264"),
    "w8a": Dataset("Web pages, binary keywords", 49_749, 300, {-1: 48_270, 1: 1_479}, file="w8a/w8a", url=f"{LIBSVM}/binary/w8a", fingerprint="3b360c0db56a16cfaeee0c220584ec16"),
    "colon": Dataset("Colon tumour against normal tissue, expression", 62, 2000, {"n": 22, "t": 40}, file="alon_colon/alon_62x2000.csv", target="class", url=MICROARRAY, fingerprint="4ffbe7512dba05975966127efc8fe3fe"),
    "shipp": Dataset("Diffuse large B-cell against follicular lymphoma, expression", 77, 7129, {"DLBCL": 58, "FL": 19}, file="shipp_dlbcl/shipp_77x7129.csv", target="class", url=MICROARRAY, fingerprint="d62257cc2c2b338d3874f8e2295d610b"),
}
# fmt: on
