"""The PROBLEMS table: the views of sets that the papers pose, by name.

A problem is data, not code: which set, which class against which, what is dropped, how it is
sampled. `counts` are the majority and minority samples it must have; `test` names the set that the
paper tests on, used where it is at hand; `differs` says in what it departs from the paper.
"""

from dataclasses import dataclass, field

from imbfs.datasets.table import DATASETS


@dataclass(frozen=True)
class Problem:
    dataset: str
    view: dict = field(default_factory=dict)
    counts: tuple[int, int] | None = None
    differs: str = ""
    test: str = ""

    @property
    def summary(self) -> str:
        posed = f"{self.counts[0]:,} : {self.counts[1]:,} of {self.dataset}" if self.counts else ""
        tested = f"tested on {self.test}" if self.test else ""
        return "; ".join(filter(None, [posed or f"all of {self.dataset}", tested, self.differs]))


def _against_the_rest(
    paper: str, dataset: str, names: dict, differs: str = ""
) -> dict[str, Problem]:
    """One problem for every class, against all others."""
    return {
        f"{paper}/{dataset}-{name}": Problem(dataset, {"positive": label}, differs=differs)
        for name, label in names.items()
    }


_SECTIONS = {
    "algorithms": "Algorithms and Architectures",
    "applications": "Applications",
    "cognitive": "Cognitive Science",
    "control": "Control, Navigation and Planning",
    "implementations": "Implementations",
    "neuroscience": "Neuroscience",
    "speech": "Speech, Handwriting and Signal Processing",
    "theory": "Theory",
    "visual": "Visual Processing",
}
_E_SET = "BCDEGPTVZ"
_LETTERS = {letter: ord(letter) - ord("A") + 1 for letter in _E_SET}
_WORDS = "20,149 words where the thesis has 7,809; three section counts differ by at most 5"
_STANDS_IN = "stands in for MSRC and TRECVID, under its own name"

