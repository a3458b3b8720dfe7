"""Checkpoint maps: rule files in both directions, the shipped maps on the names of the published networks, and what the
networks then compute.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import nn, save_checkpoint
from mindspore_compat.cli import main
from mindspore_compat.train.checkpoint_maps import available, convert_checkpoint
from mindspore_compat.train.checkpoint_maps._axes import Axes

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
    assert list(back) == list(values) and all(
        torch.equal(back[name], value) and back[name].dtype is value.dtype for name, value in values.items()
    )
    return done


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "name", "made"),
    [
        ("a{n}.w", "b.{n}.w", "a10.w", "b.10.w"),
        ("a.{n}.w", "b.{n-2}.w", "a.3.w", "b.1.w"),
        ("a.{n+1}.w", "b.{n}.w", "a.1.w", "b.0.w"),
        ("{path:.+}.gamma", "{path}.weight", "a.b.gamma", "a.b.weight"),
        ("x.{code:[a-z]{2}}", "y.{code}", "x.ab", "y.ab"),
        ("x.{bn}", "y.{bn}", "x.gamma", "y.weight"),
        ("{s}.blocks.{b}.w", "l{s}.b{b}.w", "1.blocks.0.w", "l1.b0.w"),
        ("l{n}.to{n+1}", "{n}", "l1.to2", "1"),
        ("a[0].w", "a(0)+w", "a[0].w", "a(0)+w"),
    ],
)
def test_a_name_is_renamed_and_back(source: str, target: str, name: str, made: str) -> None:
    done = _there_and_back(
        {name: torch.randn(2)}, _rules(_row(source, target), tables={"bn": {"gamma": "weight", "beta": "bias"}})
    )
    assert list(done) == [made]


@pytest.mark.parametrize(
    ("pattern", "name"), [("a{n}.w", "a01.w"), ("l{n}.to{n+1}", "l1.to3"), ("x.{bn}", "x.weight"), ("m.{n+2}", "m.1")]
)
def test_other_names_do_not_match(pattern: str, name: str) -> None:
    place = "{n}" if "{n" in pattern else "{bn}" if "bn" in pattern else ""
    with pytest.raises(ValueError):
        convert_checkpoint(
            {name: torch.ones(1)},
            _rules(_row(pattern, f"to.{place}"), tables={"bn": {"gamma": "weight", "beta": "bias"}}),
        )


def test_a_number_below_zero_is_no_name() -> None:
    rules = _rules(_row("f.0", "stem"), _row("f.{n}", "b.{n-3}"))
    assert list(_there_and_back(_values(**{"f.0": (1,), "f.3": (2,)}), rules)) == ["stem", "b.0"]
    with pytest.raises(ValueError):
        convert_checkpoint(_values(**{"f.2": (1,)}), rules)


def test_the_first_rule_takes_a_name_and_the_way_back_is_checked() -> None:
    first, wide = _row("a.0.w", "b.stem"), _row("a.{n}.w", "b.{n}")
    assert list(_there_and_back(_values(**{"a.0.w": (1,), "a.1.w": (1,)}), _rules(first, wide))) == ["b.stem", "b.1"]
    with pytest.raises(ValueError):
        convert_checkpoint(_values(**{"a.5": (1,)}), _rules(_row("b.{k:5}", "x.{k}"), _row("a.{n}", "x.{n}")))


def test_two_sources_for_one_name_are_an_error() -> None:
    rules = _rules(_row("a.{k:w}", "x.{k}"), _row("b.{k:w}", "x.{k}"))
    with pytest.raises(ValueError):
        convert_checkpoint(_values(**{"a.w": (1,), "b.w": (1,)}), rules)


def test_unknown_names_are_an_error_or_in_the_report() -> None:
    rules, values = _rules(_row("a", "b"), _row("m.{r:.*}", None)), _values(a=(1,), c=(2,), **{"m.a": (1,)})
    with pytest.raises(ValueError):
        convert_checkpoint(values, rules)
    report = convert_checkpoint(values, rules, partial=True).report
    assert report["unmatched"] == ["c"] and report["dropped"] == [{"name": "m.a", "rule": "rule 2 of the rules"}]
    assert report["matched"] == [
        {"from": ["a"], "to": ["b"], "shapes": [[1]], "rule": "rule 1 of the rules", "change": ""}
    ]
    assert (report["tensors"], report["elements"], report["direction"]) == (1, 1, "forward")
    with pytest.raises(ValueError):
        convert_checkpoint(_values(c=(1,)), rules, partial=True)


def test_values_that_are_no_tensors_have_to_be_dropped() -> None:
    values = {"a": torch.ones(1), "note": "text"}
    with pytest.raises(TypeError):
        convert_checkpoint(values, _rules(_row("{n:.*}", "x.{n}")))
    assert list(convert_checkpoint(values, _rules(_row("note", None), _row("{n:.*}", "x.{n}"))).values) == ["x.a"]


# --- what is done with tensors ----------------------------------------------------------------------------------------


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
    with pytest.raises(ValueError):
        convert_checkpoint(_values(q=(2, 2)), rules)
    with pytest.raises(ValueError):
        convert_checkpoint(_values(q=(2, 2), k=(2, 3)), rules)
    with pytest.raises(ValueError):
        convert_checkpoint(_values(q=(2,), k=(2,)), rules)
    with pytest.raises(ValueError):
        convert_checkpoint(_values(qk=(2, 3)), rules, reverse=True)


@pytest.mark.parametrize(
    ("text", "sizes", "shape", "expected"),
    [
        ("o i -> i o", {}, (2, 3), lambda x: x.T),
        ("o i -> o i 1 1", {}, (2, 3), lambda x: x[:, :, None, None]),
        ("o (c 7 7) -> o c 7 7", {}, (2, 98), lambda x: x.view(2, 2, 7, 7)),
        ("o (3 p p) -> o 3 p p", {}, (5, 48), lambda x: x.view(5, 3, 4, 4)),
        ("o (h w c) -> o c h w", {"h": 2, "w": 3}, (4, 30), lambda x: x.view(4, 2, 3, 5).permute(0, 3, 1, 2)),
        ("(h d) i -> (d h) i", {"h": 2}, (6, 2), lambda x: x.view(2, 3, 2).transpose(0, 1).reshape(6, 2)),
        ("1 o i -> o i", {}, (1, 2, 3), lambda x: x[0]),
    ],
)
def test_axes(text: str, sizes: dict[str, int], shape: tuple[int, ...], expected: Any) -> None:
    tensor = torch.randn(shape)
    done = _there_and_back({"a": tensor}, _rules(_row("a", "b", axes=text, sizes=sizes)))
    assert torch.equal(done["b"], expected(tensor))


@pytest.mark.parametrize(
    ("text", "sizes", "shape"),
    [("o i -> i o", {}, (2, 3, 4)), ("o (3 p p) -> o 3 p p", {}, (5, 49)), ("(a b) -> a b", {}, (6,))],
)
def test_wrong_shapes_for_axes(text: str, sizes: dict[str, int], shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        convert_checkpoint({"a": torch.zeros(shape)}, _rules(_row("a", "b", axes=text, sizes=sizes)))


@pytest.mark.parametrize("text", ["o i", "o i -> o", "o ? -> o ?"])
def test_axes_that_say_nothing(text: str) -> None:
    with pytest.raises(ValueError):
        Axes(text)


def test_parts_of_named_sizes_are_merged_and_split() -> None:
    sizes = {"q": ["b{i}.o[1]", "{i}.out[1]"]}
    rules = _rules(
        _row(["b{i}.q", "b{i}.k", "b{i}.v"], "{i}.qkv", parts=["q", "k", "k"], sizes=sizes), _row("b{i}.o", "{i}.out")
    )
    values = _values(**{"b1.q": (8, 6), "b1.k": (2, 6), "b1.v": (2, 6), "b1.o": (6, 8)})
    done = _there_and_back(values, rules)
    assert torch.equal(done["1.qkv"], torch.cat([values[f"b1.{part}"] for part in "qkv"]))
    with pytest.raises(ValueError):
        convert_checkpoint({**values, "b1.q": values["b1.k"], "b1.k": values["b1.q"]}, rules)
    with pytest.raises(ValueError):
        convert_checkpoint({"1.qkv": done["1.qkv"]}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({**done, "1.qkv": torch.ones(11, 6)}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint(_values(x=(4, 2)), _rules(_row("x", ["a", "b"], parts=["q", "k"])))


def test_parts_in_groups_need_the_number_of_groups() -> None:
    """As Megatron has them: the queries of a group, its key, its value, those of the next group."""
    rules = _rules(_row(["q", "k", "v"], "qkv", parts=["q", "k", "k"], groups="k/head", sizes={"q": 8}))
    values = _values(q=(8, 3), k=(4, 3), v=(4, 3))
    mine = {"version": 1, "include": [], "sizes": {"head": 2}, "rules": rules["rules"]}
    done = _there_and_back(values, mine)
    groups = [values[name].reshape(2, -1, 3) for name in "qkv"]
    assert torch.equal(done["qkv"], torch.cat(groups, 1).reshape(16, 3))
    with pytest.raises(ValueError):
        convert_checkpoint(values, rules)
    with pytest.raises(ValueError):
        convert_checkpoint(values, {**mine, "sizes": {"head": 3}})


@pytest.mark.parametrize("is_view", [False, True])
def test_numbered_tensors_are_stacked(is_view: bool) -> None:
    row = _row(
        "{i}.w",
        ["{i}.{e}.gate", "{i}.{e}.up"],
        stack="e",
        axis=1,
        axes="h i -> i h",
        sizes={"e": ["{i}.router[0]", "{i}.gate[0]"], "h": ["{i}.router[1]", "{i}.gate[1]"]},
        **({"view": "h (e x) -> e h x"} if is_view else {}),
    )
    rules = _rules(row, _row("{i}.router", "{i}.gate"))
    values = _values(**{"7.w": (5, 12) if is_view else (3, 5, 4), "7.router": (3, 5)})
    done = _there_and_back(values, rules)
    assert list(done) == [f"7.{e}.{part}" for e in range(3) for part in ("gate", "up")] + ["7.gate"]
    assert torch.equal(done["7.2.up"], values["7.w"].reshape(3, 5, 4)[2, :, 2:].T)
    swapped = dict(reversed(done.items()))
    assert torch.equal(convert_checkpoint(swapped, rules, reverse=True).values["7.w"], values["7.w"])
    for missing, message in (("7.1.up", r"needs 7\.1\.up beside"), ("7.2.up", r"needs 7\.2\.up beside")):
        with pytest.raises(ValueError, match=message):
            convert_checkpoint({key: done[key] for key in done if key != missing}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({key: done[key] for key in done if not key.startswith("7.2.")}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({**done, "7.99999999999.up": done["7.2.up"]}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({**done, "7.2.up": torch.ones(1, 5), "7.2.gate": torch.ones(1, 5)}, rules, reverse=True)


def test_names_that_become_one_are_taken_from_like() -> None:
    rules = _rules(_row("{p:.+}.gamma", "{p:.+}.weight", needs_like=True), _row("{p:.+}", "{p:.+}", needs_like=True))
    values = _values(**{"a.gamma": (2,), "b.weight": (2,)})
    assert list(_there_and_back(values, rules)) == ["a.weight", "b.weight"]
    with pytest.raises(ValueError):
        convert_checkpoint({"a.weight": torch.ones(2)}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({"c.weight": torch.ones(2)}, rules, reverse=True, like=values)


def test_one_hot_rows_are_indices_and_back() -> None:
    rules, rows = _rules(_row("a", "b", one_hot=True)), torch.eye(4)[[2, 0, 3, 3, 1]]
    assert _there_and_back({"a": rows}, rules)["b"].tolist() == [2, 0, 3, 3, 1]
    for wrong in (rows * 2, rows[:2], rows.double(), rows[0], torch.zeros(2, 2)):
        with pytest.raises(ValueError):
            convert_checkpoint({"a": wrong}, rules)
    for wrong in (torch.tensor([1, -1]), torch.tensor([1.0]), torch.tensor([[1]]), torch.tensor([1 << 40])):
        with pytest.raises(ValueError):
            convert_checkpoint({"b": wrong}, rules, reverse=True)


def test_a_bias_of_zeros_is_added_and_must_be_zeros_on_the_way_back() -> None:
    rules = _rules(_row("c{n}.w", ["c{n}.weight", "c{n}.bias"], zeros=True))
    done = _there_and_back(_values(**{"c1.w": (3, 2)}), rules)
    assert done["c1.bias"].tolist() == [0, 0, 0]
    done["c1.bias"][1] = 0.5
    with pytest.raises(ValueError):
        convert_checkpoint(done, rules, reverse=True)


def test_zeros_are_dropped_only_if_they_are_zeros() -> None:
    rules = _rules(_row("a.bias", None, zeros=True), _row("a.w", "a.w"))
    assert list(convert_checkpoint({"a.w": torch.ones(2), "a.bias": torch.zeros(2)}, rules).values) == ["a.w"]
    with pytest.raises(ValueError):
        convert_checkpoint({"a.w": torch.ones(2), "a.bias": torch.ones(2)}, rules)


def test_a_second_name_is_dropped_only_if_it_is_the_same() -> None:
    rules = _rules(_row("table", "emb.weight"), _row(None, "decoder.weight", same_as="emb.weight"))
    table = torch.randn(3, 2)
    assert list(
        convert_checkpoint({"emb.weight": table, "decoder.weight": table.clone()}, rules, reverse=True).values
    ) == ["table"]
    with pytest.raises(ValueError):
        convert_checkpoint({"emb.weight": table, "decoder.weight": table + 1}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({"decoder.weight": table}, rules, reverse=True)


def test_a_second_name_beside_its_twin_is_compared() -> None:
    rules = _rules(_row("table", "wte"), _row(None, "head", beside=["-", "wte"], same_as="wte"))
    same = {"wte": torch.ones(2), "head": torch.ones(2)}
    assert list(convert_checkpoint(same, rules, reverse=True).values) == ["table"]
    with pytest.raises(ValueError):
        convert_checkpoint({**same, "head": torch.zeros(2)}, rules, reverse=True)
    with pytest.raises(ValueError):
        convert_checkpoint({"head": torch.zeros(2)}, rules, reverse=True)


def test_a_name_beside_tells_rules_apart() -> None:
    rules = _rules(
        _row("f.{n}.{bn}", "f.{n}.{bn}", beside=["f.{n}.gamma", "f.{n}.running_mean"]),
        _row("f.{n}.weight", "f.{n}.weight"),
        tables={"bn": {"gamma": "weight", "beta": "bias", "moving_mean": "running_mean"}},
    )
    values = _values(**{"f.0.weight": (2, 3), "f.1.gamma": (2,), "f.1.beta": (2,), "f.1.moving_mean": (2,)})
    assert list(_there_and_back(values, rules)) == ["f.0.weight", "f.1.weight", "f.1.bias", "f.1.running_mean"]


def test_dtypes_are_checked_and_changed() -> None:
    rules = _rules(_row("a", "b", dtype=["float32", "float16"]))
    assert convert_checkpoint({"a": torch.ones(2)}, rules).values["b"].dtype is torch.float16
    assert convert_checkpoint({"b": torch.ones(2).half()}, rules, reverse=True).values["a"].dtype is torch.float32
    with pytest.raises(ValueError):
        convert_checkpoint({"a": torch.ones(2).double()}, rules)


# --- the network that is to load it -----------------------------------------------------------------------------------


def test_like_compares_names_and_shapes_and_gives_the_order() -> None:
    rules = _rules(_row("w", "weight"), _row("b", "bias"), _row(None, "{p:.*}count"))
    values = _values(b=(3,), w=(3, 2))
    net = torch.nn.Linear(2, 3)
    assert list(convert_checkpoint(values, rules, like=net).values) == ["weight", "bias"]
    with pytest.raises(ValueError):
        convert_checkpoint(values, rules, like=torch.nn.Linear(4, 3), partial=True)
    with pytest.raises(ValueError):
        convert_checkpoint(values, rules, like={**net.state_dict(), "extra": torch.ones(3)})
    with pytest.raises(ValueError):
        convert_checkpoint(values, rules, like={"weight": torch.ones(3, 2)})
    done = convert_checkpoint(
        values, rules, like={"weight": torch.ones(3, 2), "more": torch.ones(1), "a.count": torch.ones(())}, partial=True
    )
    assert list(done.values) == ["weight"]
    assert done.report["like"] == {
        "missing": ["more"],
        "extra": ["bias"],
        "shapes": [],
        "made by the network": ["a.count"],
    }


def test_like_takes_a_cell_and_a_file(tmp_path: Path) -> None:
    net = nn.Dense(2, 3)
    rules = _rules(_row("weight", "w"), _row("bias", "b"))
    done = convert_checkpoint({"b": torch.zeros(3), "w": torch.zeros(3, 2)}, rules, reverse=True, like=net)
    assert list(done.values) == ["weight", "bias"]
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    assert list(convert_checkpoint(done.values, _rules(_row("{n:.*}", "{n}")), like=tmp_path / "a.ckpt").values) == [
        "weight",
        "bias",
    ]


# --- rule files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [
        {"rules": []},
        _rules(_row("a", "b", axsi=1)),
        _rules(_row(["a", "b"], ["c", "d"])),
        _rules(_row("a{n}", "b")),
        _rules(_row("a{n*2}", "b{n}")),
        _rules(_row("a{n:x}", "b{n:y}")),
        _rules(tables={"t": {"a": "x", "b": "x"}}),
        _rules(_row("a", "b", sizes={"a": 0})),
        _rules(_row("a", "b", sizes={"a": ["b{n}[0]", "c{n}[0]"]})),
        _rules(_row("a", ["b", "c"], parts=["q", 1])),
        _rules(_row("a", "b", view="a b -> b")),
        _rules(_row("a", "b", dtype=["float32", "word"])),
        _rules(_row("a", "b", beside="c")),
        _rules(include=["nothing"]),
    ],
)
def test_wrong_rules(rules: Any) -> None:
    with pytest.raises(ValueError):
        convert_checkpoint({"a": torch.ones(1)}, rules)


def test_files_include_others_and_lend_them_their_words(tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text(
        json.dumps(_rules(_row("{head}w{n}", "{head}x.{n}"), tables={"head": {"": ""}}))
    )
    (tmp_path / "own.json").write_text(
        json.dumps(_rules(_row("z", "zz"), include=["base.json"], tables={"head": {"net.": "model."}}))
    )
    values = _values(**{"net.w1": (1,), "z": (1,)})
    assert list(_there_and_back(values, tmp_path / "own.json")) == ["model.x.1", "zz"]
    assert list(_there_and_back(_values(w1=(1,)), str(tmp_path / "base.json"))) == ["x.1"]
    (tmp_path / "base.json").write_text(json.dumps(_rules(include=["own.json"])))
    with pytest.raises(ValueError):
        convert_checkpoint(values, tmp_path / "own.json")
    (tmp_path / "own.json").write_text("{")
    with pytest.raises(ValueError):
        convert_checkpoint(values, tmp_path / "own.json")


# --- files ------------------------------------------------------------------------------------------------------------


def _command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["ckpt", *map(str, arguments)])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("end", ["safetensors", "pth", "pt", "ckpt"])
def test_command_converts_files_there_and_back_to_the_same_bytes(
    end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, first, second, third = (tmp_path / name for name in ("rules.json", "a.ckpt", f"b.{end}", "c.ckpt"))
    rules.write_text(
        json.dumps(_rules(_row(["l{n}.q", "l{n}.k"], "layers.{n}.qk"), _row("{w:z|a}", "last.{w}"), _row("step", None)))
    )
    values = {
        "z": np.ones((2, 3), np.float16),
        "l0.k": np.random.randn(2, 2),
        "l0.q": np.random.randn(2, 2),
        "a": np.arange(3),
    }
    save_checkpoint(values, str(first))
    code, out, err = _command(capsys, "convert", first, second, "--rules", rules, "--report", tmp_path / "report.json")
    assert (code, err) == (0, "") and "3 tensors written" in out
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["in"] == str(first) and [row["to"] for row in report["matched"]] == [
        ["last.z"],
        ["layers.0.qk"],
        ["last.a"],
    ]
    if end == "safetensors":
        import safetensors

        with safetensors.safe_open(str(second), "pt") as file:
            assert file.metadata() == {"format": "pt"}
    if end in ("pth", "pt"):
        assert set(torch.load(second, weights_only=True)) == {"last.z", "layers.0.qk", "last.a"}
    code, out, err = _command(
        capsys, "convert", second, third, "--rules", rules, "--reverse", "--like", first, "--json"
    )
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
    for wrong in (
        ("--names", "torch", "--rules", rules),
        ("--reverse",),
        ("--map", "w=v", "--rules", rules),
        ("--partial",),
    ):
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


# --- the shipped maps -------------------------------------------------------------------------------------------------


def _parsed(side: str) -> dict[str, tuple[int, ...]]:
    parts = [item.split() for item in side.split(", ") if item]
    return {part[0]: tuple(map(int, part[1].split("x"))) if len(part) > 1 else () for part in parts}


def test_every_map_has_its_names_kept() -> None:
    assert sorted(path.stem for path in NAMES.glob("*.txt")) == available()


def _kept_names(name: str) -> tuple[Any, list[tuple[dict[str, tuple[int, ...]], ...]]]:
    """Return (rules, rows of the kept file: {name: shape} on either side)."""
    lines = (NAMES / f"{name}.txt").read_text().splitlines()
    rules: Any = name
    if lines[0].startswith("sizes "):
        rules = {"version": 1, "include": [name], "sizes": json.loads(lines.pop(0)[len("sizes ") :])}
    return rules, [tuple(map(_parsed, line.split(" =>"))) for line in lines]


@pytest.mark.parametrize("name", [name for name in available() if name.startswith("mindformers") or "ports" in name])
def test_random_values_come_back(name: str) -> None:
    rules, rows = _kept_names(name)
    values = {key: torch.randn(shape) for source, target in rows if target for key, shape in source.items()}
    done = _there_and_back(values, rules)
    assert sorted(torch.cat([value.flatten() for value in done.values()]).tolist()) == sorted(
        torch.cat([value.flatten() for value in values.values()]).tolist()
    )


def test_convolutions_of_whisper_lose_their_axis_of_one() -> None:
    values = _values(**{"model.encoder.conv1.weight": (4, 3, 1, 2), "model.encoder.layer_norm.gamma": (4,)})
    done = _there_and_back(values, "mindone-ports-transformers")
    assert {name: tuple(value.shape) for name, value in done.items()} == {
        "model.encoder.conv1.weight": (4, 3, 2),
        "model.encoder.layer_norm.weight": (4,),
    }


def test_experts_transposed_for_inference_are_refused() -> None:
    """Their elements are as many: only the router's shape tells."""
    name = "model.layers.0.feed_forward"
    values = _values(**{f"{name}.router.dense.weight": (2, 4), f"{name}.ffn.w1.weight": (2, 4, 6)})
    with pytest.raises(ValueError):
        convert_checkpoint(values, "mindformers-mixtral-transformers")


