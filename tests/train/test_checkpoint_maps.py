"""Checkpoint maps: rule files in both directions, the shipped maps on the names of the published networks, and what the networks then compute."""
from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import load_checkpoint, nn, ops, save_checkpoint
from mindspore_compat.cli import main
from mindspore_compat.train.checkpoint_maps import available, convert_checkpoint, match_arithmetic
from mindspore_compat.train.checkpoint_maps._axes import Axes
from tests.projects.map_networks import torchvision_models

NAMES = Path(__file__).parents[1] / "golden/maps"


def _rules(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 1, "rules": list(rows), **more}


def _row(source: Any, target: Any, **more: Any) -> dict[str, Any]:
    return {"from": source, "to": target, **more}


def _values(**shapes: tuple[int, ...]) -> dict[str, torch.Tensor]:
    return {name: torch.randn(shape) for name, shape in shapes.items()}


def _there_and_back(values: dict[str, torch.Tensor], rules: Any) -> dict[str, torch.Tensor]:
    """What is made of the values, if the way back gives them again."""
    done = convert_checkpoint(values, rules).values
    back = convert_checkpoint(done, rules, reverse=True, like=values).values
    assert list(back) == list(values) and all(torch.equal(back[name], value) and back[name].dtype is value.dtype for name, value in values.items())
    return done


# --- names --------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("source", "target", "name", "made"), [
    ("a{n}.w", "b.{n}.w", "a10.w", "b.10.w"), ("a.{n}.w", "b.{n-2}.w", "a.3.w", "b.1.w"), ("a.{n+1}.w", "b.{n}.w", "a.1.w", "b.0.w"),
    ("{path:.+}.gamma", "{path}.weight", "a.b.gamma", "a.b.weight"), ("x.{code:[a-z]{2}}", "y.{code}", "x.ab", "y.ab"),
    ("x.{bn}", "y.{bn}", "x.gamma", "y.weight"), ("{s}.blocks.{b}.w", "l{s}.b{b}.w", "1.blocks.0.w", "l1.b0.w"),
    ("l{n}.to{n+1}", "{n}", "l1.to2", "1"), ("a[0].w", "a(0)+w", "a[0].w", "a(0)+w")])
def test_a_name_is_renamed_and_back(source: str, target: str, name: str, made: str) -> None:
    done = _there_and_back({name: torch.randn(2)}, _rules(_row(source, target), tables={"bn": {"gamma": "weight", "beta": "bias"}}))
    assert list(done) == [made]


@pytest.mark.parametrize(("pattern", "name"), [("a{n}.w", "a01.w"), ("a{n}.w", "a.w"), ("a{n}.w", "xa1.w"), ("l{n}.to{n+1}", "l1.to3"),
                                               ("x.{bn}", "x.weight"), ("a.w", "abw"), ("m.{n+2}", "m.1")])
def test_other_names_do_not_match(pattern: str, name: str) -> None:
    place = "{n}" if "{n" in pattern else "{bn}" if "bn" in pattern else ""
    with pytest.raises(ValueError, match=r"1 names have no rule"):
        convert_checkpoint({name: torch.ones(1)}, _rules(_row(pattern, f"to.{place}"), tables={"bn": {"gamma": "weight", "beta": "bias"}}))


def test_a_number_below_zero_is_no_name() -> None:
    rules = _rules(_row("f.0", "stem"), _row("f.{n}", "b.{n-3}"))
    assert list(_there_and_back(_values(**{"f.0": (1,), "f.3": (2,)}), rules)) == ["stem", "b.0"]
    with pytest.raises(ValueError, match=r"no rule in the rules: f\.2"):
        convert_checkpoint(_values(**{"f.2": (1,)}), rules)


def test_the_first_rule_takes_a_name_and_the_way_back_is_checked() -> None:
    first, wide = _row("a.0.w", "b.stem"), _row("a.{n}.w", "b.{n}")
    assert list(_there_and_back(_values(**{"a.0.w": (1,), "a.1.w": (1,)}), _rules(first, wide))) == ["b.stem", "b.1"]
    with pytest.raises(ValueError, match=r"rule 2 of the rules makes 'x\.5' of \['a\.5'\], but on the way back that name belongs to rule 1"):
        convert_checkpoint(_values(**{"a.5": (1,)}), _rules(_row("b.{k:5}", "x.{k}"), _row("a.{n}", "x.{n}")))


def test_two_sources_for_one_name_are_an_error() -> None:
    rules = _rules(_row("a.{k:w}", "x.{k}"), _row("b.{k:w}", "x.{k}"))
    with pytest.raises(ValueError, match=r"both 'a\.w' and 'b\.w' become 'x\.w'"):
        convert_checkpoint(_values(**{"a.w": (1,), "b.w": (1,)}), rules)


