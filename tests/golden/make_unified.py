"""Writes unified.npz, the files that real MindSpore's unified_safetensors and load_distributed_checkpoint make:
`ORACLE_PYTHON make_unified.py`.

A key is CASE/PATH, an array the bytes of that file; "tables" holds a JSON of calls of smaller functions.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore.parallel import transform_safetensors as ts
from mindspore.train.node_strategy_pb2 import ParallelStrategyMap

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from tests.support.strategies import write_strategy

STRATEGY = HERE / "upstream" / "strategy"
CASES: dict = {}
ts.psutil.virtual_memory = lambda: type(
    "M", (), {"percent": 0}
)()  # it waits while more than half of the memory is in use


def strategy_file(path, layouts, stage=0):
    return write_strategy(ParallelStrategyMap, path, layouts, stage)


def collect(case, folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            CASES[f"{case}/{path.relative_to(folder)}"] = np.frombuffer(path.read_bytes(), np.uint8)


def parameters(values):
    return [{"name": name, "data": ms.Tensor(value)} for name, value in values.items()]


def save(folder, rank, values, name="net.safetensors", **options):
    (folder / f"rank_{rank}").mkdir(parents=True, exist_ok=True)
    ms.save_checkpoint(parameters(values), str(folder / f"rank_{rank}" / name), format="safetensors", **options)


def case(name, source, strategy, **options):
    folder = source.parent / f"{name}_dst"
    ms.parallel.unified_safetensors(str(source), strategy, str(folder), **options)
    collect(f"{name}/src", source)
    CASES[f"{name}/strategy.ckpt"] = np.frombuffer(Path(strategy).read_bytes(), np.uint8)
    collect(f"{name}/dst", folder)
    return folder


def load(name, folder, **options):
    target = folder.parent / f"{name}_loaded"
    ms.parallel.load_distributed_checkpoint(
        None,
        format="safetensors",
        unified_safetensors_dir=str(folder),
        dst_safetensors_dir=str(target),
        max_process_num=1,
        **options,
    )
    collect(f"{name}/loaded", target)


def tensor_parallel(root):
    src4, dst2 = str(STRATEGY / "src4.ckpt"), str(STRATEGY / "dst2.ckpt")
    for rank in range(4):
        values = ms.load_checkpoint(str(STRATEGY / f"src/rank_{rank}/net.ckpt"))
        values = {key: value.asnumpy() for key, value in values.items()}
        save(root / "four", rank, {**values, "global_step": np.array([7], np.int32), "accu_grads.w": values["w"]})
    folder = case("four", root / "four", src4)
    load("four", folder, predict_strategy=dst2)
    load("four_whole", folder, output_format="ckpt")
    load("four_rank1", folder, predict_strategy=src4, rank_id=1)
    case("renamed", root / "four", src4, choice_func=lambda name: {"w": "new.w", "b": False}.get(name, True))


def pipeline(root):
    full = {
        name: np.arange(24, dtype=np.float32).reshape(8, 3) + 100 * number
        for number, name in enumerate(("a.weight", "b.weight"))
    }
    shared = np.arange(4, dtype=np.float16)
    (root / "stages").mkdir()
    for stage, name in enumerate(full):
        strategy_file(root / "stages" / f"s{stage}.ckpt", {name: ((2,), (0, -1)), "shared": ((2,), (-1,))}, stage)
        for local in range(2):
            save(root / "pipe", stage * 2 + local, {name: full[name][4 * local : 4 * local + 4], "shared": shared})
    merged = str(root / "merged.ckpt")
    ms.merge_pipeline_strategys(str(root / "stages"), merged)
    folder = case("pipe", root / "pipe", merged)
    load("pipe", folder, predict_strategy=merged)
    for rank in range(4):
        stage, local = divmod(rank, 2)
        name = list(full)[stage]
        (root / f"ckpt/rank_{rank}").mkdir(parents=True)
        ms.save_checkpoint(
            parameters(
                {name: full[name][4 * local : 4 * local + 4], "shared": shared + rank, "rate": np.float32([rank])}
            ),
            str(root / f"ckpt/rank_{rank}/x.ckpt"),
        )
    ms.transform_checkpoints(str(root / "ckpt"), str(root / "to_one"), "y", merged, None)
    ms.transform_checkpoints(str(root / "ckpt"), str(root / "to_same"), "y", merged, merged)
    for name in ("ckpt", "to_one", "to_same"):
        collect(f"stages/{name}", root / name)


def redundancy(root):
    layouts = {"w": ((2, 2), (0, -1)), "v": ((2, 2), (-1,)), "o": ((2, 2), (0,), 2, 2)}
    strategy = strategy_file(root / "dp.ckpt", layouts)
    w, v, o = (
        np.arange(12, dtype=np.float32).reshape(4, 3),
        np.arange(5, dtype=np.int64),
        np.arange(8, dtype=np.float32),
    )
    for rank in range(4):
        dp, mp = divmod(rank, 2)
        values = {"o": o[4 * mp + 2 * dp : 4 * mp + 2 * dp + 2]}
        if dp == mp:  # each slice of w once
            values["w"] = w[2 * mp : 2 * mp + 2]
        if rank == 2:
            values["v"] = v
        save(root / "dedup", rank, values, remove_redundancy=True)
    case("dedup", root / "dedup", strategy, merge_with_redundancy=False)


def renamed_load(root):
    (root / "one").mkdir()
    ms.save_checkpoint(
        parameters({"old.w": np.arange(8, dtype=np.float32).reshape(4, 2), "c": np.ones(3, np.float32)}),
        str(root / "one/x.safetensors"),
        format="safetensors",
    )
    strategy = strategy_file(root / "two.ckpt", {"new.w": ((2,), (0, -1)), "c": ((2,), (-1,)), "absent": ((2,), (-1,))})
    collect("name_map/src", root / "one")
    CASES["name_map/strategy.ckpt"] = np.frombuffer(Path(strategy).read_bytes(), np.uint8)
    load("name_map", root / "one", predict_strategy=strategy, name_map={"new.w": "old.w"})


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__


def tables():
    names = [
        "a-1_2.safetensors",
        "a-1_10.safetensors",
        "a_1-1_10.safetensors",
        "a_2-1_10.safetensors",
        "b_rank_3-1_10.safetensors",
        "a_10.safetensors",
        "longer_10.safetensors",
        "x_rank_1-2_7.safetensors",
        "y_1-2_7.safetensors",
    ]
    suffixes = [None, "1_10", "-1_10", "_1-1_10", "1-1_10", "_10", "10", "0", "2_7", "1-2_7", "_1-2_7", "7", "_2"]
    files = {}
    for suffix in suffixes:
        there = [name for name in names if suffix is None or name.endswith(f"{suffix}.safetensors")]
        files[str(suffix)] = [
            there,
            outcome(ts._find_most_matching_file, list(there), suffix, "safetensors") if len(there) > 1 else None,
        ]
    sizes = {f"p{number}": int(size) for number, size in enumerate(np.random.RandomState(0).randint(1, 20, 24))}
    return {
        "files": files,
        "sizes": sizes,
        "groups": {str(count): ts._split_weight_dict(sizes, count) for count in (1, 2, 3, 7)},
    }


EQUAL = {
    "a": {"w": ((2, 2), (0, -1)), "v": ((2, 2), (-1,))},
    "b": {"w": ((4, 2), (0, -1)), "o": ((4, 2), (0,), 2, 2)},
    "c": {"w": ((2, 2, 2), (1, -1)), "x": ((2, 2, 2), (1, 0))},
    "d": {"w": ((2, 2, 2), (1, -1)), "x": ((2, 2, 2), (-1, 0))},
    "e": {"w": ((8,), (-1,), 8, 8), "v": ((8,), (-1,))},
    "f": {"w": ((4, 2), (-1, -1)), "accu_grads.w": ((4, 2), (1, 0))},
}


def equal_ranks(root):
    """{strategy: what get_ckpt_path_with_strategy finds for each rank of two stages whose own file is missing, as the
    number of a rank}.
    """
    from mindspore.train import _utils, serialization

    found = {}
    for name, layouts in EQUAL.items():
        strategy = strategy_file(root / f"{name}.strategy", layouts)
        count = 2 * int(np.prod(next(iter(layouts.values()))[0]))
        found[name] = []
        for rank in range(count):
            folder = root / name / str(rank)
            for number in range(count):
                (folder / f"rank_{number}").mkdir(parents=True)
                if number != rank:
                    (folder / f"rank_{number}/x.ckpt").touch()
            serialization.get_rank = _utils.get_rank = lambda rank=rank: rank
            path = ms.get_ckpt_path_with_strategy(str(folder / f"rank_{rank}/x.ckpt"), strategy)
            found[name].append(path and int(Path(path).parent.name[5:]))
    return found


with tempfile.TemporaryDirectory() as name:
    os.chdir(name)
    for section in (tensor_parallel, pipeline, redundancy, renamed_load):
        section(Path(name))
    values = {**tables(), "layouts": EQUAL, "equal": equal_ranks(Path(name))}
    os.chdir("/")
np.savez_compressed(HERE / "unified.npz", tables=np.array(json.dumps(values)), **CASES)
