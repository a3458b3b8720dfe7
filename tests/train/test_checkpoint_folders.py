"""``ckpt convert`` with folders: shards and indices, ranks, rules over shards, dtypes, killed runs, memory."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindspore_compat import Tensor, load_checkpoint, save_checkpoint
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format.strategy import strategy_messages
from mindspore_compat._runtime import files as atomic_files
from mindspore_compat._tensor.wrapping import byte_view
from mindspore_compat.cli import main
from mindspore_compat.parallel.checkpoint_transform import build_searched_strategy, merge_sliced_parameter
from mindspore_compat.train._checkpoint import folders, lazy
from mindspore_compat.train._checkpoint.folders import open_checkpoint
from mindspore_compat.train.checkpoint_maps import convert_checkpoint
from tests.support.processes import run_python
from tests.support.strategies import write_strategy
from tests.support.upstream import GOLDEN
from tests.train.test_checkpoint_unified import arrays, files_of, lay_out

STRATEGY = GOLDEN / "strategy"
LAYOUTS = ("ckpt", "safetensors", "bin")


def convert(*arguments: object) -> int:
    return main(["ckpt", "convert", *map(str, arguments)])


def values_of(path: Path, **options: Any) -> dict[str, Any]:
    """Everything in a file or folder, tensors with their types."""
    found = open_checkpoint(str(path), **options).values
    return {
        name: (value.tensor_type, value.tensor()) if isinstance(value, lazy.LazyTensor) else value
        for name, value in found.items()
    }


def are_equal(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(
        x == b[name]
        if isinstance(x, str)
        else x[0] == b[name][0]
        and x[1].shape == b[name][1].shape
        and torch.equal(byte_view(x[1].contiguous()), byte_view(b[name][1].contiguous()))
        for name, x in a.items()
    )


def network(**more: Any) -> dict[str, Any]:
    """Two layers in MindFormers' manner, with values of other kinds."""
    values: dict[str, Any] = {}
    for layer in range(2):
        for name in "qkv":
            values[f"model.layers.{layer}.attention.w{name}.weight"] = torch.randn(8, 6)
        values[f"model.layers.{layer}.w2.weight"] = torch.randn(4, 10).bfloat16()
    return {
        **values,
        "lm_head.weight": torch.randn(30, 6),
        "step": torch.tensor(7),
        "half": torch.ones(3).half(),
        **more,
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    save_checkpoint({name: Tensor(value) for name, value in network().items()}, str(tmp_path / "net.ckpt"))
    return tmp_path / "net.ckpt"


# --- files and folders ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_file_becomes_a_folder_and_a_file_again(kind: str, jobs: int, source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert convert(source, f"{folder}/", "--format", kind, "--shard-size", "400B", "--jobs", jobs) == 0
    names = sorted(path.name for path in folder.iterdir())
    head, end = {"ckpt": ("mindspore_model", "ckpt"), "bin": ("pytorch_model", "bin")}.get(kind, ("model", kind))
    index = {"safetensors": "param_name_map.json"}.get(kind, f"{head}.{end}.index.json")
    count = len(names) - 1
    assert names == sorted([*(f"{head}-{n:05}-of-{count:05}.{end}" for n in range(1, count + 1)), index]) and count > 3
    found = json.loads((folder / index).read_text())
    assert found["metadata"] == {"total_size": sum(value.nbytes for value in network().values())}
    assert found["weight_map"].keys() == network().keys()
    for name, file in found["weight_map"].items():
        assert name in values_of(folder / file)
    for path in folder.iterdir():
        if path.name != index:  # one large tensor may have a file of its own
            values = values_of(path)
            assert len(values) == 1 or sum(value[1].nbytes for value in values.values()) <= 400
    assert convert(folder, tmp_path / "again.ckpt") == 0
    assert are_equal(values_of(tmp_path / "again.ckpt"), values_of(source))
    assert convert(folder / index, tmp_path / "two.safetensors") == 0
    assert are_equal(values_of(tmp_path / "two.safetensors"), values_of(source))


def test_what_fits_one_file_has_no_index(source: Path, tmp_path: Path) -> None:
    for kind, name in (("ckpt", "mindspore_model.ckpt"), ("safetensors", "model.safetensors")):
        assert convert(source, tmp_path / kind, "--format", kind) == 0
        assert [path.name for path in (tmp_path / kind).iterdir()] == [name]
    assert (tmp_path / "ckpt/mindspore_model.ckpt").read_bytes() == source.read_bytes()


def test_the_consumer_of_the_names_decides_on_the_index(source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "hf", "--names", "torch", "--shard-size", "1KB") == 0
    assert (tmp_path / "hf/model.safetensors.index.json").exists()
    for file in (tmp_path / "hf").glob("*.safetensors"):
        with safetensors.safe_open(str(file), "pt") as opened:
            assert opened.metadata() == {"format": "pt"}
    assert convert(tmp_path / "hf", tmp_path / "larger", "--shard-size", "2KB") == 0  # names stay torch's
    assert (tmp_path / "larger/model.safetensors.index.json").exists()


def test_other_layouts_are_read(source: Path, tmp_path: Path) -> None:
    """MindFormers' flat maps and its folders without an index, and the folder of `unified_safetensors`."""
    assert convert(source, tmp_path / "a", "--shard-size", "500B") == 0
    index = tmp_path / "a/param_name_map.json"
    flat = json.loads(index.read_text())["weight_map"]
    index.write_text(json.dumps(flat))
    assert are_equal(values_of(tmp_path / "a"), values_of(source))
    index.rename(tmp_path / "a/ms-model.safetensors.index.json")
    assert are_equal(values_of(tmp_path / "a"), values_of(source))
    (tmp_path / "a/ms-model.safetensors.index.json").unlink()
    assert are_equal(values_of(tmp_path / "a"), values_of(source))
    lay_out("four", tmp_path)
    whole = np.load(STRATEGY / "full.npz")
    found = values_of(tmp_path / "four/dst")
    assert set(found) == {*whole.files, "accu_grads.w", "global_step"}
    assert all(np.array_equal(found[name][1].numpy(), whole[name]) for name in whole.files)


def test_folders_are_shown_and_compared(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(source, tmp_path / "a", "--shard-size", "500B") == 0
    assert main(["ckpt", "inspect", str(tmp_path / "a")]) == 0
    assert f"{len(network())} values" in capsys.readouterr().out.splitlines()[-1]
    assert main(["ckpt", "diff", str(tmp_path / "a"), str(source)]) == 0


def test_the_other_files_of_a_folder_stay(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/config.json").write_text("{}")
    assert convert(source, tmp_path / "out", "--shard-size", "500B") == 0
    assert (tmp_path / "out/config.json").read_text() == "{}"


def _without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


SECOND = "model-00002-of-00005.safetensors"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_without(SECOND), rf"param_name_map\.json names {SECOND}: no such file"),
        (lambda f: (_without(SECOND)(f), _without("param_name_map.json")(f)), rf"does not hold {SECOND}"),
        (lambda f: (f / SECOND).write_bytes((f / SECOND).read_bytes()[:-1]), "should have .* bytes, but has"),
        (lambda f: (f / SECOND).write_bytes(b"\xff" * 30), "header of .* is damaged"),
        (lambda f: (f / "param_name_map.json").write_text('{"weight_map": {"a": 3}}'), "must map names of tensors"),
        (lambda f: (f / "param_name_map.json").write_text('{"a": "../x.safetensors"}'), "must map names of tensors"),
        (lambda f: (f / "param_name_map.json").write_text("[1"), "no readable JSON"),
        (lambda f: (f / "param_name_map.json").write_text(f'{{"zz": "{SECOND}"}}'), f"says that 'zz' is in .*{SECOND}"),
        (lambda f: (f / "b.index.json").write_text("{}"), "holds several checkpoints: b.index.json, param_name_map"),
        (
            lambda f: (_without("param_name_map.json")(f), (f / "a.ckpt").write_bytes(b"")),
            "several checkpoints: a.ckpt",
        ),
    ],
)
def test_a_damaged_folder_is_refused(
    damage: Callable[[Path], object], message: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(source, tmp_path / "a", "--shard-size", "500B") == 0
    damage(tmp_path / "a")
    code = convert(tmp_path / "a", tmp_path / "b.ckpt")
    err = capsys.readouterr().err
    assert code == 1 and not (tmp_path / "b.ckpt").exists()
    assert re.search(message, err), err


def test_names_that_two_files_have_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        safetensors.torch.save_file({"w": torch.ones(2), name: torch.ones(1)}, tmp_path / f"{name}.safetensors")
    assert convert(tmp_path, tmp_path / "c.ckpt") == 1 and "'w' is in" in capsys.readouterr().err
    (tmp_path / "x.index.json").write_text(
        json.dumps({"weight_map": {"w": "b.safetensors", "a": "a.safetensors", "b": "b.safetensors"}})
    )
    assert sorted(values_of(tmp_path)) == ["a", "b", "w"]


def test_wrong_uses(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/old.safetensors").write_bytes(b"old")
    for code, message, arguments in (
        (1, "holds no checkpoint", (tmp_path / "empty", tmp_path / "x.ckpt")),
        (1, "holds a checkpoint already, old.safetensors", (source, tmp_path / "full")),
        (2, "are for a folder", (source, tmp_path / "x.ckpt", "--shard-size", "1GB")),
        (2, "are for a folder", (source, tmp_path / "x.ckpt", "--format", "ckpt")),
        (1, "must end with .ckpt", (source, tmp_path / "x.zip")),
        (2, "No such file", (source, tmp_path / "no/folder/")),
        (1, "has no folders rank_N", (source, tmp_path / "x.ckpt", "--strategy", STRATEGY / "src4.ckpt")),
        (1, "has no folders rank_N", (source, tmp_path / "x.ckpt", "--suffix", "1_1")),
        (1, "has folders rank_N", (STRATEGY / "src", tmp_path / "x.ckpt")),
        (1, "neither encryption nor CRC", (source, tmp_path / "x", "--format", "bin", "--crc")),
    ):
        assert convert(*arguments) == code, arguments
        assert message in capsys.readouterr().err
    assert (tmp_path / "full/old.safetensors").read_bytes() == b"old"
    assert not (tmp_path / "x").exists() and not (tmp_path / "x.ckpt").exists()
    for wrong in (("--shard-size", "much"), ("--shard-size", "0"), ("--dtype", "int8"), ("--jobs", "0")):
        with pytest.raises(SystemExit):
            convert(source, tmp_path / "x", *wrong)


def test_encrypted_shards(source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "a", "--format", "ckpt", "--shard-size", "900", "--enc-key", "00" * 16) == 0
    assert are_equal(values_of(tmp_path / "a", key=bytes(16)), values_of(source))
    assert convert(source, tmp_path / "b", "--format", "ckpt", "--shard-size", "900", "--crc") == 0
    for path in (tmp_path / "b").glob("*.ckpt"):
        load_checkpoint(str(path), crc_check=True)


@pytest.mark.parametrize("slice_bytes", [64, 1 << 20])
def test_portions_and_slices_do_not_show(
    slice_bytes: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codec, "SLICE_BYTES", slice_bytes)
    monkeypatch.setattr(lazy, "PORTION", 48)
    save_checkpoint({name: Tensor(value) for name, value in network().items()}, str(tmp_path / "in.ckpt"))
    rules = {"version": 1, "rules": [{"from": "lm_head.weight", "to": "t", "axes": "a b -> b a"}]}
    rules["rules"] += [{"from": "{n:.+}", "to": "x.{n}"}]  # type: ignore[operator]
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    assert convert(tmp_path / "in.ckpt", tmp_path / "a", "--rules", tmp_path / "rules.json", "--shard-size", "600") == 0
    like = tmp_path / "in.ckpt"
    assert (
        convert(tmp_path / "a", tmp_path / "b.ckpt", "--rules", tmp_path / "rules.json", "--reverse", "--like", like)
        == 0
    )
    assert (tmp_path / "b.ckpt").read_bytes() == (tmp_path / "in.ckpt").read_bytes()


TENSORS = st.dictionaries(
    st.text("abc.1é", min_size=1, max_size=6),
    st.tuples(
        st.lists(st.integers(0, 4), max_size=3),
        st.sampled_from(
            [
                torch.float32,
                torch.float64,
                torch.float16,
                torch.bfloat16,
                torch.int64,
                torch.int8,
                torch.bool,
                torch.uint8,
            ]
        ),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shapes=TENSORS,
    kinds=st.lists(st.sampled_from(LAYOUTS), min_size=1, max_size=3),
    shard=st.integers(1, 300),
    portion=st.integers(8, 64),
)
def test_round_trips(
    shapes: dict[str, Any],
    kinds: list[str],
    shard: int,
    portion: int,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lazy, "PORTION", portion // 8 * 8)
    folder = tmp_path_factory.mktemp("round")
    values = {name: (torch.rand(shape) * 9).to(dtype) for name, (shape, dtype) in shapes.items()}
    torch.save(values, folder / "0.pth")
    last = folder / "0.pth"
    for number, kind in enumerate(kinds):
        assert convert(last, f"{folder}/{number}/", "--format", kind, "--shard-size", shard) == 0
        last = folder / str(number)
    assert convert(last, folder / "end.ckpt") == 0
    assert are_equal(values_of(folder / "end.ckpt"), values_of(folder / "0.pth"))


# --- names, rules, dtypes ---------------------------------------------------------------------------------------------

RULES = {
    "version": 1,
    "rules": [
        {"from": [f"model.layers.{{i}}.attention.w{part}.weight" for part in "qkv"], "to": "layers.{i}.qkv.weight"},
        {"from": "model.layers.{i}.w2.weight", "to": "layers.{i}.down.weight", "axes": "o i -> i o"},
        {"from": "lm_head.weight", "to": ["head.0", "head.1"], "axis": 0},
        {"from": "{n:half|step}", "to": "other.{n}"},
    ],
}


def test_rules_take_their_tensors_from_several_shards(source: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    options = ("--rules", tmp_path / "rules.json", "--shard-size", "300B")
    assert convert(source, tmp_path / "shards", "--shard-size", "200B", "--format", "ckpt") == 0
    assert convert(tmp_path / "shards", tmp_path / "hf", *options, "--report", tmp_path / "report.json") == 0
    memory = {name: value[1] for name, value in values_of(source).items()}
    expected = convert_checkpoint(memory, RULES)
    found = values_of(tmp_path / "hf")
    assert found.keys() == expected.values.keys()
    assert all(torch.equal(value[1], expected.values[name]) for name, value in found.items())
    report = json.loads((tmp_path / "report.json").read_text())
    assert [row["to"] for row in report["matched"]] == [row["to"] for row in expected.report["matched"]] and report[
        "out"
    ] == str(tmp_path / "hf")
    assert convert(tmp_path / "hf", tmp_path / "back", *options, "--reverse", "--like", source) == 0
    assert are_equal(values_of(tmp_path / "back"), values_of(source))
    done = convert_checkpoint(tmp_path / "hf", RULES, tmp_path / "python.ckpt", reverse=True, like=source)
    assert (tmp_path / "python.ckpt").read_bytes() == source.read_bytes()
    assert list(done.values) == list(values_of(source))


def test_rules_that_need_values_and_a_missing_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = {
        "version": 1,
        "rules": [
            {"from": "table", "to": "places", "one_hot": True},
            {"from": "w", "to": ["w", "b"], "zeros": True},
            {"from": "emb", "to": "emb"},
            {"from": None, "to": "head", "same_as": "emb"},
        ],
    }
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    values = {"places": torch.tensor([2, 0, 1]), "w": torch.ones(2, 2), "b": torch.zeros(2), "emb": torch.ones(3, 2)}
    for number, (name, value) in enumerate({**values, "head": torch.ones(3, 2)}.items(), 1):
        safetensors.torch.save_file({name: value}, tmp_path / f"m-{number:05}-of-00005.safetensors")
    arguments = (tmp_path, tmp_path / "a.ckpt", "--rules", tmp_path / "rules.json", "--reverse")
    assert convert(*arguments) == 0
    found = load_checkpoint(str(tmp_path / "a.ckpt"))
    assert found["table"].asnumpy().tolist() == np.eye(3)[[2, 0, 1]].tolist() and set(found) == {"table", "w", "emb"}
    (tmp_path / "a.ckpt").unlink()
    safetensors.torch.save_file({"head": torch.zeros(3, 2)}, tmp_path / "m-00005-of-00005.safetensors")
    assert convert(*arguments) == 1 and "has other values" in capsys.readouterr().err
    safetensors.torch.save_file({"head": torch.ones(3, 2)}, tmp_path / "m-00005-of-00005.safetensors")
    safetensors.torch.save_file({"b": torch.ones(2)}, tmp_path / "m-00003-of-00005.safetensors")
    assert convert(*arguments) == 1 and "must be zeros" in capsys.readouterr().err
    assert not (tmp_path / "a.ckpt").exists()


def test_two_values_for_one_name_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = {"a": Tensor(np.ones(2)), "n.gamma": Tensor(np.ones(2)), "n.weight": Tensor(np.ones(2))}
    save_checkpoint(values, str(tmp_path / "a.ckpt"))
    for options, message in (
        (("--map", "a=n.gamma"), "several values get the name 'n.gamma'"),
        (("--names", "torch"), "'n.gamma' gets the name of another tensor"),
        (("--names", "mindspore"), "gets the name of another tensor"),
    ):
        assert convert(tmp_path / "a.ckpt", tmp_path / "out", *options) == 1
        assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert convert(tmp_path / "a.ckpt", tmp_path / "out", "--names", "torch", "--map", "n.weight=n.other") == 0
    assert sorted(values_of(tmp_path / "out")) == ["a", "n.other", "n.weight"]


@pytest.mark.parametrize("word", ["bf16", "float16", "fp32", "bfloat16"])
def test_floating_point_tensors_are_cast(word: str, source: Path, tmp_path: Path) -> None:
    dtype = {"bf16": torch.bfloat16, "bfloat16": torch.bfloat16, "float16": torch.float16}.get(word, torch.float32)
    save_checkpoint(
        {
            "d": Tensor(np.array([1 / 3, np.inf, np.nan])),
            "i": Tensor(np.arange(3)),
            "z": Tensor(np.ones(1, np.complex64)),
        },
        str(tmp_path / "more.ckpt"),
    )
    for path in (source, tmp_path / "more.ckpt"):
        out = tmp_path / f"{path.stem}_out"
        assert convert(path, out, "--dtype", word, "--shard-size", "500B", "--format", "ckpt") == 0
        before, after = values_of(path), values_of(out)
        for name, (_, value) in before.items():
            expected = value.to(dtype) if value.dtype.is_floating_point else value
            assert after[name][1].dtype is expected.dtype
            assert torch.equal(byte_view(after[name][1]), byte_view(expected.contiguous()))


def test_a_cast_beyond_the_range_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_checkpoint({"w": Tensor(np.array([1.0, 7e4], np.float32))}, str(tmp_path / "a.ckpt"))
    assert convert(tmp_path / "a.ckpt", tmp_path / "b", "--dtype", "fp16") == 1
    assert "w has elements beyond the range of torch.float16" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()
    assert convert(tmp_path / "a.ckpt", tmp_path / "b", "--dtype", "bf16") == 0


# --- ranks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["four", "pipe", "dedup"])
@pytest.mark.parametrize("portion", [8, 1 << 20])
def test_slices_merge_as_by_real_mindspore(
    case: str, portion: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy, "PORTION", portion)
    monkeypatch.setattr(folders, "PORTION", portion)
    lay_out(case, tmp_path)
    expected = {}
    for name, data in files_of(case).items():
        if name.startswith("dst/") and name.endswith(".safetensors"):
            expected.update(arrays(data))
    assert convert(tmp_path / case / "src", tmp_path / "out", "--strategy", tmp_path / case / "strategy.ckpt") == 0
    found = arrays((tmp_path / "out/model.safetensors").read_bytes())
    assert found == expected


def test_slices_merge_as_by_merge_sliced_parameter(tmp_path: Path) -> None:
    strategy = build_searched_strategy(str(STRATEGY / "src4.ckpt"))
    ranks = [load_checkpoint(str(STRATEGY / f"src/rank_{rank}/net.ckpt")) for rank in range(4)]
    assert convert(STRATEGY / "src", tmp_path / "out.ckpt", "--strategy", STRATEGY / "src4.ckpt") == 0
    found = load_checkpoint(str(tmp_path / "out.ckpt"))
    full = np.load(STRATEGY / "full.npz")
    for name in full.files:
        merged = merge_sliced_parameter([values[name] for values in ranks], strategy)
        np.testing.assert_array_equal(found[name].asnumpy(), merged.asnumpy())
    assert list(found) == list(ranks[0])


def _two_ranks(folder: Path, steps: tuple[str, ...] = ("1_2", "1_2"), **more: Any) -> Path:
    """A parameter cut on axis 1 over two ranks, one on axis 0, and one that each has."""
    whole, rows = np.arange(24, dtype=np.float32).reshape(3, 8), np.arange(6)
    for rank, step in enumerate(steps):
        (folder / f"rank_{rank}").mkdir(parents=True, exist_ok=True)
        values = {"w": whole[:, 4 * rank : 4 * rank + 4], "r": rows[3 * rank : 3 * rank + 3], "step": np.array(3)}
        save_checkpoint({**values, **more.get(f"rank_{rank}", {})}, str(folder / f"rank_{rank}/net-{step}.ckpt"))
    write_strategy(
        strategy_messages().ParallelStrategyMap, folder / "strategy.ckpt", {"w": ([2], [-1, 0]), "r": ([2], [0])}
    )
    return folder / "strategy.ckpt"


def test_ranks_must_fit_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strategy = _two_ranks(tmp_path / "a", ("1_2", "1_1"))
    save_checkpoint({"w": np.zeros((3, 4), np.float32)}, str(tmp_path / "a/rank_0/net-1_1.ckpt"))
    assert convert(tmp_path / "a", tmp_path / "x.ckpt", "--strategy", strategy) == 1
    assert "not of one step" in capsys.readouterr().err
    strategy = _two_ranks(tmp_path / "b", rank_1={"w": np.zeros((3, 3), np.float32)})
    assert convert(tmp_path / "b", tmp_path / "x.ckpt", "--strategy", strategy) == 1
    assert "the ranks hold 'w' in different shapes" in capsys.readouterr().err
    strategy = _two_ranks(tmp_path / "c", rank_0={"z": np.zeros(3)}, rank_1={"z": np.zeros(2)})
    assert convert(tmp_path / "c", tmp_path / "x.ckpt", "--strategy", strategy) == 1
    assert "which the strategy does not name" in capsys.readouterr().err
    strategy = _two_ranks(tmp_path / "d")
    (tmp_path / "d/rank_1/net-1_2.ckpt").unlink()
    assert convert(tmp_path / "d", tmp_path / "x.ckpt", "--strategy", strategy) == 1
    assert "rank 1 is needed" in capsys.readouterr().err
    strategy = _two_ranks(tmp_path / "e")
    save_checkpoint(
        {"w": np.zeros((3, 4), np.float32)}, str(tmp_path / "e/rank_0/net-1_2.safetensors"), format="safetensors"
    )
    assert convert(tmp_path / "e", tmp_path / "x.ckpt", "--strategy", strategy) == 1
    assert "both .ckpt and .safetensors" in capsys.readouterr().err
    strategy = _two_ranks(tmp_path / "f", ("1_2",) * 4)
    assert convert(tmp_path / "f", tmp_path / "x.ckpt", "--strategy", strategy) == 1
    assert "there is a rank 3" in capsys.readouterr().err
    assert not (tmp_path / "x.ckpt").exists()


def test_a_step_is_chosen_by_its_suffix(tmp_path: Path) -> None:
    strategy = _two_ranks(tmp_path / "a")
    for rank in range(2):
        save_checkpoint({"w": np.zeros((3, 4), np.float32)}, str(tmp_path / f"a/rank_{rank}/net-1_9.ckpt"))
    assert convert(tmp_path / "a", tmp_path / "last.ckpt", "--strategy", strategy) == 0
    assert not load_checkpoint(str(tmp_path / "last.ckpt"))["w"].asnumpy().any()
    assert convert(tmp_path / "a", tmp_path / "x.ckpt", "--strategy", strategy, "--suffix", "1_2", "--map", "w=v") == 0
    found = load_checkpoint(str(tmp_path / "x.ckpt"))
    np.testing.assert_array_equal(found["v"].asnumpy(), np.arange(24).reshape(3, 8))
    np.testing.assert_array_equal(found["r"].asnumpy(), np.arange(6))
    assert int(found["step"].asnumpy()) == 3


# --- all or nothing ---------------------------------------------------------------------------------------------------


def _killed_at(number: int, after: bool, arguments: tuple[object, ...]) -> None:
    """Convert in another process, which is killed before or after a rename."""
    child = os.fork()
    if child == 0:
        calls, replace = [0], os.replace

        def rename(*paths: Any) -> None:
            if calls[0] == number and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            replace(*paths)
            if calls[0] == number:
                os.kill(os.getpid(), signal.SIGKILL)
            calls[0] += 1

        atomic_files.os.replace = rename  # type: ignore[assignment]
        os._exit(convert(*arguments))
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize("kind", ["safetensors", "ckpt"])
def test_a_killed_run_leaves_a_whole_folder_or_none(kind: str, source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "whole", "--shard-size", "500B", "--format", kind) == 0
    count = len(list((tmp_path / "whole").iterdir()))
    for number in range(count):
        for after in (False, True):
            out = tmp_path / f"{number}{after}"
            _killed_at(number, after, (source, out, "--shard-size", "500B", "--format", kind))
            try:
                assert are_equal(values_of(out), values_of(source)) and number >= count - 2
            except ValueError as error:
                assert "holds no checkpoint" in str(error) or "not complete" in str(error)
                assert number < count - 1
    left = tmp_path / "0False"
    assert any(path.name.endswith(".tmp") for path in left.iterdir())
    atomic_files._cleaned.clear()
    assert convert(source, left, "--shard-size", "500B", "--format", kind) == 0  # and takes away what was left there
    assert {path.name for path in left.iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}


def test_a_killed_run_leaves_the_old_file(source: Path, tmp_path: Path) -> None:
    for end in ("ckpt", "safetensors", "pth"):
        out = tmp_path / f"out.{end}"
        out.write_bytes(b"old")
        _killed_at(0, False, (source, out))
        assert out.read_bytes() == b"old"


def test_a_run_that_is_killed_while_it_writes_leaves_nothing(source: Path, tmp_path: Path) -> None:
    for number in (1, 4, 9):
        out, (reader, writer) = tmp_path / str(number), os.pipe()
        child = os.fork()
        if child == 0:
            read = lazy.Content.pieces

            def pieces(self: lazy.Content) -> Any:
                for piece in read(self):
                    time.sleep(0.02)
                    os.write(writer, b"p")
                    yield piece

            lazy.Content.pieces = pieces  # type: ignore[method-assign]
            os._exit(convert(source, out, "--shard-size", "500B", "--jobs", "2"))
        for _ in range(number):
            assert os.read(reader, 1) == b"p"
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        os.close(reader), os.close(writer)
        assert all(path.name.endswith(".tmp") for path in out.iterdir())
        with pytest.raises(ValueError):
            open_checkpoint(str(out))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_leaves_nothing(
    jobs: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(self: lazy.Content) -> Any:
        if len(self) == 720:
            raise OSError(28, "No space left on device")
        yield from pieces(self)

    pieces = lazy.Content.pieces
    monkeypatch.setattr(lazy.Content, "pieces", full)
    assert convert(source, tmp_path / "out", "--shard-size", "500B", "--jobs", jobs) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


# --- memory -----------------------------------------------------------------------------------------------------------

PEAK = """
import resource, sys
from mindspore_compat.cli import main
main(["ckpt", "maps", "--json"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert main(["ckpt", "convert", *sys.argv[1:]]) == 0
print("grown", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_checkpoint(tmp_path: Path) -> None:
    """160 MiB of 8 MiB tensors: the process needs less than 64 MiB more than before, with merges and a transpose."""
    values = {f"l{i}.{part}": np.full((1024, 2048), i, np.float32) for i in range(5) for part in "qkvo"}
    save_checkpoint(values, str(tmp_path / "a.ckpt"))
    rules = [
        {"from": [f"l{{i}}.{part}" for part in "qkv"], "to": "b{i}.qkv"},
        {"from": "l{i}.o", "to": "b{i}.o", "axes": "a b -> b a"},
    ]
    (tmp_path / "rules.json").write_text(json.dumps({"version": 1, "rules": rules}))
    done = run_python("-c", PEAK, "a.ckpt", "out/", "--rules", "rules.json", cwd=tmp_path, fresh=True)
    assert int(done.stdout.rpartition("grown ")[2]) < 64 << 10, done.stdout[-200:]


def test_many_files_are_closed(source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "a", "--shard-size", "200B") == 0
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        values_of(tmp_path / "a")
    assert len(os.listdir("/proc/self/fd")) == before
