"""Files of packages are there as attributes once ``import mindspore`` ran, as upstream, whose packages import them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import run_python

MODULES = {
    "communication": "comm_func management",
    "nn": "cell dynamic_lr grad layer learning_rate_schedule loss metrics optim probability sparse utils wrap",
    "parallel": "algo_parameter_config checkpoint_transform function nn",
    "profiler": "dynamic_profiler envprofiler profiler",
    "train": "amp callback dataset_helper loss_scale_manager metrics model serialization summary train_thor",
}


@pytest.mark.parametrize("package", MODULES)
def test_files_are_attributes(package: str, tmp_path: Path) -> None:
    text = f"import mindspore_compat as ms, types\nfor name in {MODULES[package].split()}:\n"
    text += f"    assert isinstance(getattr(ms.{package}, name), types.ModuleType), name\n"
    done = run_python("-c", text, cwd=tmp_path)
    assert not done.returncode, done.stderr
