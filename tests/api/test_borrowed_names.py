"""Private names of upstream that published libraries import, and do what they did there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mindspore_compat.parallel._ps_context import _is_role_pserver

import mindspore_compat as ms
from mindspore_compat import Tensor, _checkparam, nn, ops
from mindspore_compat.common import dtype as mstype
from mindspore_compat.common.initializer import _INITIALIZER_ALIAS, Initializer, _init_random_uniform, initializer
from mindspore_compat.dataset.engine.datasets import _get_training_dataset, _set_training_dataset
from mindspore_compat.dataset.vision import py_transforms_util
from mindspore_compat.nn.layer import rnn_cells
from mindspore_compat.nn.wrap.loss_scale import _grad_overflow
from mindspore_compat.numpy.utils import _to_tensor
from mindspore_compat.numpy.utils_const import _raise_value_error
from mindspore_compat.ops import _selected_ops, auto_generate
from mindspore_compat.ops.function import nn_func
from mindspore_compat.ops.operations._sequence_ops import TensorToScalar
from mindspore_compat.parallel import _utils
from mindspore_compat.parallel._utils import _device_number_check
from mindspore_compat.train import amp
from mindspore_compat.train._utils import _make_directory, check_value_type
from mindspore_compat.train.model import _StepSync, _transfer_tensor_to_tuple


def test_modules_of_earlier_releases() -> None:
    assert _selected_ops.ReduceMean is ops.ReduceMean  # AVA_hpa of mindspore-ai/contrib


def test_checks() -> None:
    check_value_type("a", 1, int)
    check_value_type("a", "x", (int, str))
    with pytest.raises(TypeError):
        check_value_type("a", True, int)
    _checkparam.check_types_same_and_valid({"x": mstype.float32, "h": mstype.float32}, (mstype.float32,), "GRU")
    with pytest.raises(TypeError):
        _checkparam.check_types_same_and_valid({"x": mstype.float32, "h": mstype.float16}, mstype.number, "GRU")
    with pytest.raises(ValueError):
        _device_number_check("stand_alone", 2)
    with pytest.raises(ValueError):
        _raise_value_error("a", 3)
    assert _is_role_pserver() is False


def test_operators_and_settings_that_mindformers_and_mindsponge_borrow() -> None:
    assert TensorToScalar()(Tensor(2.5)) == 2.5
    held = ms.Parameter(ops.zeros(2))
    auto_generate.InplaceCopy()(held, Tensor([1.0, 2.0]))
    assert held.asnumpy().tolist() == [1.0, 2.0]
    assert (_utils._get_global_rank(), _utils._get_parameter_broadcast()) == (0, False)
    assert not _utils._is_in_auto_parallel_mode()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    assert _utils._is_in_auto_parallel_mode()
    ms.reset_auto_parallel_context()


def test_make_directory(tmp_path) -> None:
    assert _make_directory(str(tmp_path / "new")) == str(tmp_path / "new")
    assert (tmp_path / "new").is_dir()


def test_to_tensor() -> None:
    assert [_to_tensor(one).dtype for one in (1, 2.5, True, [1, 2], ())] == [
        ms.int32, ms.float32, ms.bool_, ms.int32, ms.float32
    ]  # fmt: skip
    assert len(_to_tensor(1, [2.0])) == 2
    with pytest.raises(TypeError, match="array like"):
        _to_tensor("x")


def test_initializers() -> None:
    assert isinstance(_INITIALIZER_ALIAS["zeros"](), Initializer)
    drawn = _init_random_uniform(2.0, 3.0, (50,))
    assert drawn.dtype == np.float32
    assert ((drawn >= 2) & (drawn <= 3)).all()


class _OfAnotherShape(Initializer):
    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = len(self.shape)


def test_an_initializer_keeps_what_its_class_calls_shape() -> None:
    init = _OfAnotherShape((4, 3, 3, 3))
    assert initializer(init, (5,), ms.float32).asnumpy().tolist() == [4.0] * 5
    assert init.shape == (4, 3, 3, 3)
    assert Initializer().shape is None


@pytest.mark.parametrize(("step", "cell"), [("_rnn_tanh_cell", nn.RNNCell), ("_gru_cell", nn.GRUCell)])
def test_steps_of_recurrent_cells(step, cell) -> None:
    whole = cell(3, 4)
    x, h = ops.ones((2, 3), ms.float32), ops.ones((2, 4), ms.float32)
    weights = whole.weight_ih, whole.weight_hh, whole.bias_ih, whole.bias_hh
    np.testing.assert_allclose(getattr(rnn_cells, step)(x, h, *weights).asnumpy(), whole(x, h).asnumpy(), rtol=1e-6)
    without = getattr(rnn_cells, step)(x, h, *weights[:2], None, None)
    assert isinstance(without, Tensor)
    assert without.shape == (2, 4)


def test_lstm_step() -> None:
    whole = nn.LSTMCell(3, 4)
    x, h = ops.ones((2, 3), ms.float32), (ops.ones((2, 4), ms.float32), ops.zeros((2, 4), ms.float32))
    found = rnn_cells._lstm_cell(x, h, whole.weight_ih, whole.weight_hh, whole.bias_ih, whole.bias_hh)
    for ours, expected in zip(found, whole(x, h), strict=True):
        np.testing.assert_allclose(ours.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_layout_of_images() -> None:
    picture = np.arange(24).reshape(2, 4, 3)
    assert py_transforms_util.hwc_to_chw(picture).shape == (3, 2, 4)
    with pytest.raises(TypeError, match="2 or 3"):
        py_transforms_util.hwc_to_chw(np.zeros(3))


def test_pieces_of_training() -> None:
    one = ops.ones((2,), ms.float32)
    assert _transfer_tensor_to_tuple(one) == (one,)
    assert _transfer_tensor_to_tuple([one]) == [one]
    assert _StepSync().step_end(None) is None
    assert _grad_overflow(Tensor([float("inf"), 1.0])).asnumpy().tolist() == [1.0]
    assert _grad_overflow(one).asnumpy().tolist() == [0.0]
    _set_training_dataset("it")
    assert _get_training_dataset() == "it"
    _set_training_dataset(None)
    found = nn_func._innner_log_softmax(Tensor([[0.0, 0.0]]), 1).asnumpy()
    np.testing.assert_allclose(found, np.log([[0.5, 0.5]]), rtol=1e-6)


def test_pieces_of_mixed_precision() -> None:
    assert amp._config_level["O2"]["keep_batchnorm_fp32"] is True
    assert amp._config_level["O3"]["cast_model_type"] == ms.float16
    network = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4)).to_float(ms.float16)
    amp._do_keep_batchnorm_fp32(network)
    whole = amp._add_loss_network(network, nn.MSELoss(), ms.float16)
    assert network(ops.ones((2, 3), ms.float32)).dtype == ms.float16
    assert whole(ops.ones((2, 3), ms.float32), ops.ones((2, 4), ms.float32)).dtype == ms.float32


class _Watched(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.summary = ops.TensorSummary()

    def construct(self, x):
        self.summary("feature", x + 1)
        return x


def test_what_summary_operators_saw() -> None:
    from mindspore_compat.train.summary.summary_record import _get_summary_tensor_data

    _get_summary_tensor_data()
    _Watched()(Tensor([1.0]))
    assert _get_summary_tensor_data() == {}  # as upstream's, outside of graphs
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        cell = _Watched()
        cell(Tensor([1.0]))
        cell(Tensor([2.0]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    found = _get_summary_tensor_data()
    assert {name: value.asnumpy().tolist() for name, value in found.items()} == {"feature[:Tensor]": [3.0]}
    assert _get_summary_tensor_data() == {}


def test_messages_of_files_that_programs_take_apart(tmp_path: Path) -> None:
    from mindspore_compat.train.mind_ir_pb2 import ModelProto

    from mindspore_compat._format.proto.checkpoint import Checkpoint
    from mindspore_compat.train.node_strategy_pb2 import ParallelStrategyMap

    ms.save_checkpoint([{"name": "a", "data": ms.Tensor([1.0, 2.0])}], str(tmp_path / "x.ckpt"))
    assert Checkpoint.FromString((tmp_path / "x.ckpt").read_bytes()).value[0].tag == "a"
    ms.export(ms.nn.ReLU(), ms.Tensor([1.0]), file_name=str(tmp_path / "x"), file_format="MINDIR")
    assert ModelProto.FromString((tmp_path / "x.mindir").read_bytes()).graph.node
    assert ParallelStrategyMap(current_stage=1).SerializeToString() == b"\x08\x01"


def test_the_logger_is_silent_for_a_while() -> None:
    logger = ms.log._get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    assert ms.log.get_level() == "3"
    logger.setLevel(level)


def test_recording_is_switched_by_the_executor() -> None:
    executor, x = ms.common.api._pynative_executor, Tensor([3.0])
    assert executor.enable_grad() is True
    executor.set_enable_grad(False)
    try:
        assert executor.enable_grad() is False
        with pytest.raises(RuntimeError, match="no_grad"):
            ms.grad(lambda x: x * x)(x)
    finally:
        executor.set_enable_grad(True)
    assert ms.grad(lambda x: x * x)(x).asnumpy().tolist() == [6.0]


def test_names_found_in_a_second_place() -> None:
    from mindspore_compat._c_expression.amp import AmpLevel, create_amp_strategy

    assert AmpLevel is amp.AmpLevel and create_amp_strategy is amp.create_amp_strategy
    assert ms.common._Function is ms.common._grad_function._Function and ms.mint.Tensor is Tensor
    assert nn_func.pad_ext is ms.mint.nn.functional.pad
    assert ms.common.api._function_forbid_reuse(abs) is abs


def _small_network() -> nn.SequentialCell:
    return nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4))


def test_networks_with_lists_of_their_own() -> None:
    x = Tensor(np.ones((2, 3), np.float32))
    black = amp._auto_black_list(_small_network(), [nn.BatchNorm1d], ms.float16)
    assert black(x).dtype == ms.float16 and black[0](x).dtype == ms.float16
    white = amp._auto_mixed_precision_rewrite(_small_network(), ms.float16, white_list=[nn.Dense])
    assert white(x).dtype == ms.float32
    assert amp._auto_mixed_precision_rewrite(_small_network(), ms.float16, black_list=[])(x).dtype == ms.float32
    with pytest.raises(ValueError, match="must be provided"):
        amp._auto_mixed_precision_rewrite(_small_network(), ms.float16)


def test_loading_by_a_common_prefix() -> None:
    source, target = nn.Dense(2, 2), nn.Dense(2, 2)
    values = {f"net.{name}": item for name, item in source.parameters_dict().items()}
    missing = ["weight", "bias", "other"]
    ms.train.serialization._load_dismatch_prefix_params(target, values, missing, False)
    assert missing == ["other"]  # as real MindSpore
    assert np.array_equal(target.weight.asnumpy(), source.weight.asnumpy())


def test_the_environment_sets_the_level_of_the_log() -> None:
    level = ms.log._asked_level
    assert [level({"GLOG_v": number}) for number in "01234"] == [10, 20, 30, 40, 50]
    assert level({}) == 0
    assert ms.log.get_log_config() == {"GLOG_v": ms.log.get_level(), "GLOG_logtostderr": "1"}
    for wrong in ("7", "x", ""):
        with pytest.raises(ValueError, match="GLOG_v must be one of"):
            level({"GLOG_v": wrong})


def test_names_of_the_core() -> None:
    """mindediting and a course's debugging script borrow them."""
    from mindspore_compat._c_expression import Cell_, disable_multi_thread

    assert isinstance(nn.Dense(1, 1), Cell_)
    assert disable_multi_thread() is None


