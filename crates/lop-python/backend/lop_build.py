"""Builds the wheel: the module with maturin, and the program ``lop`` with cargo."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

import maturin

CRATE = Path(__file__).resolve().parent.parent
ROOT = CRATE.parent.parent
# maturin puts its content into the wheel, and wants the directory for the metadata, too.
SCRIPTS = CRATE / "lop.data" / "scripts"
SCRIPTS.mkdir(parents=True, exist_ok=True)

get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable
prepare_metadata_for_build_wheel = maturin.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = maturin.prepare_metadata_for_build_editable

Settings = Optional[dict[str, Any]]


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    add_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    add_program()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    raise SystemExit("lop is built from a clone of its repository; build a wheel instead")


def add_program() -> None:
    """Adds the program. It must be the real one and not an entry point, because lop starts itself."""
    cargo = ["cargo", "build", "--release", "--locked", "--package", "lop", "--bin", "lop"]
    subprocess.run(cargo, cwd=ROOT, check=True)
    metadata = ["cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"]
    found = subprocess.run(metadata, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    program = Path(json.loads(found.stdout)["target_directory"], "release", "lop")
    shutil.copy2(program, SCRIPTS / "lop")
