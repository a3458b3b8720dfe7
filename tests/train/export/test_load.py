"""`load` and `GraphCell`: MINDIR files of real MindSpore 2.10 and 2.0, and our own."""

from __future__ import annotations

import copy
import io
import tarfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._format import envelope
from mindspore_compat._format.proto import mindir
from mindspore_compat._graph.export.ir import leaves
from tests.support.upstream import LeNet5
from tests.train.export.nets import CASES

GOLDEN = Path(__file__).parents[2] / "golden"
VERSIONS = ("2_10", "2_0")


@lru_cache
def real(version: str) -> dict[str, bytes]:
    """What real MindSpore wrote: {name.mindir: the file, name.npz: inputs and outputs}."""
    with tarfile.open(GOLDEN / f"mindir_{version}.tar.xz") as archive:
        return {item.name: archive.extractfile(item).read() for item in archive}  # type: ignore[union-attr]


def graph(folder: Path, version: str, name: str) -> Any:
    path = folder / f"{name}.mindir"
    path.write_bytes(real(version)[path.name])
    return ms.load(str(path))


def arrays(version: str, name: str) -> tuple[list[Any], list[Any]]:
    with np.load(io.BytesIO(real(version)[f"{name}.npz"])) as file:
        return [file[key] for key in file.files if key.startswith("arr")], [
            file[key] for key in sorted(file.files) if key.startswith("out")
        ]


def same(found: Any, wanted: list[Any], tolerance: float) -> None:
    ours = [item.asnumpy() for item in leaves(found)]
    assert [(item.shape, item.dtype) for item in ours] == [(item.shape, item.dtype) for item in wanted]
    for one, other in zip(ours, wanted):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def mutual(net: Any, *inputs: Any, folder: Path, **options: Any) -> Any:
    """The network after a way through our own file."""
    ms.export(net, *inputs, file_name=str(folder / "net"), file_format="MINDIR", **options)
    return nn.GraphCell(ms.load(str(folder / "net.mindir")))


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "name"),
    [(version, name[:-7]) for version in VERSIONS for name in real(version) if name.endswith(".mindir")],
)
def test_a_file_of_real_mindspore_gives_its_outputs(version: str, name: str, tmp_path: Path) -> None:
    inputs, wanted = arrays(version, name)
    same(nn.GraphCell(graph(tmp_path, version, name))(*map(Tensor, inputs)), wanted, 1e-5)


@pytest.mark.parametrize("name", list(CASES))
def test_our_own_files_give_what_the_network_gives(name: str, tmp_path: Path) -> None:
    make, given = CASES[name]
    net, inputs = make().set_train(False), [Tensor(item) for item in given]
    same(mutual(net, *inputs, folder=tmp_path)(*inputs), [item.asnumpy() for item in leaves(net(*inputs))], 1e-6)


def test_both_sides_of_a_branch_and_any_number_of_rounds(tmp_path: Path) -> None:
    then = nn.GraphCell(graph(tmp_path, "2_10", "branch_then"))
    (x,), wanted = arrays("2_10", "branch_then")
    same(then(Tensor(x)), wanted, 1e-5)
    values = {name: parameter.asnumpy() for name, parameter in then.parameters_dict().items()}
    np.testing.assert_allclose(
        then(Tensor(-x)).asnumpy(), (-x @ values["b.weight"].T + values["b.bias"]) * 2, atol=1e-5
    )
    loop = nn.GraphCell(graph(tmp_path, "2_10", "loop"))
    assert loop(Tensor([[1.0]]), Tensor(5, ms.int32)).asnumpy() == 63
    assert loop(Tensor([[1.0]]), Tensor(0, ms.int32)).asnumpy() == 1
    assert np.isinf(
        loop(Tensor([[1.0]]), Tensor(5000, ms.int32)).asnumpy()
    )  # far more rounds than Python's stack is deep


class _WithNone(nn.Cell):
    """As networks whose further results are optional."""

    def __init__(self) -> None:
        super().__init__()
        self.count = Parameter(Tensor(0.0), name="count")

    def construct(self, x: Any) -> Any:
        self.count = self.count + 1
        if x.sum() > 0:
            return (ops.relu(x), None), None, x * self.count
        return (x, None), None, x - 1


@pytest.mark.parametrize("open_sizes", [False, True])
def test_results_that_are_none(tmp_path: Path, open_sizes: bool) -> None:
    x = Tensor(np.array([[1, -2, 3.5]], np.float32))
    found = mutual(_WithNone(), Tensor(shape=[None, 3], dtype=ms.float32) if open_sizes else x, folder=tmp_path)
    net = _WithNone()
    for given in (x, -x, x * 2):
        (ours, none), also, last = found(given)
        (theirs, _), _, wanted = net(given)
        assert none is also is None
        same([ours, last], [theirs.asnumpy(), wanted.asnumpy()], 0)