class _ReadOnly(ms.Tensor):
    """As MindNLP's Parameter."""

    data = property(lambda self: self)


def test_names_of_public_repositories() -> None:
    """Chinese-CLIP casts outputs, mbart reads dtypes, x2ms's adapter asks for a GPU, mistral makes empty Tensors."""
    from mindspore_compat._c_expression import Tensor as CoreTensor

    from mindspore_compat import default_config
    from mindspore_compat import numpy as mnp

    narrow = amp._OutputTo16(nn.Dense(2, 2))
    assert narrow(Tensor(np.ones((1, 2), np.float32))).dtype == mstype.float16
    assert mnp.dtypes.int32 is mnp.int32 and mnp.dtypes.inf == np.inf
    assert ("gpu" in default_config.__device_target__) is ms.hal.is_available("GPU")
    assert CoreTensor(shape=[2, 3], dtype=mstype.float16).shape == (2, 3)
    assert CoreTensor(mstype.int32, (2, 3)).dtype == mstype.int32 and CoreTensor(mstype.int32, [4]).shape == (4,)
    assert _ReadOnly(np.ones(2, np.float32)).assign_value(ms.Tensor([1, 2, 3])).asnumpy().tolist() == [1, 2, 3]
    assert CoreTensor.from_numpy(np.ones(2, np.float32)).asnumpy().tolist() == [1.0, 1.0]


def test_operators_of_ascends_inference_may_be_imported() -> None:
    from mindspore_compat.ops.operations._infer_ops import QuantV2

    operator = QuantV2()  # networks that hold it can be made
    with pytest.raises(NotImplementedError):
        operator(Tensor([1.0]), Tensor([1.0]), Tensor([0.0]), False, "ROUND", ms.int8)