def test_unknown_names_are_an_error_or_in_the_report() -> None:
    rules, values = _rules(_row("a", "b"), _row("m.{r:.*}", None)), _values(a=(1,), c=(2,), **{"m.a": (1,)})
    with pytest.raises(ValueError, match="1 names have no rule in the rules: c"):
        convert_checkpoint(values, rules)
    report = convert_checkpoint(values, rules, partial=True).report
    assert report["unmatched"] == ["c"] and report["dropped"] == [{"name": "m.a", "rule": "rule 2 of the rules"}]
    assert report["matched"] == [{"from": ["a"], "to": ["b"], "shapes": [[1]], "rule": "rule 1 of the rules", "change": ""}]
    assert (report["tensors"], report["elements"], report["direction"]) == (1, 1, "forward")
    with pytest.raises(ValueError, match="nothing is left"):
        convert_checkpoint(_values(c=(1,)), rules, partial=True)


def test_values_that_are_no_tensors_have_to_be_dropped() -> None:
    values = {"a": torch.ones(1), "note": "text"}
    with pytest.raises(TypeError, match="'note' is str"):
        convert_checkpoint(values, _rules(_row("{n:.*}", "x.{n}")))
    assert list(convert_checkpoint(values, _rules(_row("note", None), _row("{n:.*}", "x.{n}"))).values) == ["x.a"]


# --- what is done with tensors ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("axis", [0, 1])
def test_parts_are_merged_and_split(axis: int) -> None:
    merge = _rules(_row([f"b{{i}}.{part}.w" for part in "qkv"], "blocks.{i}.qkv", axis=axis))
    values = {f"b{i}.{part}.w": torch.randn(4, 6) for i in range(2) for part in "qkv"}
    done = _there_and_back(values, merge)
    assert torch.equal(done["blocks.1.qkv"], torch.cat([values[f"b1.{part}.w"] for part in "qkv"], axis))
    split = _rules(_row("blocks.{i}.qkv", [f"b{{i}}.{part}.w" for part in "qkv"], axis=axis))
    again = _there_and_back(done, split)
    assert set(again) == set(values) and all(torch.equal(again[name], values[name]) for name in values)


def test_what_can_not_be_merged_or_split_is_an_error() -> None:
    rules = _rules(_row(["q", "k"], "qk", axis=1))
    with pytest.raises(ValueError, match="needs k beside q"):
        convert_checkpoint(_values(q=(2, 2)), rules)
    with pytest.raises(ValueError, match=r"q, k \(rule 1 of the rules\): tensors of the shapes \[\(2, 2\), \(2, 3\)\] can not be merged"):
        convert_checkpoint(_values(q=(2, 2), k=(2, 3)), rules)
    with pytest.raises(ValueError, match="can not be merged on axis 1"):
        convert_checkpoint(_values(q=(2,), k=(2,)), rules)
    with pytest.raises(ValueError, match=r"the shape \(2, 3\) has no 2 equal parts on axis 1"):
        convert_checkpoint(_values(qk=(2, 3)), rules, reverse=True)


@pytest.mark.parametrize(("text", "sizes", "shape", "expected"), [
    ("o i -> i o", {}, (2, 3), lambda x: x.T), ("o i -> o i 1 1", {}, (2, 3), lambda x: x[:, :, None, None]),
    ("o (c 7 7) -> o c 7 7", {}, (2, 98), lambda x: x.view(2, 2, 7, 7)), ("o (3 p p) -> o 3 p p", {}, (5, 48), lambda x: x.view(5, 3, 4, 4)),
    ("o (h w c) -> o c h w", {"h": 2, "w": 3}, (4, 30), lambda x: x.view(4, 2, 3, 5).permute(0, 3, 1, 2)),
    ("(h d) i -> (d h) i", {"h": 2}, (6, 2), lambda x: x.view(2, 3, 2).transpose(0, 1).reshape(6, 2)),
    ("1 o i -> o i", {}, (1, 2, 3), lambda x: x[0])])
def test_axes(text: str, sizes: dict[str, int], shape: tuple[int, ...], expected: Any) -> None:
    tensor = torch.randn(shape)
    done = _there_and_back({"a": tensor}, _rules(_row("a", "b", axes=text, sizes=sizes)))
    assert torch.equal(done["b"], expected(tensor))


