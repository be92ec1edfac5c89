"""The folder tree is the architecture; these rules keep it so."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for package in ("scorer", "metrics")
    for path in (ROOT / package).rglob("*.py")
    if "pb" not in path.parts
]


def test_no_source_file_is_longer_than_400_lines():
    """One idea a file."""
    long = {str(p): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 400}
    assert long == {}


def test_every_package_says_what_it_is():
    """Each folder's __init__ has a docstring."""
    silent = [
        str(path)
        for path in SOURCES
        if path.name == "__init__.py" and not path.read_text().startswith('"""')
    ]
    assert silent == []


@pytest.mark.parametrize("folder", ["proto", "tests", "tests/unit"])
def test_folders_that_are_no_packages_have_no_init(folder):
    """With one, `import proto` from here would hide the library of that name."""
    assert not (ROOT / folder / "__init__.py").exists()


def test_the_layers_hold():
    """import-linter's contracts in pyproject.toml are the architecture."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_generated_code_is_fresh(tmp_path):
    """`scorer/pb` is what protoc makes of `proto/` today."""
    sources = [str(path.relative_to(ROOT / "proto")) for path in (ROOT / "proto").rglob("*.proto")]
    command = [sys.executable, "-m", "grpc_tools.protoc", "-Iproto", f"--python_out={tmp_path}"]
    subprocess.run([*command, f"--pyi_out={tmp_path}", *sources], cwd=ROOT, check=True)
    for made in tmp_path.rglob("*_pb2.py*"):
        kept = ROOT / made.relative_to(tmp_path)
        assert kept.read_text() == made.read_text(), "run protoc as the comment in proto/ says"


def test_the_wheel_holds_the_two_packages_and_nothing_else(tmp_path):
    """No tests, no proto sources; the type marker is there."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {
        "scorer",
        "metrics",
        "spanscore",
    }
    assert {"scorer/py.typed", "metrics/py.typed"} <= set(names)
    assert not [name for name in names if "test_" in name or name.endswith(".proto")]
