"""The journal: an embedded durable log of the requests that were accepted.

A record is appended before its sender is told that it was taken, and stays until it is
released; what is there after a crash is replayed. `append` hands the record to the operating
system, so it survives the end of this process at any moment, kill -9 included. What survives
the end of the machine (power cut, kernel crash) is a matter of `fsync`:

- `batch`: the sender is answered after the disk has confirmed. One flush covers everything
  appended before it began, and requests that come meanwhile share the next one, so the cost
  is per flush and not per request. An answer waits for one flush, two at most. Nothing that
  was acknowledged is lost.
- `always`: each record is flushed alone before `append` returns. Promises no more than
  `batch`, blocks while the disk works, and is as slow as the disk: for comparison, or where
  one request at a time comes.
- `off`: nothing is ever flushed; the operating system writes when it likes, usually within
  half a minute. What was acknowledged in that time is lost with the machine, not with the
  process.

What a disk that lies about flushes does to it is beyond `batch` and `always`.
"""

from scorer.journal.journal import Fsync, Journal
from scorer.journal.log import Log, Record, WritableLog
from scorer.journal.reading import Damage

__all__ = ["Damage", "Fsync", "Journal", "Log", "Record", "WritableLog"]