@pytest.mark.parametrize(("text", "sizes", "shape", "message"), [
    ("o i -> i o", {}, (2, 3, 4), r"the shape \(2, 3, 4\) is not that of the axes"), ("o (3 p p) -> o 3 p p", {}, (5, 49), "is not that"),
    ("o (3 p p) -> o 3 p p", {}, (5, 60), "is not that"), ("(a b) -> a b", {}, (6,), "do not follow from the shape"),
    ("(a b) -> a b", {"a": 4}, (6,), "is not that"), ("o 1 -> o", {}, (2, 3), "is not that")])
def test_wrong_shapes_for_axes(text: str, sizes: dict[str, int], shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        convert_checkpoint({"a": torch.zeros(shape)}, _rules(_row("a", "b", axes=text, sizes=sizes)))


@pytest.mark.parametrize(("text", "message"), [("o i", "with '->' between"), ("o i -> o", "on one side only"), ("o 2 -> o", "on one side only"),
                                               ("o ? -> o ?", "neither a name nor a size"), ("0 o -> o 0", "neither a name nor a size")])
def test_axes_that_say_nothing(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Axes(text)


def test_one_hot_rows_are_indices_and_back() -> None:
    rules, rows = _rules(_row("a", "b", one_hot=True)), torch.eye(4)[[2, 0, 3, 3, 1]]
    assert _there_and_back({"a": rows}, rules)["b"].tolist() == [2, 0, 3, 3, 1]
    for wrong in (rows * 2, rows[:2], rows.double(), rows[0], torch.zeros(2, 2)):
        with pytest.raises(ValueError, match="must be float32 rows of one 1"):
            convert_checkpoint({"a": wrong}, rules)
    for wrong in (torch.tensor([1, -1]), torch.tensor([1.0]), torch.tensor([[1]]), torch.tensor([1 << 40])):
        with pytest.raises(ValueError, match="indices must be a list of int64|no table is so large"):
            convert_checkpoint({"b": wrong}, rules, reverse=True)


def test_a_bias_of_zeros_is_added_and_must_be_zeros_on_the_way_back() -> None:
    rules = _rules(_row("c{n}.w", ["c{n}.weight", "c{n}.bias"], zeros=True))
    done = _there_and_back(_values(**{"c1.w": (3, 2)}), rules)
    assert done["c1.bias"].tolist() == [0, 0, 0]
    done["c1.bias"][1] = 0.5
    with pytest.raises(ValueError, match="must be zeros, since the MindSpore network has none"):
        convert_checkpoint(done, rules, reverse=True)


def test_a_second_name_is_dropped_only_if_it_is_the_same() -> None:
    rules = _rules(_row("table", "emb.weight"), _row(None, "decoder.weight", same_as="emb.weight"))
    table = torch.randn(3, 2)
    assert list(convert_checkpoint({"emb.weight": table, "decoder.weight": table.clone()}, rules, reverse=True).values) == ["table"]
    with pytest.raises(ValueError, match=r"'decoder\.weight' is dropped by rule 2 .* which has other values"):
        convert_checkpoint({"emb.weight": table, "decoder.weight": table + 1}, rules, reverse=True)
    with pytest.raises(ValueError, match="which is not there"):
        convert_checkpoint({"decoder.weight": table}, rules, reverse=True)


def test_a_name_beside_tells_rules_apart() -> None:
    rules = _rules(_row("f.{n}.{bn}", "f.{n}.{bn}", beside=["f.{n}.gamma", "f.{n}.running_mean"]), _row("f.{n}.weight", "f.{n}.weight"),
                   tables={"bn": {"gamma": "weight", "beta": "bias", "moving_mean": "running_mean"}})
    values = _values(**{"f.0.weight": (2, 3), "f.1.gamma": (2,), "f.1.beta": (2,), "f.1.moving_mean": (2,)})
    assert list(_there_and_back(values, rules)) == ["f.0.weight", "f.1.weight", "f.1.bias", "f.1.running_mean"]


def test_dtypes_are_checked_and_changed() -> None:
    rules = _rules(_row("a", "b", dtype=["float32", "float16"]))
    assert convert_checkpoint({"a": torch.ones(2)}, rules).values["b"].dtype is torch.float16
    assert convert_checkpoint({"b": torch.ones(2).half()}, rules, reverse=True).values["a"].dtype is torch.float32
    with pytest.raises(ValueError, match=r"the dtype must be torch\.float32, but is torch\.float64"):
        convert_checkpoint({"a": torch.ones(2).double()}, rules)


# --- the network that is to load it -------------------------------------------------------------------------------------------

def test_like_compares_names_and_shapes_and_gives_the_order() -> None:
    rules = _rules(_row("w", "weight"), _row("b", "bias"), _row(None, "{p:.*}count"))
    values = _values(b=(3,), w=(3, 2))
    net = torch.nn.Linear(2, 3)
    assert list(convert_checkpoint(values, rules, like=net).values) == ["weight", "bias"]
    with pytest.raises(ValueError, match=r"weight has the shape \[3, 2\] instead of \[3, 4\]"):
        convert_checkpoint(values, rules, like=torch.nn.Linear(4, 3), partial=True)
    with pytest.raises(ValueError, match=r"missing: extra \(nearest"):
        convert_checkpoint(values, rules, like={**net.state_dict(), "extra": torch.ones(3)})
    with pytest.raises(ValueError, match="unknown there: bias"):
        convert_checkpoint(values, rules, like={"weight": torch.ones(3, 2)})
    done = convert_checkpoint(values, rules, like={"weight": torch.ones(3, 2), "more": torch.ones(1), "a.count": torch.ones(())}, partial=True)
    assert list(done.values) == ["weight"]
    assert done.report["like"] == {"missing": ["more"], "extra": ["bias"], "shapes": [], "made by the network": ["a.count"]}


def test_like_takes_a_cell_and_a_file(tmp_path: Path) -> None:
    net = nn.Dense(2, 3)
    rules = _rules(_row("weight", "w"), _row("bias", "b"))
    done = convert_checkpoint({"b": torch.zeros(3), "w": torch.zeros(3, 2)}, rules, reverse=True, like=net)
    assert list(done.values) == ["weight", "bias"]
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    assert list(convert_checkpoint(done.values, _rules(_row("{n:.*}", "{n}")), like=tmp_path / "a.ckpt").values) == ["weight", "bias"]


# --- rule files ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("rules", "message"), [
    ({"rules": []}, "must have 'version' 1"), ({"version": 1, "rulez": []}, "rulez"), ({"version": 1, "rules": {}}, "'rules' must be a JSON list"),
    (_rules({"from": "a"}), "rule 1 of the rules must be an object with 'from', 'to'"), (_rules(_row("a", "b", axsi=1)), "rule 1"),
    (_rules(_row(None, None)), "one name on one side at least"), (_rules(_row(["a", "b"], ["c", "d"])), "one name on one side"),
    (_rules(_row([], "a")), "'from' must be a name"), (_rules(_row(1, "a")), "'from' must be a name"), (_rules(_row("", "a")), "'from' must be a name"),
    (_rules(_row("a{n}", "b")), "must have the same placeholders"), (_rules(_row(["a{n}", "b"], "c{n}")), "must have the same placeholders"),
    (_rules(_row("a{n", "b")), "a brace that is not closed"), (_rules(_row("a{n*2}", "b{n}")), "it must be {name}"),
    (_rules(_row("a{n:[}", "b{n}")), "no regular expression"), (_rules(_row("a{n:x}", "b{n:y}")), "has two patterns"),
    (_rules(_row("a{t+1}", "b{t}"), tables={"t": {"a": "b"}}), "which is no number"), (_rules(tables={"t": {"a": "x", "b": "x"}}), "a text of its own"),
    (_rules(tables={"t": {"a": 1}}), "a text of its own"), (_rules(patterns={"t": 1}), "the pattern 't' must be a text"),
    (_rules(_row("a", "b", axis="x")), "'axis' must be a number"), (_rules(_row("a", "b", dtype=["float32"])), "'dtype' a list"),
    (_rules(_row("a", "b", dtype=["float32", "word"])), "'dtype' must name two"), (_rules(_row("a", "b", zeros=True)), "'zeros' where one"),
    (_rules(_row("a", "b", same_as="c")), "'same_as' stands where"), (_rules(_row("a", "b", beside="c")), "'beside' must be"),
    (_rules(_row("a", "b", axes="o -> i")), "rule 1 of the rules: the axes"), (_rules(include=["nothing"]), "no rules 'nothing'")])