def test_a_side_with_none_and_one_with_a_tensor_is_refused(tmp_path: Path) -> None:
    def either(x: Any) -> Any:
        return (x, None) if x.sum() > 0 else (x, x)

    with pytest.raises(NotImplementedError):
        mutual(either, Tensor(np.ones((2, 3), np.float32)), folder=tmp_path)


def test_a_graph_changes_its_parameters(tmp_path: Path) -> None:
    net = nn.GraphCell(graph(tmp_path, "2_10", "counter"))
    x = Tensor(np.ones(2, np.float32))
    assert [[float(item.asnumpy()[0]) for item in net(x)] for _ in range(2)] == [[1, 3], [3, 5]]
    assert net.parameters_dict()["count"].asnumpy() == 5


def test_contents_that_lie_in_a_file_of_their_own(tmp_path: Path) -> None:
    net = nn.Dense(3, 2)
    ms.export(net, Tensor(np.ones((1, 3), np.float32)), file_name=str(tmp_path / "net"), file_format="MINDIR")
    model = mindir.ModelProto()
    model.ParseFromString((tmp_path / "net.mindir").read_bytes())
    content = bytearray(64)
    for parameter in model.graph.parameter:
        parameter.external_data.location, parameter.external_data.offset = "net_variables/data_0", len(content)
        parameter.external_data.length = len(parameter.raw_data)
        content += parameter.raw_data + bytes(-len(parameter.raw_data) % 64)
        parameter.ClearField("raw_data")
    (tmp_path / "net_variables").mkdir()
    (tmp_path / "net_variables" / "data_0").write_bytes(content)
    (tmp_path / "net_graph.mindir").write_bytes(model.SerializeToString())
    found = nn.GraphCell(ms.load(str(tmp_path / "net_graph.mindir")))
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    same(found(x), [net(x).asnumpy()], 1e-6)


