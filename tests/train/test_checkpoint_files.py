"""Every checkpoint file of real MindSpore is read bit-equal; what it is silent about, or refuses, is told."""

from __future__ import annotations

import builtins
import io
import platform
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope
from mindspore_compat.common import dtype
from mindspore_compat.train.serialization import load_checkpoint_async
from tests.support.processes import run_python
from tests.support.upstream import GOLDEN, Small, read_json

FILES = sorted(p.name for p in (GOLDEN / "ckpt").glob("*.ckpt"))
BITS = {torch.bfloat16: torch.uint16, torch.float8_e4m3fn: torch.uint8, torch.float8_e5m2: torch.uint8}


def _key(name: str) -> dict:
    if not name.startswith("enc_"):
        return {}
    _, mode, bits = name.removesuffix(".ckpt").split("_")
    length = 16 if bits == "blocks" else int(bits) // 8
    return {"dec_key": bytes(range(1, length + 1)), "dec_mode": mode}


def _numpy(value: torch.Tensor) -> np.ndarray:
    data = torch.Tensor.detach(value.as_subclass(torch.Tensor))
    return data.view(BITS[data.dtype]).numpy() if data.dtype in BITS else data.numpy()


def _same(value: torch.Tensor, expected: np.ndarray) -> None:
    found = _numpy(value)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "name", [n for n in FILES if (GOLDEN / "ckpt" / f"{n}.npz").exists() and n != "map_parameter.ckpt"]
)
def test_every_real_file_is_read_bit_equal(name: str) -> None:
    found = load_checkpoint(str(GOLDEN / "ckpt" / name), **_key(name))
    expected = np.load(GOLDEN / "ckpt" / f"{name}.npz")
    names = {key.removesuffix("__bits"): key for key in expected.files}
    assert {key for key, value in found.items() if not isinstance(value, str)} == set(names)
    for key, stored in names.items():
        _same(found[key], expected[stored])


def test_a_map_parameter_is_read() -> None:
    expected = np.load(GOLDEN / "ckpt/map_parameter.ckpt.npz")
    found = load_checkpoint(str(GOLDEN / "ckpt/map_parameter.ckpt"))
    for number, array in enumerate(found["m"]):
        np.testing.assert_array_equal(array, expected[f"m__{number}"])
    assert isinstance(found["w"], Parameter)


@pytest.mark.parametrize("name", ["complex64", "complex128", "float8_e4m3fn", "float8_e5m2"])
def test_what_real_mindspore_writes_but_refuses_is_read(name: str, tmp_path: Path) -> None:
    source = GOLDEN / "ckpt" / f"refused_{name}.ckpt"
    found = load_checkpoint(str(source))
    assert found["x"].dtype is getattr(dtype, name)
    save_checkpoint(found, str(tmp_path / "again.ckpt"))
    assert (tmp_path / "again.ckpt").read_bytes() == source.read_bytes()


def test_hifloat8_is_refused_by_name() -> None:
    with pytest.raises(TypeError):
        load_checkpoint(str(GOLDEN / "ckpt/refused_hifloat8.ckpt"))


def test_int4_keeps_its_type_in_the_file(tmp_path: Path) -> None:
    source = GOLDEN / "ckpt/dtypes.ckpt"
    save_checkpoint(load_checkpoint(str(source)), str(tmp_path / "again.ckpt"))
    assert (tmp_path / "again.ckpt").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("name", ["append", "net", "scalars_empty", "generator", "from_dict"])
def test_a_file_loaded_and_saved_again_is_the_same(name: str, tmp_path: Path) -> None:
    source = GOLDEN / "ckpt" / f"{name}.ckpt"
    save_checkpoint(load_checkpoint(str(source)), str(tmp_path / "again.ckpt"))
    assert (tmp_path / "again.ckpt").read_bytes() == source.read_bytes()


def test_crc_is_written_as_upstream(tmp_path: Path) -> None:
    source = GOLDEN / "ckpt/crc.ckpt"
    save_checkpoint(load_checkpoint(str(source), crc_check=True), str(tmp_path / "again.ckpt"), crc_check=True)
    assert (tmp_path / "again.ckpt").read_bytes() == source.read_bytes()


# --- encryption -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "length"),
    [("AES-GCM", 16), ("AES-GCM", 24), ("AES-GCM", 32), ("AES-CBC", 16), ("AES-CBC", 32), ("SM4-CBC", 16)],
)
def test_encrypted_files_round_trip(mode: str, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope, "BLOCK_BYTES", 1000)
    path, key, net = str(tmp_path / "e.ckpt"), bytes(range(length)), Small()
    save_checkpoint(net, path, enc_key=key, enc_mode=mode, append_dict={"note": "hé"})
    found = load_checkpoint(path, dec_key=key, dec_mode=mode)
    assert found.pop("note") == "hé" and load_param_into_net(net, found, strict_load=True) == ([], [])
    assert envelope.encryption_of(Path(path).read_bytes()) == mode
    with pytest.raises(ValueError, match=r"e.ckpt: the encrypted block at byte 0 does not open with this key|byte"):
        load_checkpoint(path, dec_key=bytes(length), dec_mode=mode)
    with pytest.raises(ValueError, match=f"encrypted with {mode}: pass dec_key"):
        load_checkpoint(path)


