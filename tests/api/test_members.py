"""Members of MindSpore's public classes: each is there, or left out for a reason; and those that were added do work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mindspore_compat._extends import cell_attr_register

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat._api import members
from mindspore_compat.dataset import transforms, vision
from mindspore_compat.profiler import DynamicProfilerMonitor


@pytest.fixture(scope="module")
def absent() -> list[tuple[str, str]]:
    return list(members.absent_members())


def test_every_member_is_there_or_left_out_for_a_reason(absent: list[tuple[str, str]]) -> None:
    assert [f"{cls}.{name}" for cls, name in absent if not members.reason_of(cls, name)] == []


def test_no_exception_is_stale(absent: list[tuple[str, str]]) -> None:
    used = {members.reason_of(cls, name) for cls, name in absent}
    assert [row for row in members.left_out() if not row.reason or row.reason not in used] == []


def test_the_table_has_inherited_members() -> None:
    found = members.public_members()
    assert {"add_prim_attr", "recompute"} <= found["mindspore.ops.ReLU"]
    assert "construct" in found["mindspore.nn.Dense"] and "no_such_member" not in found["mindspore.nn.Dense"]
    assert len(found) > 2000


def test_functions_of_a_multitype_graph_in_plain_calls() -> None:
    graph = ops.MultitypeFuncGraph("graph")
    graph.register_fn(("Tensor",), lambda x: "tensor")
    graph.register_fn(("String",), lambda x: "text")
    graph.register_default_fn(lambda *x: "other")
    assert [graph(Tensor(1.0)), graph("a"), graph([1], [2])] == ["tensor", "text", "other"]


class Kept(nn.Cell):
    @cell_attr_register
    def __init__(self, a: int, b: int = 3) -> None:
        super().__init__()
        self.a = a


class Named(nn.Cell):
    @cell_attr_register(attrs=["a", "absent"])
    def __init__(self, a: int) -> None:
        super().__init__()
        self.a = a


def test_what_a_cell_was_made_of() -> None:
    assert Kept(1).cell_init_args == "Keptdict_values([1])"
    assert Kept(a=2, b=4).cell_init_args == "Keptdict_values([2, 4])"
    assert Named(5).cell_init_args == "Named[5]"
    assert nn.ReLU().cell_init_args == ""


def test_weights_are_drawn_anew() -> None:
    for cell in (nn.RNNCell(3, 4), nn.LSTMCell(3, 4), nn.GRUCell(3, 4)):
        before = cell.weight_ih.asnumpy().copy()
        cell.reset_parameters()
        after = cell.weight_ih.asnumpy()
        assert (before != after).any() and np.abs(after).max() <= 0.5


def test_batch_norm_forgets() -> None:
    cell = mint.nn.BatchNorm2d(3)
    cell.set_train()
    cell(Tensor(np.random.RandomState(0).rand(2, 3, 4, 4).astype("float32")))
    assert (cell.running_mean.asnumpy() != 0).all() and cell.num_batches_tracked == 1
    cell.weight.set_data(Tensor([2.0, 2.0, 2.0]))
    cell.reset_running_stats()
    assert (cell.running_mean.asnumpy() == 0).all() and (cell.running_var.asnumpy() == 1).all()
    assert (int(cell.num_batches_tracked), cell.weight.asnumpy().tolist()) == (0, [2.0, 2.0, 2.0])
    cell.reset_parameters()
    assert cell.weight.asnumpy().tolist() == [1.0, 1.0, 1.0]
    mint.nn.BatchNorm2d(3, track_running_stats=False).reset_running_stats()


def test_members_of_optimizers_and_losses() -> None:
    optimizer = nn.AdaFactor(nn.Dense(2, 3).trainable_params())
    assert optimizer.supports_memory_efficient_fp16 and not optimizer.supports_flat_params
    optimizer.exp_avg[0].set_data(ops.ones_like(optimizer.exp_avg[0]))
    optimizer.init_ada_factor_state(0.9)
    assert (optimizer.exp_avg[0].asnumpy() == 0).all()
    loss = mint.nn.SoftMarginLoss()
    assert isinstance(loss, nn.LossBase)
    assert float(loss.get_loss(Tensor([1.0, 2.0]))) == 1.5 and loss.get_axis(Tensor([1.0])) == (0,)


def test_quantized_types_are_an_enum() -> None:
    assert [item.value() for item in (ms.QuantDtype.INT1, ms.QuantDtype.INT16, ms.QuantDtype.UINT1)] == [0, 15, 100]
    assert (len(ms.QuantDtype), str(ms.QuantDtype.UINT16), ms.QuantDtype["INT9"].value()) == (32, "UINT16", 8)


@pytest.mark.parametrize(
    ("sampler", "mode"),
    [
        (ds.SequentialSampler(), ds.Shuffle.FALSE),
        (ds.RandomSampler(), ds.Shuffle.GLOBAL),
        (ds.DistributedSampler(2, 0), ds.Shuffle.GLOBAL),
        (ds.DistributedSampler(2, 0, shuffle=False), ds.Shuffle.FALSE),
        (ds.DistributedSampler(2, 0, shuffle=ds.Shuffle.FILES), ds.Shuffle.FILES),
        (ds.PKSampler(2, shuffle=True), ds.Shuffle.FALSE),
        (ds.SubsetSampler([1]), ds.Shuffle.FALSE),
        (ds.SubsetRandomSampler([1]), ds.Shuffle.GLOBAL),
        (ds.WeightedRandomSampler([0.5, 0.5]), ds.Shuffle.GLOBAL),
    ],
)
def test_shuffle_modes(sampler: Any, mode: ds.Shuffle) -> None:
    assert sampler.get_shuffle_mode() == mode


def test_pipelines_as_json(tmp_path: Path) -> None:
    data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).batch(2)
    found = data.to_json(str(tmp_path / "pipeline.json"))
    assert found == ds.serialize(data) == json.loads((tmp_path / "pipeline.json").read_text())
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"numRows": 7, "columns": {}}))
    assert ds.Schema.get_num_rows(str(schema)) == ds.Schema.get_num_rows(ds.Schema(str(schema))) == 7
    assert ds.Schema.get_num_rows(ds.Schema()) == 0


def test_a_compose_in_a_compose_is_flat() -> None:
    inner = transforms.Compose([vision.ToPIL(), transforms.Compose([vision.Resize(3)])])
    outer = transforms.Compose([inner, vision.ToTensor()])
    assert [type(item).__name__ for item in outer.transforms] == ["ToPIL", "Resize", "ToTensor"]
    image = np.random.RandomState(0).randint(0, 255, (5, 5, 3), np.uint8)
    flat = transforms.Compose([vision.ToPIL(), vision.Resize(3), vision.ToTensor()])
    np.testing.assert_array_equal(outer(image)[0], flat(image)[0])


def test_callbacks_of_pipelines_and_profiles_are_callbacks(tmp_path: Path) -> None:
    seen = []

    class Waited(ds.WaitedDSCallback):
        def sync_step_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
            seen.append(train_run_context.original_args().cur_step_num)

    waited = Waited()
    assert isinstance(waited, ms.train.Callback) and isinstance(waited, ds.DSCallback) and waited.step_size == 1
    data = ds.NumpySlicesDataset(np.ones((4, 2), "float32"), ["x"], shuffle=False)
    data = data.map(lambda x: x, input_columns=["x"], callbacks=waited).batch(1)
    (tmp_path / "profiler_config.json").write_text(json.dumps({"start_step": 2, "stop_step": 3}))
    monitor = DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out"), poll_interval=0)
    assert isinstance(monitor, ms.train.Callback)
    net = nn.Dense(2, 1)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = ms.train.Model(nn.TrainOneStepCell(net, optimizer))
    model.train(1, data, callbacks=[waited, monitor], dataset_sink_mode=False)
    assert seen == [1, 2, 3]
    assert len(list((tmp_path / "out").rglob("*.json"))) == 1


def test_a_pipeline_that_waits_is_not_read_ahead() -> None:
    """On a GPU; on a CPU none is."""
    events: list[str] = []

    class End(ms.train.Callback):
        def step_end(self, run_context: Any) -> None:
            events.append("end")
            data.sync_update("step")

    data = ds.NumpySlicesDataset(np.ones((3, 2), "float32"), ["x"], shuffle=False)
    data = data.map(lambda x: (events.append("read"), x)[1], input_columns=["x"])
    data = data.sync_wait("step", num_batch=1).batch(1)
    net = nn.Dense(2, 1)
    model = ms.train.Model(nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)))
    model.train(1, data, callbacks=[End()], dataset_sink_mode=False)
    assert events == ["read", "end"] * 3
