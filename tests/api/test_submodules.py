"""Files of packages are there as attributes once ``import mindspore`` ran, as upstream, whose packages import them."""

from __future__ import annotations

from pathlib import Path

from tests.support.processes import run_forked

MODULES = {
    "communication": "comm_func management",
    "nn": "cell dynamic_lr grad layer learning_rate_schedule loss metrics optim probability sparse utils wrap",
    "parallel": "algo_parameter_config checkpoint_transform function nn",
    "profiler": "dynamic_profiler envprofiler profiler",
    "train": "amp callback dataset_helper loss_scale_manager metrics model serialization summary train_thor",
}


def test_files_are_attributes(tmp_path: Path) -> None:
    codes = {
        package: f"import mindspore_compat as ms, types\nfor name in {names.split()}:\n"
        f"    assert isinstance(getattr(ms.{package}, name), types.ModuleType), name\n"
        for package, names in MODULES.items()
    }
    outputs = run_forked(codes, tmp_path, imports="import mindspore_compat")
    assert not {package: text for package, (status, text) in outputs.items() if status}