# fmt: off
PROBLEMS = {
    # Han 2016, Table 1. There the majority is the positive class; here the minority is.
    "han2016/covtype": Problem("covtype", {"positive": [1, 3, 4, 5, 6, 7], "negative": [2], "sample": {"positive": 60_000}}, (283_301, 60_000), "the paper prints 283,581 for the majority"),
    "han2016/mnist": Problem("mnist", {"positive": 0}, (54_077, 5_923), "as the text describes it; Table 1's row is a9a. 784 pixels where LIBSVM counts 780"),
    "han2016/a9a": Problem("a9a", {"positive": 1}, (24_720, 7_841), "Table 1 calls it mnist"),
    "han2016/usps": Problem("usps", {"positive": 1}, (6_097, 1_194), "class 1 is the digit 0"),
    "han2016/w7a": Problem("w7a", {"positive": 1, "drop_empty": True}, (21_985, 661)),
    "han2016/w8a": Problem("w8a", {"positive": 1, "drop_empty": True}, (44_226, 1_320), "the paper prints 1,230: two digits swapped"),
    "han2016/farm": Problem("farm-ads", {"positive": 1, "negative": [-1], "columns": 20_000, "sample": {"positive": 100}}, (1_933, 100), "the first 20,000 columns; which 20,000 is not said"),
    # Wasikowski 2009, Table 4.1: biology, text and spoken letters.
    "wasikowski2009/golub-all_b": Problem("golub", {"positive": "ALL-B"}, (34, 38)),
    "wasikowski2009/golub-all_t": Problem("golub", {"positive": "ALL-T"}, (63, 9)),
    "wasikowski2009/golub-aml": Problem("golub", {"positive": "AML"}, (47, 25)),
    "wasikowski2009/shipp": Problem("shipp", {"positive": "FL"}, (58, 19), "two classes where the thesis has three"),
    "wasikowski2009/cns": Problem("cns", {"positive": 1}, (39, 21)),
    "wasikowski2009/brain-rest": Problem("brain_tumor90", {"positive": ["AT/RT", "PNET", "malignant_glioma", "normal_cerebellum"]}, (60, 30), "nearest to CNS2"),
    "wasikowski2009/brain-glioma": Problem("brain_tumor90", {"positive": "malignant_glioma"}, (80, 10), "nearest to CNS2"),
    "wasikowski2009/brain-at_rt": Problem("brain_tumor90", {"positive": "AT/RT"}, (80, 10), "nearest to CNS2"),
    "wasikowski2009/colon": Problem("colon", {"positive": "n"}, (40, 22), "not in the thesis"),
    "wasikowski2009/ovarian": Problem("ovarian_ms", {"positive": "Normal", "sample": {"positive": 16}}, (121, 16), "nearest to OVARY, its skew imposed"),
    "wasikowski2009/seldi": Problem("prodata", {"positive": "C", "negative": ["A", "B"]}, (119, 35), "nearest to PROST, without the 13 repeats of one woman"),
    "wasikowski2009/arcene": Problem("arcene", {"positive": 1}, (112, 88), "not in the thesis"),
    **_against_the_rest("wasikowski2009", "nips", _SECTIONS, _WORDS),
    **{f"wasikowski2009/isolet-{letter}": Problem("isolet", {"positive": code, "negative": [other for other in _LETTERS.values() if other != code]}, (480, 60), "617 features where the thesis has 3,085") for letter, code in _LETTERS.items()},
    # Liu 2019, Table 1.
    "liu2019/news20-1:5": Problem("news20", {"positive": 1, "negative": list(range(2, 7))}, (3_966, 797), test="news20.t"),
    "liu2019/news20-1:10": Problem("news20", {"positive": 1, "negative": list(range(2, 12))}, (7_952, 797), test="news20.t"),
    "liu2019/news20-1:19": Problem("news20", {"positive": 1, "negative": list(range(2, 21))}, (15_138, 797), test="news20.t"),
    "liu2019/real-sim": Problem("real-sim", {"positive": 1}),
    "liu2019/rcv1": Problem("rcv1", {"positive": 1}, test="rcv1.t"),
    "liu2019/ng20-comp": Problem("ng20", {"positive": list(range(2, 7))}, (13_955, 4_891), "stands in for real-sim, under its own name"),
    "liu2019/reuters-earn_acq": Problem("reuters", {"positive": ["earn", "acq"], "drop_empty": True}, (14_451, 6_390), "stands in for rcv1, under its own name"),
    # Yin 2013, Table 3.
    "yin2013/cns": Problem("cns", {"positive": 1}, (39, 21)),
    "yin2013/cns90": Problem("brain_tumor90", {"positive": ["AT/RT", "PNET", "malignant_glioma", "normal_cerebellum"]}, (60, 30), "the 90-sample set, 2:1"),
    "yin2013/lymph": Problem("shipp", {"positive": "FL"}, (58, 19)),
    "yin2013/nips": Problem("nips", {"positive": "Implementations", "negative": ["Theory"]}, (155, 48), "as near to 160 : 40 as two sections come"),
    "yin2013/ovary": Problem("ovarian_ms", {"positive": "Normal", "sample": {"positive": 16, "negative": 50}}, (50, 16), "66 samples of another mass-spectrometry set"),
    "yin2013/churn": Problem("churn"),
    "yin2013/dorothea": Problem("dorothea", {"positive": 1}, (722, 78), "stands in for KDD Cup 2009, under its own name"),
    "yin2013/gaussians": Problem("gaussians", {"positive": "rare"}, (900, 100)),
    "yin2013/gaussians_pool": Problem("gaussians_pool", {"positive": "rare"}, (9_000, 1_000), "ten times the rows: a tenth of them is one simulation, the others are fresh"),
    # Liu 2017, Table 1.
    "liu2017/usps": Problem("usps_all", differs="9,298 samples where the paper prints 9,258"),
    "liu2017/yaleb": Problem("yaleb"),
    "liu2017/msrc": Problem("msrc"),
    "liu2017/trecvid": Problem("trecvid"),
    "liu2017/uniforms": Problem("uniforms", {"positive": "rare"}, (300, 100)),
    **{f"liu2017/{name}": Problem(name, differs=_STANDS_IN) for name in ("scene", "emotions", "yeast", "birds", "medical")},
    "liu2017/msrcv2": Problem("msrcv2", differs=f"{_STANDS_IN}: 1,758 segments of MSRC images with 48 features, where the paper has 591 images with 384; the one true label of a segment is all it has, and candidate labels are not used"),
}
# fmt: on

assert all(problem.dataset in DATASETS for problem in PROBLEMS.values())
assert all(problem.test in DATASETS for problem in PROBLEMS.values() if problem.test)