def test_wrong_rules(rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        convert_checkpoint({"a": torch.ones(1)}, rules)


def test_files_include_others_and_lend_them_their_words(tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text(json.dumps(_rules(_row("{head}w{n}", "{head}x.{n}"), tables={"head": {"": ""}})))
    (tmp_path / "own.json").write_text(json.dumps(_rules(_row("z", "zz"), include=["base.json"], tables={"head": {"net.": "model."}})))
    values = _values(**{"net.w1": (1,), "z": (1,)})
    assert list(_there_and_back(values, tmp_path / "own.json")) == ["model.x.1", "zz"]
    assert list(_there_and_back(_values(w1=(1,)), str(tmp_path / "base.json"))) == ["x.1"]
    (tmp_path / "base.json").write_text(json.dumps(_rules(include=["own.json"])))
    with pytest.raises(ValueError, match="includes itself"):
        convert_checkpoint(values, tmp_path / "own.json")
    (tmp_path / "own.json").write_text("{")
    with pytest.raises(ValueError, match="no readable JSON"):
        convert_checkpoint(values, tmp_path / "own.json")


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="'rules' must be the name of a map"):
        convert_checkpoint({"a": torch.ones(1)}, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'source' must be a path or a dict, but got int"):
        convert_checkpoint(3, _rules(_row("a", "b")))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="neither a file nor one of mindcv-efficientnet-timm"):
        convert_checkpoint({"a": torch.ones(1)}, "mindcv-resnet-tensorflow")


# --- files --------------------------------------------------------------------------------------------------------------------

def _command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["ckpt", *map(str, arguments)])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("end", ["safetensors", "pth", "pt", "ckpt"])
def test_command_converts_files_there_and_back_to_the_same_bytes(end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, first, second, third = (tmp_path / name for name in ("rules.json", "a.ckpt", f"b.{end}", "c.ckpt"))
    rules.write_text(json.dumps(_rules(_row(["l{n}.q", "l{n}.k"], "layers.{n}.qk"), _row("{w:z|a}", "last.{w}"), _row("step", None))))
    values = {"z": np.ones((2, 3), np.float16), "l0.k": np.random.randn(2, 2), "l0.q": np.random.randn(2, 2), "a": np.arange(3)}
    save_checkpoint(values, str(first))
    code, out, err = _command(capsys, "convert", first, second, "--rules", rules, "--report", tmp_path / "report.json")
    assert (code, err) == (0, "") and "3 tensors written" in out
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["in"] == str(first) and [row["to"] for row in report["matched"]] == [["last.z"], ["layers.0.qk"], ["last.a"]]
    if end == "safetensors":
        import safetensors
        with safetensors.safe_open(str(second), "pt") as file:
            assert file.metadata() == {"format": "pt"}
    if end in ("pth", "pt"):
        assert set(torch.load(second, weights_only=True)) == {"last.z", "layers.0.qk", "last.a"}
    code, out, err = _command(capsys, "convert", second, third, "--rules", rules, "--reverse", "--like", first, "--json")
    assert (code, err) == (0, "") and json.loads(out)["direction"] == "reverse"
    assert third.read_bytes() == first.read_bytes()


def test_command_tells_what_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, source = tmp_path / "rules.json", tmp_path / "a.ckpt"
    rules.write_text(json.dumps(_rules(_row("w", "weight"), _row("step", None))))
    save_checkpoint({"w": np.ones(2), "step": 3, "x": np.ones(1)}, str(source))
    code, _, err = _command(capsys, "convert", source, tmp_path / "b.pth", "--rules", rules)
    assert code == 1 and "1 names have no rule" in err and not (tmp_path / "b.pth").exists()
    code, out, _ = _command(capsys, "convert", source, tmp_path / "b.pth", "--rules", rules, "--partial")
    assert code == 0 and "dropped by a rule: step" in out and "left out, no rule knows them: x" in out
    for wrong in (("--names", "torch", "--rules", rules), ("--reverse",), ("--map", "w=v", "--rules", rules), ("--partial",)):
        assert _command(capsys, "convert", source, tmp_path / "c.pth", *wrong)[0] == 2


def test_names_of_torch_say_so_in_safetensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import safetensors
    save_checkpoint({"bn.gamma": np.ones(2, np.float32)}, str(tmp_path / "a.ckpt"))
    for names, word in (("torch", "pt"), ("keep", "ms")):
        _command(capsys, "convert", tmp_path / "a.ckpt", tmp_path / f"{names}.safetensors", "--names", names)
        with safetensors.safe_open(str(tmp_path / f"{names}.safetensors"), "pt") as file:
            assert file.metadata() == {"format": word}


def test_command_lists_the_maps(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _command(capsys, "maps")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == available()
    assert "computes otherwise: LayerNorm" in _command(capsys, "maps", "zoo-bert-transformers")[1]
    assert json.loads(_command(capsys, "maps", "--json")[1])[0]["name"] == available()[0]
    assert _command(capsys, "maps", "nothing")[0] == 1


# --- the shipped maps ----------------------------------------------------------------------------------------------------------

def _parsed(side: str) -> dict[str, tuple[int, ...]]:
    parts = [item.split() for item in side.split(", ") if item]
    return {part[0]: tuple(map(int, part[1].split("x"))) if len(part) > 1 else () for part in parts}


def test_every_map_has_its_names_kept() -> None:
    assert sorted(path.stem for path in NAMES.glob("*.txt")) == available()


@pytest.mark.parametrize("name", available())
def test_a_map_takes_the_names_of_the_published_networks(name: str) -> None:
    """The names and shapes, on both sides, that were seen to give equal outputs (tests/projects/checkpoint_maps.py)."""
    rows = [tuple(map(_parsed, line.split(" =>"))) for line in (NAMES / f"{name}.txt").read_text().splitlines()]
    values: dict[str, torch.Tensor] = {}
    for number, (source, _) in enumerate(rows):
        for place, (key, shape) in enumerate(source.items()):
            values[key] = torch.full((), number + place / 8).expand(shape)  # no memory, and each tensor is known by its value
            if key.endswith("relative_bias.index") and rows[number][1]:
                values[key] = torch.nn.functional.one_hot(torch.arange(shape[0]) % shape[1]).float()
    state = {"moments.w": torch.ones(1), "global_step": torch.ones(1), "learning_rate": torch.ones(())}
    done = convert_checkpoint({**values, **state}, name)
    assert {tuple(row["from"]): row["to"] for row in done.report["matched"]} == {tuple(source): list(target) for source, target in rows if target}
    assert {key: tuple(tensor.shape) for key, tensor in done.values.items()} == {key: shape for _, target in rows for key, shape in target.items()}
    assert {row["name"] for row in done.report["dropped"]} == {*state, *(key for source, target in rows if not target for key in source)}
    counted = {f"{key[:-len('running_mean')]}num_batches_tracked": torch.ones(()) for key in done.values if key.endswith("running_mean")}
    back = convert_checkpoint({**done.values, **counted}, name, reverse=True)
    assert {row["name"] for row in back.report["dropped"]} == set(counted)
    expected = {key: values[key] for source, target in rows if target for key in source}
    assert set(back.values) == set(expected) and all(torch.equal(back.values[key], value) for key, value in expected.items())


# --- small networks of the families' structure --------------------------------------------------------------------------------

def _randomize(net: nn.Cell) -> None:
    for parameter in net.get_parameters():
        own = parameter.name.rpartition(".")[2]
        low, high = (0.5, 1.5) if own in ("gamma", "moving_variance") else (-0.4, 0.4)
        parameter.set_data(ms.Tensor(np.random.uniform(low, high, tuple(parameter.shape)).astype(np.float32)))


def _difference(expected: Any, found: torch.Tensor) -> float:
    expected = torch.from_numpy(expected.asnumpy())
    assert expected.shape == found.shape and expected.std() > 1e-3
    return float((expected - found).abs().max() / expected.abs().max())


class _Block(nn.Cell):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, "pad", 1)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, "pad", 1)
        self.bn2 = nn.BatchNorm2d(outside)
        self.down_sample = nn.SequentialCell([nn.Conv2d(inside, outside, 1, stride), nn.BatchNorm2d(outside)]) if stride > 1 else None

    def construct(self, x: Any) -> Any:
        y = self.bn2(self.conv2(ops.relu(self.bn1(self.conv1(x)))))
        return ops.relu(y + (x if self.down_sample is None else self.down_sample(x)))


