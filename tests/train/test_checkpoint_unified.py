"""Unified safetensors folders: merged and loaded as by real MindSpore, whose files are in golden/unified.npz."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch

from mindspore_compat import Parameter, Tensor, load_checkpoint, nn, save_checkpoint
from mindspore_compat._format.strategy import strategy_messages
from mindspore_compat.train._checkpoint import unified
from mindspore_compat.train._checkpoint.folders import chosen
from mindspore_compat.train.serialization import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
    rank_list_for_convert,
    transform_checkpoints,
    unified_safetensors,
)
from tests.support.upstream import GOLDEN

FILES = np.load(GOLDEN.parent / "unified.npz")
TABLES = json.loads(str(FILES["tables"]))
STRATEGY = GOLDEN / "strategy"


def files_of(case: str) -> dict[str, bytes]:
    return {key[len(case) + 1 :]: FILES[key].tobytes() for key in FILES.files if key.startswith(f"{case}/")}


def lay_out(case: str, folder: Path) -> None:
    for name, data in files_of(case).items():
        (folder / case / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / case / name).write_bytes(data)


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def arrays(data: bytes) -> dict[str, list]:
    return {name: [value.dtype.str, value.tolist()] for name, value in safetensors.numpy.load(data).items()}


def metadata(data: bytes) -> dict[str, str]:
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]


@pytest.mark.parametrize(
    ("case", "options"),
    [
        ("four", {}),
        ("pipe", {}),
        ("dedup", {"merge_with_redundancy": False}),
        ("dedup", {"merge_with_redundancy": True}),
        ("renamed", {"choice_func": lambda name: {"w": "new.w", "b": False}.get(name, True)}),
    ],
)
def test_slices_merge_to_the_files_of_real_mindspore(case: str, options: dict, tmp_path: Path) -> None:
    lay_out(case, tmp_path)
    unified_safetensors(
        str(tmp_path / case / "src"), str(tmp_path / case / "strategy.ckpt"), str(tmp_path / "out"), **options
    )
    ours, real = (
        written(tmp_path / "out"),
        {name[4:]: data for name, data in files_of(case).items() if name.startswith("dst/")},
    )
    assert list(ours) == sorted(real)
    for name, data in real.items():
        if name.endswith(".json"):
            assert json.loads(ours[name]) == json.loads(data)
        elif (case, name) == (
            "renamed",
            "hyper_param.safetensors",
        ):  # real MindSpore puts a slice of "b", which was refused, into it
            assert set(arrays(data)) - set(arrays(ours[name])) == {"b"}
        elif len(metadata(data)) == 1:
            assert ours[name] == data
        else:  # the order of metadata is by chance
            assert (arrays(ours[name]), metadata(ours[name])) == (arrays(data), metadata(data))


@pytest.mark.parametrize(
    ("case", "source", "strategy", "options"),
    [
        ("four", "four/dst", str(STRATEGY / "dst2.ckpt"), {}),
        ("four_whole", "four/dst", None, {"output_format": "ckpt"}),
        ("four_rank1", "four/dst", str(STRATEGY / "src4.ckpt"), {"rank_id": 1}),
        ("pipe", "pipe/dst", "pipe/strategy.ckpt", {}),
        ("name_map", "name_map/src", "name_map/strategy.ckpt", {"name_map": {"new.w": "old.w"}}),
    ],
)
def test_each_rank_gets_what_real_mindspore_gives_it(
    case: str, source: str, strategy: str | None, options: dict, tmp_path: Path
) -> None:
    lay_out(source.partition("/")[0], tmp_path)
    strategy = strategy and str(tmp_path / strategy)
    assert (
        load_distributed_checkpoint(
            None,
            format="safetensors",
            predict_strategy=strategy,
            unified_safetensors_dir=str(tmp_path / source),
            dst_safetensors_dir=str(tmp_path / "out"),
            **options,
        )
        is True
    )
    real = {name[7:]: data for name, data in files_of(case).items() if name.startswith("loaded/")}
    ours = written(tmp_path / "out")
    assert list(ours) == sorted(real)
    for name, data in real.items():
        if name.endswith(".safetensors"):
            assert ours[name] == data
        else:
            (tmp_path / "real.ckpt").write_bytes(data)
            a, b = load_checkpoint(str(tmp_path / "real.ckpt")), load_checkpoint(str(tmp_path / "out" / name))
            assert {key: value.asnumpy().tolist() for key, value in a.items()} == {
                key: value.asnumpy().tolist() for key, value in b.items()
            }


class Net(nn.Cell):
    def __init__(self, shapes: dict[str, tuple[int, ...]]) -> None:
        super().__init__()
        for name, shape in shapes.items():
            self.insert_param_to_cell(
                name, Parameter(Tensor(np.zeros(shape, np.float32)), name=name), check_name_contain_dot=False
            )


def test_a_network_is_loaded_whole_and_cut(tmp_path: Path) -> None:
    lay_out("four", tmp_path)
    full = np.load(STRATEGY / "full.npz")
    options = {"format": "safetensors", "unified_safetensors_dir": str(tmp_path / "four/dst")}
    net = Net({**{name: full[name].shape for name in full.files}, "other": (2,)})
    missing, unused = load_distributed_checkpoint(net, **options)
    assert (missing, sorted(unused)) == (["other"], ["accu_grads.w", "global_step"])
    for name in full.files:
        np.testing.assert_array_equal(net.parameters_dict()[name].asnumpy(), full[name])
    found = load_distributed_checkpoint(
        net, predict_strategy={"w": [[2], [0, -1], [], 0]}, return_param_dict=True, **options
    )
    np.testing.assert_array_equal(found["w"].asnumpy(), full["w"][:2])
    assert found["w"].name == "w" and sorted(found) == ["accu_grads.w", "global_step", "w"]


def test_names_are_mapped_in_folders_of_several_parts_too(tmp_path: Path) -> None:
    lay_out("four", tmp_path)
    found = load_distributed_checkpoint(
        Net({}),
        format="safetensors",
        unified_safetensors_dir=str(tmp_path / "four/dst"),
        name_map={"net.w": "w"},
        return_param_dict=True,
    )
    assert "net.w" in found and "w" not in found


def test_parts_are_cut_by_size_and_shared_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for count, groups in TABLES["groups"].items():
        assert unified._groups(TABLES["sizes"], int(count)) == groups
    monkeypatch.setattr(unified, "_PART_BYTES", 100)
    lay_out("four", tmp_path)
    arguments = str(tmp_path / "four/src"), str(tmp_path / "four/strategy.ckpt")
    unified_safetensors(*arguments, str(tmp_path / "whole"))
    assert sorted(written(tmp_path / "whole")) == [
        "hyper_param.safetensors",
        "param_name_map.json",
        *(f"part{number}.safetensors" for number in range(4)),
    ]
    unified_safetensors(*arguments, str(tmp_path / "shares"), split_dst_file=(2, 3))
    assert list(written(tmp_path / "shares")) == ["part2.safetensors"]
    for number in (1, 3):
        unified_safetensors(*arguments, str(tmp_path / "shares"), split_dst_file=(number, 3))
    assert written(tmp_path / "shares") == written(tmp_path / "whole")
    values = load_distributed_checkpoint(
        Net({}), format="safetensors", unified_safetensors_dir=str(tmp_path / "whole"), return_param_dict=True
    )
    np.testing.assert_array_equal(values["w"].asnumpy(), np.load(STRATEGY / "full.npz")["w"])


def test_the_file_of_a_rank_is_chosen_as_upstream() -> None:
    for suffix, (names, expected) in TABLES["files"].items():
        if expected == "ValueError":
            with pytest.raises(ValueError):
                chosen(names, suffix, "safetensors")
        elif expected is not None:
            assert chosen(names, None if suffix == "None" else suffix, "safetensors") == expected


def test_what_only_a_later_rank_has_is_kept(tmp_path: Path) -> None:
    lay_out("pipe", tmp_path)
    path = tmp_path / "pipe/src/rank_3/net.safetensors"
    values = {
        **load_checkpoint(str(path), format="safetensors"),
        "rate": Tensor(np.float32([0.5])),
        "bits": Tensor(torch.ones(2, dtype=torch.bfloat16)),
    }
    save_checkpoint(values, str(path), format="safetensors", crc_check=True)
    unified_safetensors(
        str(tmp_path / "pipe/src"), str(tmp_path / "pipe/strategy.ckpt"), str(tmp_path / "out"), file_suffix="et"
    )
    found = load_checkpoint(str(tmp_path / "out/hyper_param.safetensors"), format="safetensors")
    assert found["rate"].asnumpy() == 0.5 and found["bits"].dtype is torch.bfloat16
    part = load_checkpoint(
        str(tmp_path / "out/part0.safetensors"), format="safetensors", crc_check=True
    )  # no CRC of other data is left in it
    assert sorted(part) == ["a.weight", "b.weight", "shared"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"src_dir": "no"}, ValueError),
        ({"choice_func": lambda name: False}, ValueError),
        ({"split_dst_file": (3, 2)}, ValueError),
    ],
)
def test_wrong_arguments_of_merging(change: dict, error: type, tmp_path: Path) -> None:
    lay_out("four", tmp_path)
    arguments = {
        "src_dir": str(tmp_path / "four/src"),
        "src_strategy_file": str(tmp_path / "four/strategy.ckpt"),
        "dst_dir": str(tmp_path / "out"),
    }
    with pytest.raises(error):
        unified_safetensors(**{**arguments, **change})


@pytest.mark.parametrize(
    "change", [{"unified_safetensors_dir": None}, {"network": None}, {"predict_strategy": {"w": [[3], [0, -1], [], 0]}}]
)
def test_wrong_arguments_of_loading(change: dict, tmp_path: Path) -> None:
    lay_out("four", tmp_path)
    with pytest.raises(ValueError):
        load_distributed_checkpoint(
            **{
                "network": Net({}),
                "format": "safetensors",
                "unified_safetensors_dir": str(tmp_path / "four/dst"),
                **change,
            }
        )


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "param_name_map.json").unlink(),
        lambda folder: (folder / "param_name_map.json").write_text("[1"),
        lambda folder: (folder / "param_name_map.json").write_text('{"weight_map": [1]}'),
        lambda folder: (folder / "part0.safetensors").write_bytes((folder / "part0.safetensors").read_bytes()[:-1]),
        lambda folder: (folder / "part0.safetensors").write_bytes(b"\xff" * 20),
        lambda folder: (folder / "part0.safetensors").write_bytes(b"\2" + bytes(7) + b"[]"),
        lambda folder: (folder / "part0.safetensors").unlink(),
    ],
)
def test_damaged_folders_are_named(damage: Callable[[Path], object], tmp_path: Path) -> None:
    lay_out("four", tmp_path)
    damage(tmp_path / "four/dst")
    with pytest.raises(ValueError):
        load_distributed_checkpoint(Net({}), format="safetensors", unified_safetensors_dir=str(tmp_path / "four/dst"))


def test_a_missing_rank_or_slice_is_named(tmp_path: Path) -> None:
    lay_out("dedup", tmp_path)
    arguments = str(tmp_path / "dedup/src"), str(tmp_path / "dedup/strategy.ckpt"), str(tmp_path / "out")
    path = tmp_path / "dedup/src/rank_2/net.safetensors"
    save_checkpoint(
        {"o": Tensor(np.zeros(2, np.float32)), "v": Tensor(np.zeros(5, np.int64))},
        str(path),
        format="safetensors",
        remove_redundancy=True,
    )
    (tmp_path / "dedup/src/rank_3/net.safetensors").unlink()
    with pytest.raises(ValueError):
        unified_safetensors(*arguments)
    lay_out("dedup", tmp_path / "again")
    source = tmp_path / "again/dedup/src"
    save_checkpoint(
        {"o": Tensor(np.zeros(2, np.float32))},
        str(source / "rank_3/net.safetensors"),
        format="safetensors",
        remove_redundancy=True,
    )
    with pytest.raises(ValueError):
        unified_safetensors(str(source), *arguments[1:])


def test_safetensors_of_the_last_epoch_and_step_are_transformed(tmp_path: Path) -> None:
    for rank in range(4):
        values = load_checkpoint(str(STRATEGY / f"src/rank_{rank}/net.ckpt"))
        for number, name in enumerate(("net-1_2", "net-1_10")):
            (tmp_path / f"src/rank_{rank}").mkdir(parents=True, exist_ok=True)
            save_checkpoint(
                {key: Tensor(value.asnumpy() * number) for key, value in values.items()},
                str(tmp_path / f"src/rank_{rank}/{name}"),
                format="safetensors",
            )
    transform_checkpoints(str(tmp_path / "src"), str(tmp_path / "out"), "x", str(STRATEGY / "src4.ckpt"), None)
    np.testing.assert_array_equal(
        load_checkpoint(str(tmp_path / "out/rank_0/x0.ckpt"))["w"].asnumpy(), np.load(STRATEGY / "full.npz")["w"]
    )
    (tmp_path / "src/rank_1/net.ckpt").write_bytes(b"x")
    with pytest.raises(ValueError):
        transform_checkpoints(str(tmp_path / "src"), str(tmp_path / "out"), "x", str(STRATEGY / "src4.ckpt"), None)


@pytest.mark.parametrize(("target", "folder"), [(None, "to_one"), ("pipe/strategy.ckpt", "to_same")])
def test_pipeline_stages_are_transformed_byte_for_byte(target: str | None, folder: str, tmp_path: Path) -> None:
    lay_out("stages", tmp_path)
    lay_out("pipe", tmp_path)
    transform_checkpoints(
        str(tmp_path / "stages/ckpt"),
        str(tmp_path / "out"),
        "y",
        str(tmp_path / "pipe/strategy.ckpt"),
        target and str(tmp_path / target),
    )
    assert written(tmp_path / "out") == files_of(f"stages/{folder}")


def test_the_names_of_2_10_convert(tmp_path: Path) -> None:
    source, target = str(STRATEGY / "src4.ckpt"), str(STRATEGY / "dst2.ckpt")
    convert_checkpoints(str(STRATEGY / "src"), str(tmp_path), "net_", source, target)
    files = {rank: str(STRATEGY / f"src/rank_{rank}/net.ckpt") for rank in rank_list_for_convert(1, source, target)}
    convert_checkpoint_by_rank(1, files, str(tmp_path / "one.ckpt"), source, target)
    real = (STRATEGY / "dst/rank_1/net_1.ckpt").read_bytes()
    assert (tmp_path / "rank_1/net_1.ckpt").read_bytes() == (tmp_path / "one.ckpt").read_bytes() == real


@pytest.mark.parametrize("name", TABLES["layouts"])
def test_the_checkpoint_of_an_equal_rank_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = strategy_messages().ParallelStrategyMap(current_stage=0)
    for key, (dev_matrix, tensor_map, *opt) in TABLES["layouts"][name].items():
        layout = whole.parallel_layout_item.add(param_name=key).parallel_layouts
        layout.dev_matrix.add().dim.extend(dev_matrix)
        layout.tensor_map.add().dim.extend(tensor_map)
        layout.field, layout.opt_weight_shard_step, layout.opt_weight_shard_size = 0, *(opt or (0, 0))
    (tmp_path / "strategy").write_bytes(whole.SerializeToString())
    expected = TABLES["equal"][name]
    for number in range(len(expected)):
        (tmp_path / f"rank_{number}").mkdir()
        (tmp_path / f"rank_{number}/x.ckpt").touch()
    for rank, real in enumerate(expected):
        monkeypatch.setattr(unified, "get_rank", lambda rank=rank: rank)
        path = tmp_path / f"rank_{rank}/x.ckpt"
        assert get_ckpt_path_with_strategy(str(path), str(tmp_path / "strategy")) == str(path)
        path.unlink()
        found = get_ckpt_path_with_strategy(str(path), str(tmp_path / "strategy"))
        assert found == (None if real is None else str(tmp_path / f"rank_{real}/x.ckpt"))
        path.touch()
