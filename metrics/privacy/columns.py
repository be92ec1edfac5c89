"""The title of the column that a value stands in, of tables in plain text.

Rows are lines whose cells are parted by `|`, tabs, `;` or `,`; the first line of the block names
the columns. The look back is bounded, so a long table has no titles far below its head.
"""

import re

_MARKS = "|\t;,"
_LOOK_BACK = 2_000
_NOT_A_TITLE = re.compile(r"\d{3}|@")


def title(text: str, start: int, end: int) -> str:
    """Return the title of the column of text[start:end], "" where there is no table."""
    floor = max(0, start - _LOOK_BACK)
    line = text.rfind("\n", floor, start) + 1
    if not line:
        return ""
    before = text[line:start]
    behind = text[end : end + 3].lstrip(" \"'")[:1]
    mark = next((mark for mark in _MARKS if mark in before or mark == behind), "")
    if not mark:
        return ""
    head = _head(text, floor, line, mark)
    cells = head.split(mark)
    column = before.count(mark)
    if not 1 < len(cells) > column or _NOT_A_TITLE.search(head):
        return ""
    return cells[column].strip(" *\"'")


def _head(text: str, floor: int, line: int, mark: str) -> str:
    """Return the first of the lines right above that have the mark, "" if it may be cut off."""
    head = ""
    while line > floor:
        above = text.rfind("\n", floor, line - 1) + 1
        if not above and floor:
            return ""
        written = text[max(above, floor) : line - 1]
        if mark not in written:
            break
        head, line = written, above
    return head