class _ResNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 7, 2, "pad", 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.max_pool = nn.MaxPool2d(3, 2, "same")
        self.layer1 = nn.SequentialCell([_Block(4, 4, 1)])
        self.layer2 = nn.SequentialCell([_Block(4, 8, 2), _Block(8, 8, 1)])
        self.classifier = nn.Dense(8, 5)

    def construct(self, x: Any) -> Any:
        x = self.max_pool(ops.relu(self.bn1(self.conv1(x))))
        return self.classifier(self.layer2(self.layer1(x)).mean((2, 3)))


class _TorchBlock(torch.nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = torch.nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(outside)
        self.conv2 = torch.nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(outside)
        self.downsample = torch.nn.Sequential(torch.nn.Conv2d(inside, outside, 1, stride, bias=False),
                                              torch.nn.BatchNorm2d(outside)) if stride > 1 else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + (x if self.downsample is None else self.downsample(x))).relu()


class _TorchResNet(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 7, 2, 3, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(4)
        self.maxpool = torch.nn.MaxPool2d(3, 2, 1)
        self.layer1 = torch.nn.Sequential(_TorchBlock(4, 4, 1))
        self.layer2 = torch.nn.Sequential(_TorchBlock(4, 8, 2), _TorchBlock(8, 8, 1))
        self.fc = torch.nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.layer2(self.layer1(self.maxpool(self.bn1(self.conv1(x)).relu()))).mean((2, 3)))


