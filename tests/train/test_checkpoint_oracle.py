"""Real MindSpore loads every kind of file that we write, bit-equal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat import Tensor, load_checkpoint, save_checkpoint
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope
from mindspore_compat._runtime.writer import background_writer
from tests.support.oracle import run_oracle
from tests.support.upstream import GOLDEN, Small

READ = """
import sys, json, numpy as np
import mindspore as ms
for name, options in json.load(open(sys.argv[1])).items():
    options = {k: bytes.fromhex(v) if k == "dec_key" else v for k, v in options.items()}
    found = ms.load_checkpoint(name, **options)
    arrays, texts = {}, {}
    for key, value in found.items():
        if isinstance(value, str):
            texts[key] = value
        else:
            bits = value.dtype == ms.bfloat16
            arrays[key + ("__bits" if bits else "")] = np.frombuffer(value.get_bytes(), np.uint16).reshape(value.shape) if bits else value.asnumpy()
    np.savez(name + ".npz", **arrays)
    json.dump(texts, open(name + ".texts", "w"))
give("done")
"""
DTYPES = [
    torch.bool,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.float16,
    torch.float32,
    torch.float64,
    torch.bfloat16,
]


@pytest.mark.oracle
@pytest.mark.slow
def test_real_mindspore_reads_what_we_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    values = {str(dtype)[6:]: Tensor(torch.randint(0, 2, (3, 5)).to(dtype)) for dtype in DTYPES}
    values |= {"zero_d": Tensor(2.5), "long": Tensor(torch.randn(7, 100)), "empty": Tensor(torch.zeros(0, 3))}
    net = {parameter.name: parameter for parameter in Small().get_parameters()}
    wanted: dict[str, tuple[dict, dict]] = {}

    def write(name: str, content: dict, load: dict | None = None, **options: object) -> None:
        path = str(tmp_path / name)
        save_checkpoint(content, path, **options)
        wanted[path] = (content, load or {})

    write("dtypes.ckpt", values)
    write("crc.ckpt", values, {"crc_check": True}, crc_check=True)
    write("net.ckpt", net)
    write("background.ckpt", values, async_save=True)
    write("background_crc.ckpt", net, {"crc_check": True}, async_save="process", crc_check=True)
    write("dtypes.safetensors", values, {"format": "safetensors"}, format="safetensors")
    write("background.safetensors", net, {"format": "safetensors"}, format="safetensors", async_save=True)
    write("crc.safetensors", net, {"format": "safetensors", "crc_check": True}, format="safetensors", crc_check=True)
    for mode, length in (
        ("AES-GCM", 16),
        ("AES-GCM", 24),
        ("AES-GCM", 32),
        ("AES-CBC", 16),
        ("AES-CBC", 32),
        ("SM4-CBC", 16),
    ):
        key = bytes(range(length))
        for how in (False, True):
            write(
                f"{mode}{length}{how}.ckpt",
                net,
                {"dec_key": key.hex(), "dec_mode": mode},
                enc_key=key,
                enc_mode=mode,
                async_save=how,
            )
    with monkeypatch.context() as patch:
        patch.setattr(codec, "SLICE_BYTES", 1000)
        patch.setattr(envelope, "BLOCK_BYTES", 1000)
        write("sliced.ckpt", values)
        write("blocks.ckpt", values, {"dec_key": (b"k" * 16).hex()}, enc_key=b"k" * 16)
    write("int4.ckpt", {"x.int4": load_checkpoint(str(GOLDEN / "ckpt/dtypes.ckpt"))["x.int4"]})
    write("converted.ckpt", load_checkpoint(str(GOLDEN / "safetensors/net.safetensors"), format="safetensors"))
    appended = {
        "epoch_num": 3,
        "lr": 0.5,
        "ok": True,
        "note": "héllo €",
        "empty": "",
        "t": Tensor([1, 2]),
        "random": torch.Generator(),
    }
    save_checkpoint(net, str(tmp_path / "append.ckpt"), append_dict=appended)
    wanted[str(tmp_path / "append.ckpt")] = (net | appended, {})
    background_writer().flush()
    (tmp_path / "files.json").write_text(json.dumps({path: load for path, (_, load) in wanted.items()}))
    assert run_oracle(READ, str(tmp_path / "files.json")) == "done"
    for path, (content, _) in wanted.items():
        found, texts = np.load(path + ".npz"), json.loads(Path(path + ".texts").read_text())
        assert {key.removesuffix("__bits") for key in found.files} | set(texts) == set(content), path
        for key, value in content.items():
            if isinstance(value, str):
                assert texts[key] == value
                continue
            if isinstance(value, torch.Generator):
                value = value.get_state()
            if not isinstance(value, torch.Tensor):
                value = {bool: np.bool_, int: np.int64, float: np.float32}[type(value)](value)
                assert found[key].dtype == value.dtype and found[key] == value
                continue
            data = value.detach().as_subclass(torch.Tensor)
            array = data.view(torch.uint16).numpy() if data.dtype is torch.bfloat16 else data.numpy()
            real = found[key + "__bits" * (data.dtype is torch.bfloat16)]
            assert (real.dtype, real.shape, real.tobytes()) == (array.dtype, array.shape, array.tobytes()), (path, key)


RANKS = """
import sys, json
import mindspore as ms
give([[[int(i) for i in ms.rank_list_for_transform(rank, a, b)] for rank in range(n)] for a, b, n in json.load(open(sys.argv[1]))])
"""


@pytest.mark.oracle
@pytest.mark.slow
def test_real_mindspore_needs_no_other_ranks_than_ours(tmp_path: Path) -> None:
    """Ours are enough and never more than what it asks for."""
    import json

    from mindspore_compat.parallel.checkpoint_transform import rank_list_for_transform
    from tests.train.test_checkpoint_transform import _strategy_file

    layouts = {
        "a": ((2, 4), (1, 0)),
        "b": ((8,), (-1, -1)),
        "c": ((4, 2), (0, -1)),
        "d": ((4, 2), (1, -1)),
        "e": ((2, 2, 2), (2, 0)),
        "f": ((4, 2), (0, -1), 2, 4),
        "g": ((2,), (0, -1)),
    }
    files = {name: _strategy_file(tmp_path / f"{name}.ckpt", {"w": layout}) for name, layout in layouts.items()}
    cases = [[files[a], files[b], int(np.prod(layouts[b][0]))] for a in layouts for b in layouts] + [
        [file, None, 1] for file in files.values()
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    real = run_oracle(RANKS, str(tmp_path / "cases.json"))
    for (a, b, count), theirs in zip(cases, real, strict=True):
        for rank in range(count):
            ours = rank_list_for_transform(rank, a, b)
            assert set(ours) <= set(theirs[rank]), (a, b, rank, ours, theirs[rank])
