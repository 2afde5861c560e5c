"""The SELECTORS table.

A filter is a pure function `name(X, y, *, ...) -> scores`; an online learner is a class. To add a
filter: write the function, add its line here, test it against an oracle. A new line goes last: its
place decides how a selector looks in figures.
"""

from imbfs.methods import BINARY, EVERY_KIND, MULTICLASS, MULTILABEL, Method, Methods, Outside
from imbfs.online import ASCW, CS, CSOAL, MBPA, OFS, ONPA, PA, SBCW
from imbfs.selectors import cuts, filters
from imbfs.selectors.binned import bins
from imbfs.selectors.binned.mrmr import mrmr
from imbfs.selectors.curves import roc
from imbfs.selectors.curves.fast import fair, fast
from imbfs.selectors.decomposition.decomposed import decomposed
from imbfs.selectors.multilabel.information import itfr
from imbfs.selectors.multilabel.relief import ml_relieff
from imbfs.selectors.multilabel.statistic import ml_f_statistic
from imbfs.selectors.neighbours import relief
from imbfs.selectors.sparse.csfs import csfs, rfs
from imbfs.selectors.sparse.fgm import FGM
from imbfs.selectors.sparse.l1svm import L1SVM
from imbfs.selectors.sparse.ncfs import ncfs

_METHODS = {
    "none": Method(filters.none, kinds=EVERY_KIND),
    "random": Method(filters.random, kinds=EVERY_KIND),
    "s2n": Method(filters.s2n),
    "fisher": Method(filters.fisher, kinds=(BINARY, MULTICLASS)),
    "chi": Method(cuts.chi, revision=2, kinds=(BINARY, MULTICLASS)),
    "fast": Method(fast, revision=2, kinds=(BINARY, MULTICLASS)),
    "pa": Method(PA, kinds=(BINARY, MULTICLASS)),
    "mbpa": Method(MBPA, kinds=(BINARY, MULTICLASS)),
    "onpa": Method(ONPA, kinds=(BINARY, MULTICLASS)),
    "cs": Method(CS, kinds=(BINARY, MULTICLASS)),
    "ofs": Method(OFS, kinds=(BINARY, MULTICLASS)),
    "pcc": Method(filters.pcc),
    "ig": Method(cuts.ig, revision=2, kinds=(BINARY, MULTICLASS)),
    "odds_ratio": Method(cuts.odds_ratio, revision=2),
    "bns": Method(cuts.bns, revision=2),
    "fair": Method(fair, revision=2),
    "auc": Method(roc.auc, kinds=(BINARY, MULTICLASS)),
    "prc": Method(roc.prc),
    "relief": Method(relief.relief),
    "relieff": Method(relief.relieff, kinds=(BINARY, MULTICLASS)),
    "sbcw": Method(SBCW),
    "ascw": Method(ASCW),
    "csoal": Method(CSOAL, kinds=(BINARY, MULTICLASS)),
    "fgm": Method(FGM),
    "l1svm": Method(L1SVM, kinds=(BINARY, MULTICLASS)),
    "mi": Method(bins.mi, revision=2, kinds=(BINARY, MULTICLASS)),
    "corr": Method(filters.corr, kinds=(BINARY, MULTICLASS)),
    "hellinger": Method(bins.hellinger, revision=2, kinds=(BINARY, MULTICLASS)),
    "decomposed": Method(decomposed, revision=2, kinds=(BINARY, MULTICLASS)),
    "f_statistic": Method(filters.f_statistic, kinds=(BINARY, MULTICLASS)),
    "mrmr": Method(mrmr, revision=2, kinds=(BINARY, MULTICLASS)),
    "itfr": Method(itfr, revision=2, kinds=(MULTILABEL,)),
    "rfs": Method(rfs, kinds=EVERY_KIND),
    "csfs": Method(csfs, kinds=EVERY_KIND),
    "ml_f_statistic": Method(ml_f_statistic, kinds=(MULTILABEL,)),
    "ml_relieff": Method(ml_relieff, kinds=(MULTILABEL,)),
    "ncfs": Method(ncfs, revision=2, kinds=EVERY_KIND),
}

SELECTORS = Methods(Outside("selector", "imbfs.selectors"), _METHODS)
