"""Each argument of operators, layers and functions changes something, or stands in `RIGHT` with the reason.

influence.py repeats recorded calls with one argument changed and looks for a change in results, gradients, Parameters
and in-place writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from tests.ops.influence import effects, probes
from tests.support import fakecuda

P = ops.operations

#: reason -> lines of "computations: arguments", patterns
RIGHT = {
    "a hint about memory, devices, compilers, checks or messages": """
        nn.TensorArray: init.element_shape init.size init.name
        *: use_locking use_lock init.use_locking init.use_lock check_index_bound init.check_index_bound
        scipy.linalg.*: check_finite overwrite_? debug turbo
        nn.Embedding: init.use_one_hot
        nn.EmbeddingLookup: init.vocab_cache_size init.manual_shapes
        nn.EmbeddingLookup nn.MultiFieldEmbeddingLookup: init.sparse init.slice_mode
        nn.MultiFieldEmbeddingLookup: init.target init.feature_num_list
        nn.SyncBatchNorm: init.process_groups
        nn.PipelineGradReducer: init.parameters
        nn.Conv2dBnAct nn.DenseBnAct: init.after_fake
        nn.get_activation: prim_name
        nn.probability.*: init.name
        Tensor.init_data Tensor.offload: *
        numpy.array Tensor.astype: copy
        ops.reshard: layout
        ops.print_: #0
        ops.range P.Range: maxlen init.maxlen
        ops.multi_head_attention_forward: embed_dim_to_check q_is_k dtype
        P.Custom: init.func_type init.reg_info init.bprop
    """,
    "its shape, dtype or kind counts, not its values": """
        *.ones_like *.zeros_like *.full_like *.rand_like *.randn_like *.randint_like: input x a
        P.OnesLike P.ZerosLike P.Fills P.DType P.Rank P.Size P.TensorShape P.Eps: #1
        P.Bernoulli P.LogNormalReverse P.Uniform P.UniformCandidateSampler P.GatherDGradV2: #1
        P.ResizeBilinearGrad P.AdaptiveMaxPool2DGrad: #2
        ops.dtype ops.dyn_shape ops.rank ops.shape ops.size ops.eps ops.fills ops.zero_: x input_x input
        ops.is_complex ops.is_floating_point ops.bernoulli ops.affine_grid: input size
        ops.uniform_candidate_sampler: true_classes
        ops.type_as ops.expand_as Tensor.type_as Tensor.expand_as Tensor.reshape_as Tensor.view_as: other x #0
        ops.is_sequence_shape_unknown ops.is_sequence_value_unknown: sequence
        P.DtypeToEnum numpy.result_type: #?
        numpy.size numpy.isscalar _graph.mutable.isconstant: a element x
        Tensor.is_complex Tensor.is_floating_point Tensor.dim Tensor.ndimension Tensor.numel Tensor.nelement: self
        Tensor.new_ones Tensor.new_zeros Tensor.stride Tensor.type Tensor.set_dtype Tensor.fills Tensor.fill: self
        numpy.histogram_bin_edges: a weights
        mint.normal: size
    """,
    "written, not read": """
        nn.TensorArray: value
        Tensor.assign_value Tensor.copy_ Tensor.cauchy Tensor.log_normal: self
        P.Assign ops.assign P.CopyWithSlice P.ApplyAdagradDA: #1 variable
        P.InstanceNorm: #4 #5
        ops.depend P.Depend: expr #2
        mint.nn.*BatchNorm*: weight.num_batches_tracked
        nn.InstanceNorm?d: weight.mean weight.variance
        nn.ParameterUpdate: init.param weight.weight
        nn.TrainOneStepCell: weight.accum.* weight.stat.* weight.global_step
    """,
    "the shapes of inputs, the indices or another argument have decided it; other values do not fit": """
        P.Conv2D P.Conv3D P.Conv2DTranspose P.Conv2DBackpropInput P.Conv3DTranspose: init.out_channel init.kernel_size
        P.Conv2D P.Conv3D P.Conv2DTranspose P.Conv2DBackpropInput P.Conv3DTranspose: init.mode init.group init.pad_list
        P.Conv3DTranspose: init.in_channel
        P.DepthwiseConv2dNative: init.channel_multiplier init.kernel_size init.mode init.group
        ops.conv?d mint.nn.conv?d: groups
        ops.deformable_conv2d: deformable_groups dilations groups kernel_size
        ops.fold ops.col2im mint.nn.fold P.Col2Im: *dilation *kernel_size *padding* *stride output_size
        ops.layer_norm mint.nn.layer_norm: normalized_shape
        ops.log_uniform_candidate_sampler ops.uniform_candidate_sampler P.LogUniformCandidateSampler: *num_true
        P.UniformCandidateSampler P.ComputeAccidentalHits: *num_true
        P.SplitV: init.num_split
        P.Unstack: init.num
        P.PSROIPooling: init.group_size init.output_dim
        P.LSTM: init.num_layers init.proj_size init.dropout
        P.STFT: init.win_length
        P.ResizeV2: #2 #3
        P.GeLUGrad: #3
        P.MaxPoolGradWithArgmaxV2 P.MaxPool3DGradWithArgmax: #1 init.*
        P.MedianGrad: init.axis
        P.GridSampler2DGrad: init.output_mask
        P.ExtractGlimpse: init.uniform_noise
        ops.slice_scatter: axis end step
        Tensor.reshape Tensor.view Tensor.expand Tensor.permute Tensor.transpose: #?
    """,
    "another spelling of an argument that is given": """
        Tensor.clip Tensor.narrow Tensor.split Tensor.unsqueeze: xmin dim split_size axis
        Tensor.trace: axis1 axis2
        Tensor.flatten: order
    """,
    "nothing draws by it, or the returned function takes it": """
        nn.probability.HalfNormal nn.probability.Laplace nn.probability.StudentT: init.seed
        ops.vjp: weights
    """,
    "there is one legal value": """
        P.TensorCopySlices: #5
        P.BasicLSTMCell P.DynamicRNN: init.keep_prob init.num_proj init.cell_depth
        nn.LRN: init.norm_region
        nn.BatchNorm3d: init.data_format
        scipy.fft.*: type norm
        scipy.linalg.eigh: type
    """,
    "always so": """
        *.sort *.argsort: stable
        *.topk *.top_k *.unique: sorted
    """,
    "without effect in real MindSpore": """
        nn.Dropout nn.Embedding: init.dtype
        nn.SoftmaxCrossEntropyWithLogits: init.is_grad init.num_classes
        nn.SampledSoftmaxLoss: init.reduction
        experimental.optim.Adam: amsgrad
        P.FakeQuantPerLayer P.FakeQuantPerChannel: init.ema init.ema_decay
        P.DynamicRNN: init.is_training
        P.Bernoulli: init.offset
        P.DeformableOffsets: init.data_format
    """,
}
#: (computations, arguments) of each line
_LINES = [
    (tuple(computations.split()), tuple(arguments.split()))
    for lines in RIGHT.values()
    for line in lines.strip().splitlines()
    for computations, _, arguments in [line.partition(": ")]
]


@cache
def _fits(value: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(value, pattern) for pattern in patterns)


@cache
def _is_right(computation: str, argument: str) -> bool:
    return any(_fits(argument, names) and _fits(computation, keys) for keys, names in _LINES)


@pytest.mark.skipif(fakecuda.installed(), reason="the tables are of a CPU")
def test_arguments_without_influence_are_known() -> None:
    found = effects(_is_right)
    unused = [f"{key}: {name}" for (key, name), state in found.items() if state == "no change"]
    assert not unused, "show their influence by a call in influence_calls.txt, mend them, or say in RIGHT why not"
    assert sum(state == "changes" for state in found.values()) > 6500


def test_what_is_right_is_called() -> None:
    known = {(probe.key, name) for probe in probes() for name in probe.arguments}
    stale = []
    for keys, names in _LINES:
        fitting = [(key, name) for key, name in known if _fits(name, names) and _fits(key, keys)]
        stale += [pattern for pattern in keys if not _fits_any((key for key, _ in fitting), pattern)]
        stale += [pattern for pattern in names if not _fits_any((name for _, name in fitting), pattern)]
    assert not stale


def _fits_any(values: Iterable[str], pattern: str) -> bool:
    return any(fnmatchcase(value, pattern) for value in values)


# --- what had no influence and has it now -----------------------------------------------------------------------------
def _last(x: Tensor) -> Tensor:
    """The channels of an image as its last axis."""
    return ops.movedim(x, 1, -1)


def _floats(*shape: int) -> Tensor:
    return Tensor(np.random.RandomState(4).randn(*shape).astype(np.float32))


def test_lp_norm_is_at_least_its_epsilon() -> None:
    x = Tensor([[1.0, 2.0], [30.0, 4.0]])
    assert np.allclose(P.LpNorm([0], 2, False, 10.0)(x).asnumpy(), [30.016663, 10.0])
    assert P.LpNorm([0], 2, False, 0.5)(x * 0).asnumpy().tolist() == [0.5, 0.5]


def test_channels_may_be_last() -> None:
    x, cube = _floats(1, 2, 4, 4), _floats(1, 2, 4, 4, 4)
    values, places = P.MaxPoolWithArgmaxV2(2, 2)(x)
    expected = P.nn_ops.MaxUnpool2D(2, 2)(values, places)
    found = P.nn_ops.MaxUnpool2D(2, 2, data_format="NHWC")(_last(values), _last(places))
    assert np.array_equal(found.asnumpy(), _last(expected).asnumpy())
    found = P.nn_ops.MaxUnpool2D(2, 2, output_shape=(1, 5, 5, 2), data_format="NHWC")(_last(values), _last(places))
    assert found.shape == (1, 5, 5, 2)
    values, places = P.nn_ops.MaxPool3DWithArgmax(2, 2, 0)(cube)
    expected = P.nn_ops.MaxUnpool3D(2, 2)(values, places)
    found = P.nn_ops.MaxUnpool3D(2, 2, data_format="NDHWC")(_last(values), _last(places))
    assert np.array_equal(found.asnumpy(), _last(expected).asnumpy())
    dout, weight = _floats(1, 4, 4, 4), _floats(4, 3, 3, 3)
    for cls in (P.Conv2DTranspose, P.Conv2DBackpropInput):
        expected = cls(3, 3)(dout, weight, (1, 3, 6, 6))
        found = cls(3, 3, data_format="NHWC")(_last(dout), _last(weight), (1, 6, 6, 3))
        assert np.allclose(found.asnumpy(), _last(expected).asnumpy(), atol=1e-5)
    rows, net = _floats(2, 3, 3), nn.BatchNorm1d(3, data_format="NHWC").set_train()
    expected = nn.BatchNorm1d(3).set_train()(ops.movedim(rows, -1, 1))
    assert np.allclose(net(rows).asnumpy(), _last(expected).asnumpy(), atol=1e-6)


def test_samples_are_drawn_without_replacement() -> None:
    weights = Tensor([[0.1, 0.2, 0.3, 0.4, 0.2]])
    for offset in range(4):
        found = ops.multinomial_with_replacement(weights, 3, offset, 5, False)
        assert sorted(found.asnumpy()[0].tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError):
        ops.multinomial_with_replacement(weights, 3, 0, 6, False)
    assert ops.multinomial_with_replacement(weights, 3, 0, 60, True).shape == (1, 60)


@pytest.mark.parametrize(
    "draw",
    [
        lambda seed, seed2: ops.multinomial_with_replacement(Tensor([[0.1] * 50]), seed, seed2, 40, True),
        lambda seed, seed2: P.random_ops.Uniform(0.0, 1.0, seed, seed2)(ops.ones((40,))),
        lambda seed, seed2: P.DropoutGenMask(seed, seed2)((40,), 0.5),
        lambda seed, seed2: P.nn_ops.FractionalMaxPool([1.0, 1.3, 1.3, 1.0], False, False, True, seed, seed2)(
            ops.arange(1800.0).reshape(1, 30, 30, 2)
        )[0],
        lambda seed, seed2: P.random_ops.ParameterizedTruncatedNormal(seed, seed2)(
            Tensor([1, 40], ms.int32), *(Tensor([value]) for value in (0.0, 1.0, -1.0, 1.0))
        ),
    ],
)
def test_both_seeds_count(draw) -> None:
    found = [draw(*seeds).asnumpy().tolist() for seeds in ((1, 0), (1, 2), (1, 3), (2, 2), (1, 2))]
    assert found[1] == found[4]
    assert all(one != other for place, one in enumerate(found[:4]) for other in found[:place])


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: P.Conv3D(3, 2, data_format="NDHWC"), ValueError),
        (lambda: P.HistogramFixedWidth(3, "int64"), ValueError),
        (lambda: P.Lstsq(True, 0.5), ValueError),
        (lambda: P.DynamicRNN(cell_depth=2), NotImplementedError),
    ],
)
def test_values_that_nothing_computes_with_are_refused(make, error) -> None:
    with pytest.raises(error):
        make()
