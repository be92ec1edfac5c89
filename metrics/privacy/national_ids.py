"""Numbers that states give to people, each by its own checksum (python-stdnum).

Off unless asked for: a tenth of all numbers of the right length pass a checksum of one digit.
"""

import re
from collections.abc import Callable, Sequence

from stdnum.br import cpf
from stdnum.ca import sin
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.in_ import aadhaar
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pl import pesel
from stdnum.se import personnummer

# The form as it is written, and the check of the number; RE2 takes the first that fits.
_FORMS: Sequence[tuple[str, Callable[[str], bool]]] = (
    (r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]", codicefiscale.is_valid),
    (r"[12] ?\d{2} ?\d{2} ?\d[\dABab] ?\d{3} ?\d{3} ?\d{2}", nir.is_valid),
    (r"\d{4} \d{4} \d{4}", aadhaar.is_valid),
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf.is_valid),
    (r"\d{2} \d{3} \d{3} \d{3}", idnr.is_valid),
    (r"(?:\d{2})?\d{6}-\d{4}", personnummer.is_valid),
    (r"[XYZxyz]-?\d{7}-?[A-Za-z]", nie.is_valid),
    (r"\d{8}-?[A-Za-z]", dni.is_valid),
    (r"\d{11}", lambda number: idnr.is_valid(number) or pesel.is_valid(number)),
    (r"\d{3}[ -]\d{3}[ -]\d{3}", sin.is_valid),
    (r"\d{9}", bsn.is_valid),
)
_COMPILED = tuple((re.compile(form), is_valid) for form, is_valid in _FORMS)
_NINO_FORM = r"[A-Za-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d]"
_NINO = re.compile(r"(?i)(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z]{2}[ \d]+[A-D]")

CANDIDATE = "|".join((*(form for form, _ in _FORMS), _NINO_FORM))
HINT = CANDIDATE


def is_id(written: str) -> bool:
    """Whether a candidate is a number that such a state would give."""
    if _NINO.fullmatch(written):
        return True
    return any(form.fullmatch(written) and is_valid(written) for form, is_valid in _COMPILED)