def test_an_unknown_operator_is_named(tmp_path: Path) -> None:
    def rename(model: Any) -> None:
        for node in model.graph.node:
            node.op_type = node.op_type.replace("ReLU", "FancyReLU")

    with pytest.raises(NotImplementedError):
        mutual(LeNet5(), Tensor(np.ones((1, 1, 32, 32), np.float32)), folder=tmp_path, custom_func=rename)


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("net.txt", b"", ValueError),
        ("absent.mindir", None, ValueError),
        ("empty.mindir", b"", RuntimeError),
        ("bad.mindir", b"garbage" * 10, RuntimeError),
    ],
)
def test_what_is_no_mindir_file(name: Any, content: bytes | None, error: type[Exception], tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error):
        ms.load(str(tmp_path / name) if isinstance(name, str) else name)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    data = real("2_10")["lenet.mindir"]
    (tmp_path / "cut.mindir").write_bytes(data[: len(data) // 2])
    with pytest.raises(RuntimeError, match="damaged"):
        ms.load(str(tmp_path / "cut.mindir"))


def test_encrypted_files(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    key, path = b"0123456789ABCDEF", tmp_path / "secret.mindir"
    path.write_bytes(b"".join(envelope.encrypt([real("2_10")["dense.mindir"]], key, "AES-GCM")))
    inputs, wanted = arrays("2_10", "dense")
    same(nn.GraphCell(ms.load(str(path), dec_key=key))(*map(Tensor, inputs)), wanted, 1e-5)
    opened = ms.load(
        str(path), dec_key=key, dec_mode=lambda name, given: real("2_10")["dense.mindir"] if given == key else b""
    )
    same(nn.GraphCell(opened)(*map(Tensor, inputs)), wanted, 1e-5)
    for options, error in (
        ({}, "give 'dec_key'"),
        ({"dec_key": b"1" * 16}, "does not open"),
        ({"dec_key": b"1"}, "must have 16"),
        ({"dec_key": key, "dec_mode": "AES-CBC"}, "encrypted with AES-GCM"),
    ):
        with pytest.raises(RuntimeError, match=error):
            ms.load(str(path), **options)
    with pytest.raises(ValueError, match="must be bytes"):
        ms.load(str(path), dec_key="0123456789ABCDEF")


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_our_own_encrypted_files(mode: str, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    key, net, x = b"0123456789ABCDEF", nn.Dense(3, 2), Tensor(np.ones((1, 3), np.float32))
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR", enc_key=key, enc_mode=mode)
    assert envelope.encryption_of((tmp_path / "net.mindir").read_bytes()) == mode
    same(nn.GraphCell(ms.load(str(tmp_path / "net.mindir"), dec_key=key, dec_mode=mode))(x), [net(x).asnumpy()], 1e-6)


@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_a_function_of_ones_own_encrypts(file_format: str, tmp_path: Path) -> None:
    net, x, plain = nn.Dense(3, 2), Tensor(np.ones((1, 3), np.float32)), tmp_path / f"plain.{file_format.lower()}"
    ms.export(net, x, file_name=str(plain), file_format=file_format)
    ms.export(
        net,
        x,
        file_name=str(tmp_path / "net"),
        file_format=file_format,
        enc_key=b"key",
        enc_mode=lambda content, key: key + content[::-1],
    )
    assert (tmp_path / f"net{plain.suffix}").read_bytes() == b"key" + plain.read_bytes()[::-1]


# --- GraphCell --------------------------------------------------------------------------------------------------------


def test_parameters_have_the_names_of_the_file_and_are_trained(tmp_path: Path) -> None:
    net = nn.GraphCell(graph(tmp_path, "2_10", "residual"))
    names = [parameter.name for parameter in net.get_parameters()]
    assert names[:6] == [
        "conv1.weight",
        "bn1.gamma",
        "bn1.beta",
        "bn1.moving_mean",
        "bn1.moving_variance",
        "conv2.weight",
    ]
    assert list(net.parameters_dict()) == names and len(net.trainable_params()) == len(names)


def test_gradients_and_training_go_through_a_loaded_graph(tmp_path: Path) -> None:
    net, x = LeNet5(), Tensor(np.random.RandomState(3).randn(4, 1, 32, 32).astype(np.float32))
    loaded = mutual(net, x, folder=tmp_path)
    expected, found = ops.grad(net, 0, net.trainable_params())(x), ops.grad(loaded, 0, loaded.trainable_params())(x)
    np.testing.assert_allclose(found[0].asnumpy(), expected[0].asnumpy(), atol=1e-5)
    by_name = {parameter.name: gradient for parameter, gradient in zip(loaded.trainable_params(), found[1])}
    for parameter, gradient in zip(net.trainable_params(), expected[1]):
        np.testing.assert_allclose(by_name[parameter.name].asnumpy(), gradient.asnumpy(), atol=1e-4)
    label, loss, losses = (
        Tensor([0, 1, 2, 3], ms.int32),
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        [],
    )
    for trained in (net, loaded):
        step = nn.TrainOneStepCell(nn.WithLossCell(trained, loss), nn.SGD(trained.trainable_params(), 0.05)).set_train()
        losses.append([float(step(x, label)) for _ in range(12)])
    np.testing.assert_allclose(losses[1], losses[0], 1e-4)
    assert losses[0][-1] < losses[0][0]


def test_checkpoints_and_networks_around_a_graph(tmp_path: Path) -> None:
    net = nn.GraphCell(graph(tmp_path, "2_10", "lenet"))
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    assert list(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == list(net.parameters_dict())
    ms.load_param_into_net(net, ms.load_checkpoint(str(tmp_path / "net.ckpt")), strict_load=True)

    class Outer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = net

        def construct(self, x: Any) -> Any:
            return self.inner(x) * 2

    (x,), (wanted,) = arrays("2_10", "lenet")
    outer = Outer()
    assert next(outer.get_parameters()).name == "inner.conv1.weight"  # as upstream
    np.testing.assert_allclose(outer(Tensor(x)).asnumpy(), wanted * 2, atol=1e-5)
    twin = copy.deepcopy(outer)
    next(twin.get_parameters()).set_data(ops.zeros((4, 1, 3, 3)))
    assert not np.allclose(twin(Tensor(x)).asnumpy(), outer(Tensor(x)).asnumpy())


def test_values_of_parameters_can_be_given(tmp_path: Path) -> None:
    (x,), _ = arrays("2_10", "lenet")
    bias = np.arange(5, dtype=np.float32)
    weight = Parameter(Tensor(np.zeros((5, 12), np.float32)), name="other", requires_grad=False)
    net = nn.GraphCell(
        graph(tmp_path, "2_10", "lenet"),
        params_init={"fc2.bias": Tensor(bias), "fc2.weight": weight, "nobody": Tensor(1.0)},
    )
    np.testing.assert_array_equal(net(Tensor(x)).asnumpy(), np.tile(bias, (2, 1)))
    assert net.parameters_dict()["fc2.weight"] is not weight and net.parameters_dict()["fc2.weight"].requires_grad


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"params_init": {"fc2.bias": Tensor(np.ones(3, np.float32))}}, ValueError),
        ({"obf_random_seed": 0}, NotImplementedError),
    ],
)
def test_wrong_arguments_of_a_graph_cell(arguments: Any, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error):
        nn.GraphCell(graph(tmp_path, "2_10", "lenet"), **arguments)


def test_the_number_of_inputs_is_checked(tmp_path: Path) -> None:
    net = nn.GraphCell(graph(tmp_path, "2_10", "lenet"))
    for inputs in ((), (Tensor(1.0), Tensor(1.0))):
        with pytest.raises(RuntimeError):
            net(*inputs)


def test_a_nan_among_an_operators_numbers_is_equal_in_the_second_run(tmp_path: Path) -> None:
    """torch takes xlogy apart into a choice of nan."""
    random = np.random.default_rng(2)
    draw = lambda: [Tensor(random.random((3, 4), dtype=np.float32) + 0.1) for _ in range(2)]
    net = nn.KLDivLoss("sum")
    again = mutual(net, *draw(), folder=tmp_path)
    inputs = draw()
    np.testing.assert_allclose(again(*inputs).asnumpy(), net(*inputs).asnumpy(), rtol=1e-5)