def test_a_wrong_mode_is_named_with_the_right_one() -> None:
    with pytest.raises(ValueError, match="encrypted with AES-CBC, not AES-GCM: pass dec_mode='AES-CBC'"):
        load_checkpoint(str(GOLDEN / "ckpt/enc_AES-CBC_128.ckpt"), dec_key=bytes(range(1, 17)))


def test_a_plain_file_is_not_decrypted() -> None:
    with pytest.raises(ValueError, match="the data at byte 0 are no encrypted block"):
        load_checkpoint(str(GOLDEN / "ckpt/net.ckpt"), dec_key=bytes(16))


@pytest.mark.parametrize(
    "arguments",
    [{"enc_key": b"0" * 16, "enc_mode": "ROT13"}, {"enc_key": "0" * 16}, {"enc_key": b"0" * 16, "crc_check": True}],
)
def test_arguments_that_do_not_go_are_refused_before_anything_is_written(arguments: dict, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        save_checkpoint(Small(), str(tmp_path / "x"), **arguments)
    assert list(tmp_path.iterdir()) == []


def test_without_cryptography_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(ImportError):
        save_checkpoint(Small(), str(tmp_path / "x.ckpt"), enc_key=bytes(16))


# --- safetensors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dtypes", "crc", "redundancy"])
def test_real_safetensors_files_are_read_bit_equal(name: str) -> None:
    path = GOLDEN / "safetensors" / f"{name}.safetensors"
    found = load_checkpoint(str(path), format="safetensors", crc_check=name == "crc")
    expected = np.load(f"{path}.npz")
    assert list(found) == list(read_json(f"safetensors/{name}.safetensors.json")["loaded"])
    for key in expected.files:
        _same(found[key.removesuffix("__bits")], expected[key])
    again = load_checkpoint(io.BytesIO(path.read_bytes()), format="safetensors")
    assert list(again) == list(found)


def _header_and_rest(data: bytes) -> tuple[dict, bytes]:
    import json

    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


@pytest.mark.parametrize(
    ("name", "options"),
    [("dtypes", {}), ("crc", {"crc_check": True}), ("redundancy", {"remove_redundancy": False}), ("net", {})],
)
def test_safetensors_are_written_as_upstream(name: str, options: dict, tmp_path: Path) -> None:
    """Byte for byte but for the order of the metadata, which the library draws by chance."""
    source = GOLDEN / "safetensors" / f"{name}.safetensors"
    save_checkpoint(
        load_checkpoint(str(source), format="safetensors"), str(tmp_path / "again"), format="safetensors", **options
    )
    written = (tmp_path / "again.safetensors").read_bytes()
    assert _header_and_rest(written) == _header_and_rest(source.read_bytes())
    assert list(_header_and_rest(written)[0]) == list(_header_and_rest(source.read_bytes())[0])


def test_our_safetensors_are_the_librarys_bytes(tmp_path: Path) -> None:
    import safetensors.torch

    values = {
        f"n{i}": Tensor(torch.ones(3).to(dtype))
        for i, dtype in enumerate(
            [
                torch.bool,
                torch.float8_e5m2,
                torch.float8_e4m3fn,
                torch.int64,
                torch.uint16,
                torch.bfloat16,
                torch.float64,
                torch.uint32,
            ]
        )
    }
    save_checkpoint(values, str(tmp_path / "a.safetensors"), format="safetensors")
    plain = {name: value.as_subclass(torch.Tensor) for name, value in values.items()}
    assert (tmp_path / "a.safetensors").read_bytes() == safetensors.torch.save(plain, {"format": "ms"})


def test_safetensors_crc_and_strings(tmp_path: Path) -> None:
    path = str(tmp_path / "a.safetensors")
    save_checkpoint(
        {"b": Tensor([1.5]), "h": Tensor(torch.ones(2, dtype=torch.bfloat16))},
        path,
        format="safetensors",
        crc_check=True,
    )
    assert list(load_checkpoint(path, format="safetensors", crc_check=True)) == ["b", "h"]
    data = bytearray(Path(path).read_bytes())
    data[-1] ^= 1
    Path(path).chmod(0o600)
    Path(path).write_bytes(data)
    with pytest.raises(ValueError, match=r"a.safetensors: the CRC-32 of the data is \d+, but \d+ is stored"):
        load_checkpoint(path, format="safetensors", crc_check=True)
    with pytest.raises(ValueError):
        save_checkpoint({"b": Tensor([1.5])}, path, format="safetensors", append_dict={"note": "x"})


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"ckpt_file_name": io.BytesIO(b"abc"), "format": "safetensors"}, ValueError),
        ({"ckpt_file_name": "x.safetensors"}, ValueError),
    ],
)
def test_loading_refuses_what_does_not_go(arguments: dict, error: type) -> None:
    with pytest.raises(error):
        load_checkpoint(**arguments)


