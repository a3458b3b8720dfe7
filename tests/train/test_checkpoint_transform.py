"""Strategy files, merging and cutting, conversion in bulk, print files: against what real MindSpore did."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, load_checkpoint, nn, save_checkpoint
from mindspore_compat._format.strategy import strategy_messages
from mindspore_compat.parallel import checkpoint_transform as ct
from mindspore_compat.parallel._layout import TensorLayout, assemble, needed_ranks
from mindspore_compat.train.serialization import ckpt_to_safetensors, parse_print, safetensors_to_ckpt
from tests.support.strategies import write_strategy
from tests.support.upstream import GOLDEN, read_json

STRATEGY = GOLDEN / "strategy"
SRC, DST = str(STRATEGY / "src4.ckpt"), str(STRATEGY / "dst2.ckpt")


def test_a_strategy_file_is_read() -> None:
    found = ct.build_searched_strategy(SRC)
    expected = read_json("strategy/expected.json")["build_searched_strategy(src4.ckpt)"]
    assert {
        name: {
            "dev_matrix": list(item.dev_matrix[0].dim),
            "tensor_map": list(item.tensor_map[0].dim),
            "field": item.field,
            "opt_weight_shard_step": item.opt_weight_shard_step,
            "opt_weight_shard_size": item.opt_weight_shard_size,
        }
        for name, item in found.items()
    } == expected


def test_slices_merge_to_the_full_parameters() -> None:
    strategy, full = ct.build_searched_strategy(SRC), np.load(STRATEGY / "full.npz")
    ranks = [load_checkpoint(str(STRATEGY / f"src/rank_{rank}/net.ckpt")) for rank in range(4)]
    for name in full.files:
        merged = ct.merge_sliced_parameter([values[name] for values in ranks], strategy)
        assert merged.name == name
        np.testing.assert_array_equal(merged.asnumpy(), full[name])


def test_checkpoints_are_transformed_as_upstream(tmp_path: Path) -> None:
    ct.transform_checkpoints(str(STRATEGY / "src"), str(tmp_path), "net_", SRC, DST)
    for rank in range(2):
        written, real = tmp_path / f"rank_{rank}/net_{rank}.ckpt", STRATEGY / f"dst/rank_{rank}/net_{rank}.ckpt"
        assert written.read_bytes() == real.read_bytes()
        files = {
            number: str(STRATEGY / f"src/rank_{number}/net.ckpt")
            for number in ct.rank_list_for_transform(rank, SRC, DST)
        }
        ct.transform_checkpoint_by_rank(rank, files, str(tmp_path / f"by_{rank}.ckpt"), SRC, DST)
        assert (tmp_path / f"by_{rank}.ckpt").read_bytes() == real.read_bytes()


def test_checkpoints_are_transformed_to_and_from_one_device(tmp_path: Path) -> None:
    full = np.load(STRATEGY / "full.npz")
    ct.transform_checkpoints(str(STRATEGY / "src"), str(tmp_path / "one"), "w_", SRC, None, output_format="safetensors")
    one = load_checkpoint(str(tmp_path / "one/rank_0/w_0.safetensors"), format="safetensors")
    for name in full.files:
        np.testing.assert_array_equal(one[name].asnumpy(), full[name])
    ct.transform_checkpoints(str(tmp_path / "one"), str(tmp_path / "four"), "x_", None, SRC)
    for rank in range(4):
        real = load_checkpoint(str(STRATEGY / f"src/rank_{rank}/net.ckpt"))
        ours = load_checkpoint(str(tmp_path / f"four/rank_{rank}/x_{rank}.ckpt"))
        assert {name: value.asnumpy().tolist() for name, value in ours.items()} == {
            name: value.asnumpy().tolist() for name, value in real.items()
        }


def test_a_missing_rank_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        ct.transform_checkpoint_by_rank(
            0, {0: str(STRATEGY / "src/rank_0/net.ckpt")}, str(tmp_path / "a.ckpt"), SRC, None
        )
    with pytest.raises(ValueError):
        ct.transform_checkpoints(str(tmp_path), str(tmp_path), "a", SRC, DST)


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (TensorLayout((2, 4), ((1,), (-1,))), (8, 6)),
        (TensorLayout((2, 4), ((-1,), (0,))), (8, 8)),
        (TensorLayout((2, 2, 2), ((2, 0), (-1,))), (8, 3)),
        (TensorLayout((4, 2), ((0,),), opt_size=-1), (16,)),
        (TensorLayout((4, 2), ((0,),), opt_size=2), (16, 3)),
        (TensorLayout((8,), ((-1,),), opt_size=4), (8,)),
    ],
)
def test_every_cut_is_undone(layout: TensorLayout, shape: tuple[int, ...]) -> None:
    import torch

    full = torch.arange(int(np.prod(shape))).reshape(shape)
    whole = tuple((0, size) for size in shape)
    slices = {rank: full[tuple(slice(*part) for part in layout.box(rank, shape))] for rank in range(layout.device_num)}
    assert layout.full_shape(slices[0].shape) == shape
    needed = needed_ranks(whole, layout, shape, 1)
    assert sum(slices[rank].numel() for rank in needed) == full.numel()
    assert torch.equal(assemble(whole, {rank: slices[rank] for rank in needed}, layout, shape, "x"), full)


def _strategy_file(path: Path, layouts: dict[str, tuple], stage: int = 0) -> str:
    return write_strategy(strategy_messages().ParallelStrategyMap, path, layouts, stage)


def test_pipeline_stages_are_merged_and_transformed(tmp_path: Path) -> None:
    (tmp_path / "stages").mkdir()
    for stage, name in enumerate(("a", "b")):
        _strategy_file(tmp_path / "stages" / f"s{stage}.ckpt", {name: ((2,), (0, -1))}, stage)
    merged = str(tmp_path / "merged.ckpt")
    ct.merge_pipeline_strategys(str(tmp_path / "stages"), merged)
    assert list(ct.build_searched_strategy(merged)) == ["0-a", "1-b"]
    full = {name: np.random.rand(4, 3).astype(np.float32) for name in "ab"}
    for rank in range(4):
        (tmp_path / f"src/rank_{rank}").mkdir(parents=True)
        name = "ab"[rank // 2]
        save_checkpoint({name: full[name][rank % 2 * 2 : rank % 2 * 2 + 2]}, str(tmp_path / f"src/rank_{rank}/x.ckpt"))
    assert ct.rank_list_for_transform(0, merged, None) == [3, 2, 1, 0]
    ct.transform_checkpoints(str(tmp_path / "src"), str(tmp_path / "dst"), "y", merged, None)
    found = load_checkpoint(str(tmp_path / "dst/rank_0/y0.ckpt"))
    for name, array in full.items():
        np.testing.assert_array_equal(found[name].asnumpy(), array)


def test_a_json_strategy_is_the_same(tmp_path: Path) -> None:
    items = read_json("strategy/expected.json")["build_searched_strategy(src4.ckpt)"]
    path = tmp_path / "s.json"
    path.write_text(
        json.dumps({"current_stage": 0, "parallel_strategy_item": {"n": {"stage": 0}}, "parallel_layout_item": items})
    )
    a, b = ct.build_searched_strategy(str(path)), ct.build_searched_strategy(SRC)
    assert [list(a[name].tensor_map[0].dim) for name in a] == [list(b[name].tensor_map[0].dim) for name in b]
    (tmp_path / "in").mkdir()
    os.rename(path, tmp_path / "in/s.json")
    ct.merge_pipeline_strategys(str(tmp_path / "in"), str(tmp_path / "out/m.json"))
    assert list(ct.build_searched_strategy(str(tmp_path / "out/m.json"))) == [f"0-{name}" for name in items]


def test_uneven_slices_and_fields() -> None:
    layouts = strategy_messages().ParallelLayouts
    uneven = layouts(field=0, opt_weight_shard_step=0, opt_weight_shard_size=0)
    uneven.dev_matrix.add().dim.append(2)
    uneven.tensor_map.add().dim.extend((0, -1))
    uneven.param_split_shape.add().dim.extend((3, 1))
    slices = [Parameter(Tensor(np.ones((rows, 2), np.float32) * rows), name="e") for rows in (3, 1)]
    np.testing.assert_array_equal(ct.merge_sliced_parameter(slices, {"e": uneven}).asnumpy()[:, 0], [3, 3, 3, 1])
    with pytest.raises(ValueError):
        ct.merge_sliced_parameter(slices[::-1], {"e": uneven})


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            lambda: ct.merge_sliced_parameter([Parameter(Tensor([1.0]), name="b")], ct.build_searched_strategy(SRC)),
            ValueError,
        ),
        (lambda: ct.build_searched_strategy("no"), ValueError),
        (lambda: ct.merge_pipeline_strategys("no", "x"), NotADirectoryError),
        (lambda: parse_print(__file__), RuntimeError),
        (lambda: ckpt_to_safetensors(str(STRATEGY)), ValueError),
    ],
)
def test_wrong_arguments(call, error: type) -> None:
    with pytest.raises(error):
        call()


def test_group_info() -> None:
    assert (
        ct.restore_group_info_list(str(STRATEGY / "group_info.pb"))
        == read_json("strategy/group_info.json")["restore_group_info_list"]
    )


def test_a_distributed_checkpoint_is_loaded_whole_and_cut() -> None:
    full = np.load(STRATEGY / "full.npz")
    files = [str(STRATEGY / f"src/rank_{rank}/net.ckpt") for rank in range(4)]

    class Net(nn.Cell):
        def __init__(self, shapes: dict[str, tuple]) -> None:
            super().__init__()
            for name, shape in shapes.items():
                self.insert_param_to_cell(name, Parameter(Tensor(np.zeros(shape, np.float32)), name=name))

    net = Net({name: full[name].shape for name in full.files})
    assert ct.load_distributed_checkpoint(net, files, None, SRC) is True
    for parameter in net.get_parameters():
        np.testing.assert_array_equal(parameter.asnumpy(), full[parameter.name])
    half = Net({"w": (full["w"].shape[0] // 2, *full["w"].shape[1:])})
    ct.load_distributed_checkpoint(half, files, {"w": [[2], [0, -1], [], 0]}, SRC)
    np.testing.assert_array_equal(half.w.asnumpy(), full["w"][: len(full["w"]) // 2])


def test_files_are_converted_there_and_back(tmp_path: Path) -> None:
    source = GOLDEN / "ckpt/net.ckpt"
    ckpt_to_safetensors(str(source), str(tmp_path / "a"))
    safetensors_to_ckpt(str(tmp_path / "a/net.safetensors"), str(tmp_path / "b"), name_map={"conv.weight": "c.w"})
    a, b = load_checkpoint(str(source)), load_checkpoint(str(tmp_path / "b/net.ckpt"))
    assert sorted(b) == sorted("c.w" if name == "conv.weight" else name for name in a)
    (tmp_path / "many/rank_0").mkdir(parents=True)
    (tmp_path / "many/rank_0/x.ckpt").write_bytes(source.read_bytes())
    ckpt_to_safetensors(str(tmp_path / "many"), str(tmp_path / "out"), file_name_regex="^x")
    assert list(load_checkpoint(str(tmp_path / "out/rank_0/x.safetensors"), format="safetensors")) == sorted(a)


@pytest.mark.parametrize("name", ["print_1x.data", "print_2x.data"])
def test_print_files(name: str) -> None:
    found = parse_print(str(GOLDEN / "printfile" / name))
    for ours, expected in zip(found, read_json("printfile/expected.json"), strict=True):
        if isinstance(expected, str):
            assert ours == expected
        else:
            assert (str(ours.asnumpy().dtype), list(ours.shape)) == (expected["dtype"], expected["shape"])
            np.testing.assert_array_equal(ours.asnumpy(), np.array(expected["value"], expected["dtype"]))