def test_a_residual_network_computes_the_same(tmp_path: Path) -> None:
    net, twin = _ResNet(), _TorchResNet()
    _randomize(net)
    net.set_train(False)
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    done = convert_checkpoint(tmp_path / "a.ckpt", "mindcv-resnet-torchvision", tmp_path / "a.pth", like=twin)
    twin.load_state_dict(torch.load(tmp_path / "a.pth", weights_only=True), strict=True)
    twin.eval()
    even, odd = (np.random.randn(2, 3, size, size).astype(np.float32) for size in (32, 33))
    with torch.no_grad():
        assert _difference(net(ms.Tensor(odd)), twin(torch.from_numpy(odd))) < 1e-5
        assert _difference(net(ms.Tensor(even)), twin(torch.from_numpy(even))) > 1e-2  # the max pool pads otherwise
        assert match_arithmetic(twin, "mindcv-resnet-torchvision") == ["maxpool: pad_mode = 'same'"]
        assert match_arithmetic(twin, "mindcv-resnet-torchvision") == []
        for array in (odd, even):
            assert _difference(net(ms.Tensor(array)), twin(torch.from_numpy(array))) < 1e-5
    assert done.report["like"]["made by the network"] and all("num_batches_tracked" in name for name in done.report["like"]["made by the network"])
    convert_checkpoint(twin.state_dict(), "mindcv-resnet-torchvision", tmp_path / "b.ckpt", reverse=True, like=net)
    assert (tmp_path / "b.ckpt").read_bytes() == (tmp_path / "a.ckpt").read_bytes()


