"""Suites: which upstream test files, from which MindSpore version, how much of them."""

import hashlib
import os


def mirror() -> str:
    """The folder that holds OWNER+NAME/repo of each repository (the environment's MIRROR)."""
    folder = os.environ.get("MIRROR", "")
    missing = [path for path in REPOS.values() if not os.path.isdir(os.path.join(folder, path))]
    if not folder or missing:
        raise SystemExit(f"set MIRROR to a folder with the git directories {', '.join(missing or REPOS.values())}")
    return folder


REPOS = {  # newest first: a test that an older version holds unchanged is run once, from the newest
    "2.7": "mindspore-ai+mindspore_test/repo",
    "2.0": "hdu-cloud+mindspore/repo",
    "1.0": "kungfu-team+mindspore/repo",
}
UT, ST = "tests/ut/python", "tests/st"


def _both(*paths, **more):
    return [dict(ver=ver, paths=paths, **more) for ver in ("2.7", "2.0")]


# a source: ver, paths (folders or files), and optionally
#   skip: path fragments left out; need: a text that the file must hold; sample: fraction of the files kept
SUITES = {
    "train": _both(
        f"{UT}/train",
        f"{UT}/amp",
        f"{UT}/utils/test_callback.py",
        f"{UT}/exec",
        f"{UT}/model",
        f"{UT}/optimizer",
        f"{ST}/train",
        f"{ST}/pynative/loss_scale",
        f"{ST}/pynative/network",
        f"{ST}/mix_precision",
        f"{ST}/dataset_helper",
        skip=("/train/summary/", "_8p.py", "/quant/", "_resnet50_", "test_bprop_mindir"),
    ),
    "summary": _both(f"{UT}/train/summary", f"{ST}/summary"),
    "serialization": _both(
        f"{UT}/utils/test_serialize.py",
        f"{UT}/utils/test_export.py",
        f"{ST}/export_and_load",
        f"{UT}/mindir",
        f"{UT}/onnx",
        skip=("test_resnet_air",),
    ),
    "metrics": _both(f"{UT}/metrics"),
    "legacy10": [
        dict(
            ver="1.0",
            paths=(
                f"{UT}/train",
                f"{UT}/utils",
                f"{UT}/model",
                f"{UT}/metrics",
                f"{UT}/nn",
                f"{UT}/exec",
                f"{UT}/optimizer",
                f"{UT}/dtype",
                f"{UT}/ir",
                f"{ST}/summary",
                f"{ST}/pynative/loss_scale",
            ),
            skip=("/probability/",),
        )
    ],
    "nn": _both(f"{UT}/nn", f"{ST}/nn", f"{ST}/optimizer", skip=("/probability/",)),
    "tensor": [
        dict(ver="2.7", paths=(f"{UT}/ir", f"{UT}/utils/test_initializer.py", f"{UT}/common")),
        dict(ver="2.0", paths=(f"{UT}/ir", f"{UT}/utils/test_initializer.py", f"{UT}/common")),
        dict(ver="2.7", paths=(f"{ST}/tensor",), need="cpu_linux", sample=0.30),
        dict(ver="2.0", paths=(f"{ST}/tensor",), need="platform_x86_cpu", sample=0.30),
    ],
    "hook": _both(f"{ST}/pynative/hook", f"{ST}/hook", skip=("reduce_scatter",)),
    "dataset": [
        dict(ver="2.7", paths=(f"{UT}/dataset",), sample=0.08, skip=("/audio_", "test_audio", "_autotune")),
        dict(ver="2.0", paths=(f"{UT}/dataset",), sample=0.03, skip=("/audio_", "test_audio", "_autotune")),
    ],
    "ops_cpu": [
        dict(ver="2.7", paths=(f"{ST}/ops/cpu",), sample=0.12),
        dict(
            ver="2.7",
            paths=(f"{ST}/ops",),
            need="cpu_linux",
            sample=0.06,
            skip=("/cpu/", "/gpu/", "/ascend/", "/dynamic_shape/", "/graph_kernel/", "/parallel/"),
        ),
    ],
}
#: wider than the baseline, which takes samples of these folders
_NOT = ("/gpu/", "/ascend/", "/graph_kernel/", "/parallel/")
SUITES |= {
    "ops": [dict(ver="2.7", paths=(f"{ST}/ops",), need="cpu_linux", skip=_NOT)],
    "tensors": [dict(ver="2.7", paths=(f"{ST}/tensor",), need="cpu_linux")],
    "pynative": [
        dict(ver="2.7", paths=(f"{ST}/pynative",), need="cpu_linux", skip=("/hook/", "/loss_scale", "/network"))
    ],
    "dynamic": [dict(ver="2.7", paths=(f"{ST}/dynamic_shape",), need="cpu_linux")],
    "numpy_scipy": [dict(ver="2.7", paths=(f"{ST}/numpy_native", f"{ST}/scipy_st"), need="cpu_linux")],
    "more": [
        dict(
            ver="2.7",
            paths=tuple(
                f"{ST}/{folder}"
                for folder in (
                    "mint rewrite probability vmap high_grad container parameter optimizer_ex optimizer rl sparse "
                    "hal runtime armour dataset"
                ).split()
            ),
            need="cpu_linux",
        )
    ],
    "compiler": [dict(ver="2.7", paths=(f"{ST}/compiler",), need="cpu_linux")],
    "rest": [
        dict(
            ver="2.7",
            paths=tuple(
                f"{ST}/{folder}"
                for folder in (
                    "broadcast data_transfer dump gnn golden_stick graceful_exit high_availability hypercomplex infer "
                    "mindrlhf mindscience msrun networks place profiler utils"
                ).split()
            ),
            need="cpu_linux",
        )
    ],
    "dataset_more": [dict(ver="2.7", paths=(f"{UT}/dataset",), sample=0.23)],  # 8 % of it are in the baseline
    "unit": _both(
        *(
            f"{UT}/{folder}"
            for folder in (
                "ops pynative_mode graph_syntax fallback pipeline rewrite control_flow dynamic_sequence jit ms_function mutable "
                "parameter_feature vmap transform keep_order communication automl memory_recycle debug numpy_native "
                "utils mindrecord dataset_deprecated hybrid test_log.py"
            ).split()
        )
    ),
    "unit10": [
        dict(
            ver="1.0",
            paths=tuple(
                f"{UT}/{folder}"
                for folder in (
                    "ops pynative_mode pipeline transform keep_order communication parameter_feature mindrecord automl"
                ).split()
            ),
        )
    ],
}
ORDER = list(SUITES)


def kept(path, fraction):
    """Deterministic sampling by path."""
    return int(hashlib.sha1(path.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF < fraction


def half(nodeid):
    """'open' or 'held': by file name and function, so that variants over versions and parameters stay together."""
    path, _, rest = nodeid.partition("::")
    key = os.path.basename(path) + "::" + rest.partition("[")[0]
    return "open" if int(hashlib.sha1(key.encode()).hexdigest(), 16) % 2 == 0 else "held"