@pytest.mark.parametrize("name", available())
def test_a_map_takes_the_names_of_the_published_networks(name: str) -> None:
    """The names and shapes, on both sides, that were seen to give equal outputs (tests/projects)."""
    rules, rows = _kept_names(name)
    values: dict[str, torch.Tensor] = {}
    for number, (source, _) in enumerate(rows):
        for place, (key, shape) in enumerate(source.items()):
            values[key] = torch.full((), number + place / 8 if rows[number][1] else 0.0).expand(
                shape
            )  # no memory, and each tensor is known by its value
            if key.endswith("relative_bias.index") and rows[number][1]:
                values[key] = torch.nn.functional.one_hot(torch.arange(shape[0]) % shape[1]).float()
    state = {"moments.w": torch.ones(1), "global_step": torch.ones(1), "learning_rate": torch.ones(())}
    done = convert_checkpoint({**values, **state}, rules)
    assert {tuple(row["from"]): row["to"] for row in done.report["matched"]} == {
        tuple(source): list(target) for source, target in rows if target
    }
    assert {key: tuple(tensor.shape) for key, tensor in done.values.items()} == {
        key: shape for _, target in rows for key, shape in target.items()
    }
    assert {row["name"] for row in done.report["dropped"]} == {
        *state,
        *(key for source, target in rows if not target for key in source),
    }
    counted = {
        f"{key[: -len('running_mean')]}num_batches_tracked": torch.ones(())
        for key in done.values
        if key.endswith("running_mean")
    }
    expected = {key: values[key] for source, target in rows if target for key in source}
    back = convert_checkpoint({**done.values, **counted}, rules, reverse=True, like=expected)
    assert {row["name"] for row in back.report["dropped"]} == set(counted)
    assert set(back.values) == set(expected) and all(
        torch.equal(back.values[key], value) for key, value in expected.items()
    )