class _ZooAttention(nn.Cell):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Dense(width, width) for _ in range(4))

    def construct(self, x: Any) -> Any:
        n, length, width = x.shape
        q, k, v = (layer(x).reshape((n, length, self.heads, -1)).transpose((0, 2, 1, 3)) for layer in (self.to_q, self.to_k, self.to_v))
        weights = ops.softmax(ops.matmul(q, k.transpose((0, 1, 3, 2))) / math.sqrt(width // self.heads), -1)
        return self.to_out(ops.matmul(weights, v).transpose((0, 2, 1, 3)).reshape((n, length, width)))


class _Inner(nn.Cell):
    """A dense layer that the zoo keeps one level down."""

    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.dense = nn.Dense(inside, outside)

    def construct(self, x: Any) -> Any:
        return self.dense(x)


class _FeedForward(nn.Cell):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.ff1, self.ff2, self.activation = _Inner(width, hidden), _Inner(hidden, width), nn.GELU()

    def construct(self, x: Any) -> Any:
        return self.ff2(self.activation(self.ff1(x)))


class _Residual(nn.Cell):
    def __init__(self, *cells: nn.Cell) -> None:
        super().__init__()
        self.cell = nn.SequentialCell(list(cells))

    def construct(self, x: Any) -> Any:
        return self.cell(x) + x


class _ZooViT(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.cls_token = ms.Parameter(np.zeros((1, 1, 8), np.float32), name="cls")
        self.pos_embedding = ms.Parameter(np.zeros((1, 5, 8), np.float32), name="pos_embedding")
        stem, body = nn.Cell(), nn.Cell()  # a name gets its prefix when the cell is given to another
        stem.patch_to_embedding = _Inner(48, 8)
        self.stem = stem
        body.layers = nn.SequentialCell([nn.SequentialCell([_Residual(nn.LayerNorm((8,)), _ZooAttention(8, 2)),
                                                            _Residual(nn.LayerNorm((8,)), _FeedForward(8, 12))]) for _ in range(2)])
        self.body = body
        self.norm = nn.LayerNorm((8,))
        self.head = nn.SequentialCell([nn.Dense(8, 3)])

    def construct(self, image: Any) -> Any:
        n = image.shape[0]
        x = image.reshape((n, 3, 2, 4, 2, 4)).transpose((0, 2, 4, 1, 3, 5)).reshape((n, 4, 48))
        x = ops.cat((self.cls_token.broadcast_to((n, 1, 8)), self.stem.patch_to_embedding(x)), 1) + self.pos_embedding
        return self.head(self.norm(self.body.layers(x))[:, 0])


class _EncoderBlock(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(8, 1e-6), torch.nn.LayerNorm(8, 1e-6)
        self.self_attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(8, 12), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Linear(12, 8), torch.nn.Dropout())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.ln_1(x)
        x = x + self.self_attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class _TorchViT(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.class_token = torch.nn.Parameter(torch.zeros(1, 1, 8))
        self.conv_proj = torch.nn.Conv2d(3, 8, 4, 4)
        self.encoder = torch.nn.Module()
        self.encoder.pos_embedding = torch.nn.Parameter(torch.zeros(1, 5, 8))
        self.encoder.layers = torch.nn.Sequential()
        for number in range(2):
            self.encoder.layers.add_module(f"encoder_layer_{number}", _EncoderBlock())
        self.encoder.ln = torch.nn.LayerNorm(8, 1e-6)
        self.heads = torch.nn.Module()
        self.heads.head = torch.nn.Linear(8, 3)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.conv_proj(image).flatten(2).transpose(1, 2)
        x = torch.cat((self.class_token.expand(len(x), -1, -1), x), 1) + self.encoder.pos_embedding
        return self.heads.head(self.encoder.ln(self.encoder.layers(x))[:, 0])


def test_a_vision_transformer_computes_the_same(tmp_path: Path) -> None:
    """Patches cut by hand against a convolution, three dense layers against one, and back."""
    net, twin = _ZooViT(), _TorchViT()
    _randomize(net)
    net.set_train(False)
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    convert_checkpoint(tmp_path / "a.ckpt", "zoo-vit-torchvision", tmp_path / "a.safetensors", like=twin)
    from safetensors.torch import load_file
    twin.load_state_dict(load_file(tmp_path / "a.safetensors"), strict=True)
    twin.eval()
    assert len(match_arithmetic(twin, "zoo-vit-torchvision")) == 7  # five norms, two GELUs
    image = np.random.randn(2, 3, 8, 8).astype(np.float32)
    with torch.no_grad():
        assert _difference(net(ms.Tensor(image)), twin(torch.from_numpy(image))) < 1e-5
    convert_checkpoint(tmp_path / "a.safetensors", "zoo-vit-torchvision", tmp_path / "b.ckpt", reverse=True, like=net)
    assert (tmp_path / "b.ckpt").read_bytes() == (tmp_path / "a.ckpt").read_bytes()


# --- arithmetic ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(3, 2, 1), (7, 2, 1), (5, 2, 1), (3, 3, 1), (3, 2, 2), (1, 2, 1), (2, 2, 1)])
def test_padding_is_that_of_pad_mode_same(kernel: int, stride: int, dilation: int) -> None:
    rules = _rules(arithmetic=[{"module": "Conv2d", "path": ".*", "pad_mode": "same"}])
    cell = nn.Conv2d(2, 3, kernel, stride, "same", dilation=dilation)
    layer = torch.nn.Conv2d(2, 3, kernel, stride, kernel // 2, dilation, bias=False)
    layer.load_state_dict({"weight": torch.from_numpy(cell.weight.asnumpy())})
    match_arithmetic(torch.nn.Sequential(layer), rules)
    for height in range(7, 12):
        image = np.random.randn(1, 2, height, height + 1).astype(np.float32)
        expected = cell(ms.Tensor(image)).asnumpy()
        np.testing.assert_allclose(layer(torch.from_numpy(image)).detach().numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("row", "message"), [
    ({"module": "Conv2d", "path": ".*", "pad_mode": "same"}, "has no Conv2d at"), ({"module": "Linear", "path": "nowhere", "set": {}}, "has no Linear at"),
    ({"module": "Linear", "path": ".*", "set": {"eps": 1}}, "has no 'eps' to set"), ({"module": "Linear", "path": ".*"}, "either 'set' or 'pad_mode'"),
    ({"module": "Linear", "path": ".*", "pad_mode": "same"}, "for a Conv2d or a MaxPool2d")])
def test_arithmetic_that_does_not_fit(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match_arithmetic(torch.nn.Sequential(torch.nn.Linear(2, 2)), _rules(arithmetic=[row]))


# --- the libraries themselves -------------------------------------------------------------------------------------------------

def test_transformers_loads_the_file(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    if importlib.util.find_spec("torchvision") is not None:
        torchvision_models()  # transformers imports it
    config = transformers.BertConfig(vocab_size=30, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
                                     max_position_embeddings=10)
    net = transformers.BertModel(config)
    save_checkpoint({name: value.numpy() for name, value in convert_checkpoint(net.state_dict(), "zoo-bert-transformers", reverse=True).values.items()},
                    str(tmp_path / "bert.ckpt"))
    assert "bert_encoder.layers.1.attention.attention.key_layer.bias" in load_checkpoint(str(tmp_path / "bert.ckpt"))
    convert_checkpoint(tmp_path / "bert.ckpt", "zoo-bert-transformers", tmp_path / "model.safetensors")
    config.save_pretrained(tmp_path)
    loaded, told = transformers.BertModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(told[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert all(torch.equal(value, loaded.state_dict()[name]) for name, value in net.state_dict().items())
