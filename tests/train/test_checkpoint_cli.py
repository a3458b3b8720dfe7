"""``mindspore-compat ckpt``: output, exit codes, conversions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat import Tensor, load_checkpoint, save_checkpoint
from mindspore_compat.cli import _progress, main
from tests.support.upstream import GOLDEN

CKPT = GOLDEN / "ckpt"


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["ckpt", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_inspect_lists_everything(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "inspect", CKPT / "append.ckpt")
    assert code == 0 and "Float32" in out and out.splitlines()[-1].split()[1] == "values,"
    _, out, _ = _run(capsys, "inspect", CKPT / "append.ckpt", "--json")
    found = json.loads(out)
    assert [row["name"] for row in found["values"]] == list(load_checkpoint(str(CKPT / "append.ckpt")))
    assert found["bytes"] == sum(row["bytes"] for row in found["values"])


@pytest.mark.parametrize("file", ["map_parameter.ckpt", "refused_hifloat8.ckpt", "sliced.ckpt", "empty_file.ckpt"])
def test_inspect_needs_no_loadable_values(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, "inspect", CKPT / file)[0] == 0


def test_inspect_safetensors_and_torch_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = _run(capsys, "inspect", GOLDEN / "safetensors/dtypes.safetensors", "--json")
    assert code == 0 and json.loads(out)["bytes"] == 292
    torch.save({"state_dict": {"a": torch.ones(3)}}, tmp_path / "a.pth")
    assert "a" in _run(capsys, "inspect", tmp_path / "a.pth")[1]


def test_encrypted_files_need_their_key_only(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = CKPT / "enc_AES-CBC_128.ckpt"
    code, _, err = _run(capsys, "inspect", file)
    assert code == 1 and "encrypted with AES-CBC" in err
    key = bytes(range(1, 17))
    (tmp_path / "key").write_bytes(key)
    assert (
        _run(capsys, "inspect", file, "--dec-key", key.hex())[0]
        == _run(capsys, "inspect", file, "--dec-key", f"@{tmp_path}/key")[0]
        == 0
    )


def test_diff(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = tmp_path / "a.ckpt", tmp_path / "b.ckpt"
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    save_checkpoint({"w": w, "v": w, "same": w, "head.w": w, "note": "x"}, str(a))
    save_checkpoint({"w": w + np.float32(0.5), "v": w.T, "same": w, "heads.w": w, "note": "y"}, str(b))
    code, out, _ = _run(capsys, "diff", a, b)
    assert code == 1
    assert out.splitlines() == [
        "head.w: only in A (nearest: heads.w)",
        "heads.w: only in B",
        "w: values, largest difference 0.5",
        "v: shape or dtype: Float32 (2, 3) against Float32 (3, 2)",
        "note: value: x against y",
        "5 differences",
    ]
    assert _run(capsys, "diff", a, a)[:2] == (0, "equal\n")
    assert len(json.loads(_run(capsys, "diff", a, b, "--tolerance", 0.6, "--json")[1])["differences"]) == 4


def test_convert_there_and_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    net = CKPT / "net.ckpt"
    for old, new in ((net, "a.safetensors"), ("a.safetensors", "b.pth"), ("b.pth", "c.ckpt"), ("c.ckpt", "d.ckpt")):
        more = (
            ["--enc-key", "00" * 16]
            if new == "d.ckpt"
            else ["--names", "torch"]
            if new == "b.pth"
            else ["--names", "mindspore"]
            if new == "c.ckpt"
            else []
        )
        assert _run(capsys, "convert", tmp_path / old if isinstance(old, str) else old, tmp_path / new, *more)[0] == 0
    assert _run(capsys, "diff", net, tmp_path / "c.ckpt")[:2] == (0, "equal\n")
    assert list(load_checkpoint(str(tmp_path / "d.ckpt"), dec_key=bytes(16)))
    state = torch.load(tmp_path / "b.pth", weights_only=True)
    assert not any("gamma" in name for name in state)
    code, _, err = _run(capsys, "convert", net, tmp_path / "e.ckpt", "--map", "nothing=x")
    assert code == 1 and "--map needs OLD=NEW" in err
    code, out, err = _run(capsys, "convert", CKPT / "append.ckpt", tmp_path / "f.safetensors", "--json")
    found = json.loads(out)
    assert (
        code == 0
        and err.startswith("left out")
        and found["left_out"]
        and found["values"] == len(load_checkpoint(str(tmp_path / "f.safetensors"), format="safetensors"))
    )


def test_names_of_torch_need_the_network_for_some_layers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Conv1d(2, 3, 3), torch.nn.PReLU(3))
    given, made, like = tmp_path / "net.ckpt", tmp_path / "net.pth", tmp_path / "like.pth"
    save_checkpoint(net, str(given))
    code, _, err = _run(capsys, "convert", given, made, "--names", "torch")
    assert code == 1 and "0.weight" in err and not made.exists()
    torch.save(torch.nn.Sequential(torch.nn.Conv1d(2, 3, 3), torch.nn.PReLU(3)).state_dict(), like)
    for more in (["--guess"], ["--like", like]):
        assert _run(capsys, "convert", given, made, "--names", "torch", *more)[0] == 0
        state = torch.load(made, weights_only=True)
        assert state.keys() == net.state_dict().keys()
        assert all(torch.equal(state[name], value) for name, value in net.state_dict().items())
    torch.save(torch.nn.Sequential(torch.nn.Conv1d(2, 4, 3), torch.nn.LayerNorm(4)).state_dict(), like)
    code, _, err = _run(capsys, "convert", given, tmp_path / "other.pth", "--names", "torch", "--like", like)
    assert code == 1 and "(4, 2, 3) in the network" in err and "1.bias: not in the file" in err


@pytest.mark.parametrize(
    "command", [("convert", "crc.ckpt", "OUT"), ("diff", "crc.ckpt", "crc.ckpt"), ("verify", "crc.ckpt")]
)
def test_long_work_shows_how_far_it_is(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_progress, "_QUIET_BYTES", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    arguments = [tmp_path / "out.ckpt" if name == "OUT" else CKPT / name for name in command[1:]]
    code, _, err = _run(capsys, command[0], *arguments)
    assert code == 0 and "100%|" in err
    monkeypatch.setattr(_progress, "tqdm", None)
    code, _, err = _run(capsys, command[0], *arguments)
    assert code == 0 and err.endswith(f"[{'#' * 25}] 100 %\n")


@pytest.mark.parametrize(
    ("file", "code", "text"),
    [
        ("crc.ckpt", 0, "CRC right"),
        ("crc_bad.ckpt", 1, "CRC wrong"),
        ("net.ckpt", 0, "CRC none"),
        ("truncated.ckpt", 1, "DAMAGED"),
        ("enc_AES-GCM_128.ckpt", 1, "encrypted with AES-GCM"),
    ],
)
def test_verify(file: str, code: int, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, _ = _run(capsys, "verify", CKPT / file)
    assert (found, text in out) == (code, True), out
    assert json.loads(_run(capsys, "verify", CKPT / file, "--json")[1])["ok"] is not bool(code)


@pytest.mark.parametrize(
    "arguments", [("inspect", "missing.ckpt"), ("diff", "missing.ckpt", "missing.ckpt"), ("verify", "missing.ckpt")]
)
def test_a_missing_file_is_exit_code_2(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _run(capsys, *arguments)
    assert code == 2 and "missing.ckpt" in err


def test_a_torch_file_with_objects_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    torch.save({"a": 3}, tmp_path / "a.pth")
    assert "no state_dict" in _run(capsys, "inspect", tmp_path / "a.pth")[2]
    save_checkpoint({"a": Tensor([1.0])}, str(tmp_path / "a.ckpt"))
    assert _run(capsys, "convert", tmp_path / "a.ckpt", tmp_path / "a.zip")[0] == 1
