"""Files of packages are there as attributes once ``import mindspore`` ran, as upstream, whose packages import them."""

from __future__ import annotations

from pathlib import Path

from tests.support.processes import run_python

MODULES = {
    "communication": "comm_func management",
    "nn": "cell dynamic_lr grad layer learning_rate_schedule loss metrics optim probability sparse utils wrap",
    "parallel": "algo_parameter_config checkpoint_transform function nn",
    "profiler": "dynamic_profiler envprofiler profiler",
    "train": "amp callback dataset_helper loss_scale_manager metrics model serialization summary train_thor",
}


def test_files_are_attributes(tmp_path: Path) -> None:
    """Each package in a fork of its own: another's names may have loaded its files."""
    code = (
        f"import mindspore_compat as ms, os, types\nfor package, names in {MODULES!r}.items():\n"
        "    if not os.fork():\n"
        "        for name in names.split():\n"
        "            assert isinstance(getattr(getattr(ms, package), name), types.ModuleType), (package, name)\n"
        "        os._exit(0)\n"
        "    assert os.wait()[1] == 0\n"
    )
    done = run_python("-c", code, cwd=tmp_path, fresh=True)
    assert done.returncode == 0, done.stderr