# --- what upstream loses ----------------------------------------------------------------------------------------------


def test_empty_and_unaligned_tensors_and_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "SLICE_BYTES", 1001)
    values = {
        "empty": np.zeros((0, 3), np.float32),
        "odd": np.arange(5, dtype=np.int8),
        "big": np.random.rand(33, 17),
        "complex": np.ones(3, np.complex64),
        "strided": Tensor(torch.arange(12.0).reshape(3, 4).T),
    }
    save_checkpoint(values, str(tmp_path / "a.ckpt"))
    found = load_checkpoint(str(tmp_path / "a.ckpt"))
    for name, value in values.items():
        array = value.asnumpy() if isinstance(value, Tensor) else value
        np.testing.assert_array_equal(found[name].asnumpy(), array)


def test_elements_of_sixteen_bytes_are_aligned_and_those_of_a_net_always(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    values = {
        f"{'x' * length}.{kind}": np.arange(3).astype(kind)
        for length in range(1, 17)
        for kind in ("float32", "float64", "complex128")
    }
    save_checkpoint(values, path)
    found = load_checkpoint(path)
    assert all(value.data_ptr() % 16 == 0 for name, value in found.items() if name.endswith("complex128"))
    net = nn.Cell()
    for name, value in values.items():
        net.insert_param_to_cell(name, Parameter(Tensor(value * 0), name=name), check_name_contain_dot=False)
    assert load_param_into_net(net, found) == ([], [])
    for parameter in net.get_parameters():
        assert (
            parameter.data_ptr() % parameter.itemsize == 0 and parameter.data_ptr() == found[parameter.name].data_ptr()
        )
        np.testing.assert_array_equal(parameter.asnumpy(), values[parameter.name])


@pytest.mark.parametrize("machine", ["aarch64", "x86_64"])
def test_only_x86_gets_elements_at_odd_addresses(machine: str, tmp_path: Path) -> None:
    program = (
        "import platform, sys\nplatform.machine = lambda: sys.argv[1]\nimport mindspore_compat as ms, torch\n"
        "kinds = [torch.float16, torch.float32, torch.float64, torch.complex64, torch.int8, torch.bool]\n"
        "values = {'x' * n + str(kind): ms.Tensor(torch.ones(300).to(kind)) for n in range(1, 17) for kind in kinds}\n"
        "ms.save_checkpoint(values, 'a.ckpt')\nfound = ms.load_checkpoint('a.ckpt')\n"
        "assert all(torch.equal(found[name].detach(), value) for name, value in values.items())\n"
        "print(all(value.data_ptr() % value.itemsize == 0 for value in found.values()), any(value.data_ptr() % 8 for "
        "value in found.values()))\n"
    )
    done = run_python("-c", program, machine, cwd=tmp_path, fresh=machine != platform.machine())
    assert done.stdout == ("False True\n" if machine == "x86_64" else "True True\n"), done.stderr[-2000:]


def test_torch_and_numpy_work_on_elements_at_odd_addresses() -> None:
    """What loaded tensors rely on; a newer torch that needs alignment fails here."""
    done = run_python("-m", "tests.train.unaligned_program", cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]


def test_a_future_gives_what_load_checkpoint_gives() -> None:
    assert list(load_checkpoint_async(str(GOLDEN / "ckpt/net.ckpt")).result()) == list(
        load_checkpoint(str(GOLDEN / "ckpt/net.ckpt"))
    )
    with pytest.raises(ValueError):
        load_checkpoint_async("missing.ckpt").result()


@pytest.mark.parametrize(
    "value",
    [np.array(["text"]), np.array([object()]), object(), torch.zeros(2, device="meta"), torch.eye(2).to_sparse()],
)
def test_values_without_bytes_are_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        save_checkpoint({"a": value}, str(tmp_path / "a.ckpt"))
    assert list(tmp_path.iterdir()) == []


def test_real_errors_are_value_errors() -> None:
    for name in ("truncated", "empty_file", "crc_bad"):
        record = read_json(f"ckpt/{name}.ckpt.json")
        wanted = record.get("loaded", record.get("with_crc_check"))["error"]
        with pytest.raises(getattr(builtins, wanted), match=r"\.ckpt"):
            load_checkpoint(str(GOLDEN / "ckpt" / f"{name}.ckpt"), crc_check=True)
