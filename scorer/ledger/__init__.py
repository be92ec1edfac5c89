"""The ledger: which traces have closed, where, and whether they are scored, in SQLite.

A closing is noted before the scores of the trace go to the sinks, and noted as scored after the
sinks have accepted them. So after a crash the same cut is scored again as the same revision, and
what is read again from the log is told apart from what comes late: by its offset.

All work on the file is done in one thread of its own, in the order of the calls. What was
awaited survives the end of this process at any moment, kill -9 included. With `durable` it also
survives the end of the machine (power cut, kernel crash); without, the last transactions before
that may be missing, and the file is whole all the same.
"""

from scorer.ledger.closing import Closing
from scorer.ledger.ledger import Ledger
from scorer.ledger.state import State

__all__ = ["Closing", "Ledger", "State"]
