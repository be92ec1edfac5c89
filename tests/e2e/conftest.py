"""What several of the tests of a killed service share."""

import pytest

from .crash.service import lives


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a life of the service."""
    with lives(tmp_path) as begin:
        yield begin
