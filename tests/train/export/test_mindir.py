"""MINDIR files as they lie on the disk, read with our own message classes; real MindSpore loads them in
test_oracle.py.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Parameter, Tensor, load, nn, ops
from mindspore_compat._format.proto import mindir
from mindspore_compat.train._export import export
from tests.support.upstream import GOLDEN
from tests.train.export.nets import CASES, Function, LeNet5


def read(path: Path) -> Any:
    model = mindir.ModelProto()
    model.ParseFromString(path.read_bytes())
    return model


def exported(net: Any, *inputs: Any, folder: Path) -> Any:
    export(net, *inputs, file_name=str(folder / "net"), file_format="MINDIR")
    return read(folder / "net.mindir")


def operators(model: Any) -> list[str]:
    return [node.op_type for node in model.graph.node if node.op_type != "Constant"]


def attributes(model: Any, op: str) -> dict[str, Any]:
    return {item.name: item for node in model.graph.node if node.op_type == op for item in node.attribute}


def ints(attribute: Any) -> list[int]:
    return [value for item in attribute.values for value in item.ints]


# --- the format -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dense_relu", "small_bn", "mixed"])
def test_a_real_file_is_read_and_written_again_to_the_byte(name: str) -> None:
    data = (GOLDEN / "mindir" / f"{name}.mindir").read_bytes()
    model = mindir.ModelProto()
    model.ParseFromString(data)
    assert model.producer_name == "MindSpore" and model.model_version == "2.10.0"
    model.DiscardUnknownFields()  # there are none: all comes back
    assert model.SerializeToString(deterministic=True) == data


def test_names_and_head_are_those_of_a_real_file(tmp_path: Path) -> None:
    class DenseRelu(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.fc, self.relu = nn.Dense(4, 3), nn.ReLU()

        def construct(self, x: Any) -> Any:
            return self.relu(self.fc(x))

    ours, real = (
        exported(DenseRelu(), Tensor(np.ones((2, 4), np.float32)), folder=tmp_path),
        read(GOLDEN / "mindir" / "dense_relu.mindir"),
    )
    assert (ours.producer_name, ours.model_version, ours.mind_ir_version, ours.little_endian) == (
        real.producer_name,
        real.model_version,
        real.mind_ir_version,
        real.little_endian,
    )

    def described(model: Any) -> list[Any]:
        parameters = [
            (item.name.split(":")[1], item.ref_key, list(item.dims), item.data_type) for item in model.graph.parameter
        ]
        values = [
            (list(item.tensor[0].dims), item.tensor[0].data_type) for item in (*model.graph.input, *model.graph.output)
        ]
        return [sorted(parameters), values, model.graph.input[0].name.split(":")[1]]

    assert described(ours) == described(real)
    for ops_of_real in ("MatMul", "BiasAdd", "ReLU"):
        assert ops_of_real in operators(ours)
        assert any(item.op_type == ops_of_real for item in real.primitives)


# --- graphs -----------------------------------------------------------------------------------------------------------


def test_lenet_has_its_operators_in_order_and_its_parameters_by_name(tmp_path: Path) -> None:
    net = LeNet5()
    model = exported(net, Tensor(np.ones((2, 1, 32, 32), np.float32)), folder=tmp_path)
    assert operators(model) == ["Conv2D", "ReLU", "MaxPool"] * 2 + ["Reshape"] + ["MatMul", "BiasAdd", "ReLU"] * 2 + [
        "MatMul",
        "BiasAdd",
    ]
    stored = {
        item.ref_key: np.frombuffer(item.raw_data, np.float32).reshape(item.dims) for item in model.graph.parameter
    }
    assert list(stored) == [parameter.name for parameter in net.get_parameters()]
    for parameter in net.get_parameters():
        np.testing.assert_array_equal(stored[parameter.name], parameter.asnumpy())
    assert [list(item.tensor[0].dims) for item in (*model.graph.input, *model.graph.output)] == [
        [2, 1, 32, 32],
        [2, 10],
    ]


def test_nodes_come_after_what_they_read(tmp_path: Path) -> None:
    for name, (make, arrays) in CASES.items():
        model = exported(make(), *[Tensor(array) for array in arrays], folder=tmp_path)
        known = {item.name for item in (*model.graph.input, *model.graph.parameter)}
        for node in model.graph.node:
            assert known.issuperset(node.input), (name, node.op_type)
            assert known.isdisjoint(node.output), (name, node.op_type)
            known.update(node.output)
        assert known.issuperset(item.name for item in model.graph.output)


def test_padding_goes_into_the_convolution(tmp_path: Path) -> None:
    model = exported(nn.Conv2d(3, 6, 3, 2, pad_mode="same"), Tensor(np.ones((1, 3, 8, 8), np.float32)), folder=tmp_path)
    assert operators(model) == ["Conv2D"]
    found = attributes(model, "Conv2D")
    assert (
        ints(found["pad"]) == [0, 1, 0, 1]
        and ints(found["stride"]) == [1, 1, 2, 2]
        and ints(found["kernel_size"]) == [3, 3]
    )
    assert found["pad_mode"].s == b"pad" and found["out_channel"].i == 6 and found["format"].s == b"NCHW"


def test_ints_of_tuples_stand_where_real_mindspore_looks(tmp_path: Path) -> None:
    model = exported(Function(lambda x: x.reshape(3, 2)), Tensor(np.ones((2, 3), np.float32)), folder=tmp_path)
    constant = next(node for node in model.graph.node if node.op_type == "Constant").attribute[0]
    assert constant.type == mindir.AttributeType.TUPLE and ints(constant) == [3, 2]
    assert not any(item.HasField("i") for item in constant.values)


def test_what_the_output_does_not_need_is_left_out(tmp_path: Path) -> None:
    class Half(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Dense(2, 2), nn.Dense(2, 2)

        def construct(self, x: Any) -> Any:
            self.unused(x)
            return self.used(x)

    model = exported(Half(), Tensor(np.ones((1, 2), np.float32)), folder=tmp_path)
    assert [item.ref_key for item in model.graph.parameter] == ["used.weight", "used.bias"]
    assert operators(model) == ["MatMul", "BiasAdd"]


def test_each_cell_is_exported_in_its_mode(tmp_path: Path) -> None:
    net = nn.SequentialCell([nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2), nn.Dropout(p=0.5)])
    net.set_train()
    net[1].set_train(False)
    before = net[1].moving_mean.asnumpy().copy()
    model = exported(net, Tensor(np.ones((2, 2, 3, 3), np.float32)), folder=tmp_path)
    assert operators(model) == ["Conv2D", "BatchNorm", "TupleGetItem", "Dropout", "TupleGetItem"]
    assert (net.training, net[0].training, net[1].training, net[2].training) == (True, True, False, True)
    np.testing.assert_array_equal(net[1].moving_mean.asnumpy(), before)


def test_several_outputs_become_one_tuple(tmp_path: Path) -> None:
    model = exported(Function(lambda x: (x, (x + 1, [x * 2]))), Tensor(np.ones((2, 3), np.float32)), folder=tmp_path)
    output = model.graph.output[0]
    assert output.denotation == "Tuple" and output.attr_info.type == mindir.AttributeType.TUPLE
    assert list(output.attr_info.values[0].tensors[0].dims) == [2, 3]
    assert [item.type for item in output.attr_info.values[1].values] == [
        mindir.AttributeType.TENSORS,
        mindir.AttributeType.TUPLE,
    ]


def test_parts_of_a_list_become_inputs_and_numbers_constants(tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, pair: Any, factor: Any, x: Any) -> Any:
            return pair[0] * factor + pair[1] + x

    x = Tensor(np.ones((2,), np.float32))
    model = exported(Net(), [x, x], 3, x, folder=tmp_path)
    assert [item.name.split(":")[1] for item in model.graph.input] == ["pair_0", "pair_1", "x"]


def test_a_function_is_exported_with_the_parameters_it_uses(tmp_path: Path) -> None:
    layer = nn.Dense(3, 2)

    def predict(x: Any) -> Any:
        return ops.relu(layer(x))

    model = exported(predict, Tensor(np.ones((1, 3), np.float32)), folder=tmp_path)
    assert model.graph.name == "predict" and [item.ref_key for item in model.graph.parameter] == ["weight", "bias"]


def test_custom_func_changes_the_message_before_it_is_written(tmp_path: Path) -> None:
    def change(model: Any) -> None:
        model.producer_name = "test11111"
        model.user_info["version"] = "11.0"

    export(nn.ReLU(), Tensor([1.0]), file_name=str(tmp_path / "net"), file_format="MINDIR", custom_func=change)
    model = read(tmp_path / "net.mindir")
    assert model.producer_name == "test11111" and model.user_info["version"] == "11.0"


def test_low_precision_of_a_layer_stands_in_casts(tmp_path: Path) -> None:
    model = exported(nn.Dense(3, 2).to_float(torch.float16), Tensor(np.ones((1, 3), np.float32)), folder=tmp_path)
    assert all(item.data_type == mindir.AttributeType.FLOAT for item in model.graph.parameter)
    assert (
        operators(model).count("Cast") == 3
        and model.graph.output[0].tensor[0].data_type == mindir.AttributeType.FLOAT16
    )


# --- files ------------------------------------------------------------------------------------------------------------


def test_suffix_folder_and_mode_are_upstreams(tmp_path: Path) -> None:
    for name, written in (("a", "a.mindir"), ("b.mindir", "b.mindir"), ("new/c.ms", "new/c.ms.mindir")):
        for _ in range(2):  # a file of mode 0400 is replaced
            export(nn.ReLU(), Tensor([1.0]), file_name=str(tmp_path / name), file_format="MINDIR")
        assert stat.S_IMODE((tmp_path / written).stat().st_mode) == 0o400
    assert sorted(os.listdir(tmp_path)) == ["a.mindir", "b.mindir", "new"]


def test_sample_inputs_may_point_outside_of_tables(tmp_path: Path) -> None:
    """Published scripts export with random ids, beyond the vocabulary: upstream's export computes nothing."""

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.gather = nn.Embedding(5, 3), ops.Gather()
            self.table = Parameter(Tensor(np.arange(15, dtype=np.float32).reshape(5, 3)), name="table")

        def construct(self, ids: Any) -> Any:
            return (
                self.embedding(ids) + self.gather(self.table, ids, 0) + ops.gather_nd(self.table, ids.expand_dims(-1))
            )

    net = Net()
    exported(net, Tensor(np.array([[99, -70]], np.int32)), folder=tmp_path)
    ids = Tensor(np.array([[1, 4]], np.int32))
    np.testing.assert_array_equal(nn.GraphCell(load(str(tmp_path / "net.mindir")))(ids).asnumpy(), net(ids).asnumpy())


def test_a_mean_over_channels_last_is_exported(tmp_path: Path) -> None:
    """torch changes strides in place when it averages such a tensor to one element a channel."""

    class Pooled(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ops.AdaptiveAvgPool2D((1, 1))(ops.transpose(ops.relu(x), (0, 3, 1, 2))) * 2

    x = Tensor(np.random.default_rng(0).standard_normal((2, 4, 5, 3)).astype(np.float32))
    assert operators(exported(Pooled(), x, folder=tmp_path))
    loaded = nn.GraphCell(load(str(tmp_path / "net.mindir")))(x)
    wanted = np.maximum(x.asnumpy(), 0).mean((1, 2))[..., None, None] * 2
    np.testing.assert_allclose(loaded.asnumpy(), wanted, rtol=1e-6)
