"""Fixtures that every kind of test may use."""

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent / "plugins" / "demo"


@pytest.fixture(scope="session")
def demo_plugin_path(tmp_path_factory):
    """Install the demo plug-in, a real package with entry points, into a folder of its own."""
    target = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--target", str(target), str(DEMO)]
    subprocess.run(command, check=True, capture_output=True)
    return target


@pytest.fixture
def demo_plugin(demo_plugin_path, monkeypatch):
    """Make the demo plug-in importable, here and in spawned workers."""
    monkeypatch.syspath_prepend(str(demo_plugin_path))
    return demo_plugin_path
