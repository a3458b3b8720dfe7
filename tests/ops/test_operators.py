"""What the golden table cannot show: randomness, summaries, hooks, printing, in-place updates, one-process
communication.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mindspore_compat import jit, ops
from mindspore_compat import numpy as mnp
from mindspore_compat._ops import debug as debug_ops
from mindspore_compat._ops.grad_operation import grad
from mindspore_compat.common.dtype import float16, float32, int32
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.seed import set_seed
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import functional as F
from mindspore_compat.ops import operations as P


def test_results_are_tensors_not_torch_tensors() -> None:
    x = Tensor(np.ones((2, 3), np.float32))
    for result in (P.Add()(x, 1), ops.softmax(x), P.Split(1, 3)(x)[0], ops.topk(x, 1)[1], P.ReduceSum()(x)):
        assert type(result) is Tensor


def test_plain_torch_tensors_are_taken() -> None:
    assert type(ops.add(torch.ones(2), torch.ones(2))) is Tensor


def test_zero_infinity_makes_an_impossible_loss_and_its_gradient_zero() -> None:
    log_probs = torch.log_softmax(torch.arange(24, dtype=torch.float32).reshape(3, 2, 4).sin(), -1).numpy()
    targets, lengths = Tensor([[1, 1], [2, 3]], int32), (Tensor([2, 3], int32), Tensor([2, 2], int32))

    def loss(x: Tensor, zero_infinity: bool) -> Tensor:
        return ops.ctc_loss(x, targets, *lengths, reduction="none", zero_infinity=zero_infinity)[0]

    assert loss(Tensor(log_probs), False).isinf().tolist() == [True, False]
    assert loss(Tensor(log_probs), True)[0] == 0
    gradient = grad(lambda x: loss(x, True).sum())(Tensor(log_probs))
    assert not gradient[:, 0].any() and gradient[:, 1].any() and not gradient.isnan().any()


# --- randomness -------------------------------------------------------------------------------------------------------


def test_set_seed_makes_draws_repeat() -> None:
    set_seed(3)
    first = P.StandardNormal()((4,)).asnumpy()
    set_seed(3)
    assert np.array_equal(first, P.StandardNormal()((4,)).asnumpy())


def test_own_seed_repeats_without_touching_the_global_generator() -> None:
    set_seed(1)
    state = torch.get_rng_state()
    first = ops.uniform((5,), Tensor(0.0), Tensor(1.0), seed=7).asnumpy()
    set_seed(1)
    torch.set_rng_state(state)
    second = ops.uniform((5,), Tensor(0.0), Tensor(1.0), seed=7).asnumpy()
    assert np.array_equal(first, second)
    assert torch.equal(state, torch.get_rng_state())


def test_dropout_keeps_the_mean_and_gives_the_mask() -> None:
    x = Tensor(np.ones((200, 200), np.float32))
    out, mask = P.Dropout(keep_prob=0.8)(x)
    assert np.array_equal(out.asnumpy(), mask.asnumpy() / np.float32(0.8))
    assert abs(mask.asnumpy().mean() - 0.8) < 0.02
    kept = ops.dropout(x, p=0.8).asnumpy()
    assert abs((kept != 0).mean() - 0.2) < 0.02


def test_mask_operators_fit_each_other() -> None:
    x = Tensor(np.ones((8, 8), np.float32))
    mask = P.DropoutGenMask(Seed0=1)((8, 8), Tensor(0.5))
    out = P.DropoutDoMask()(x, mask, Tensor(0.5)).asnumpy()
    assert set(np.unique(out)) == {0.0, 2.0}


def test_uniform_int_stays_in_range() -> None:
    drawn = P.UniformInt()((1000,), Tensor(2, int32), Tensor(5, int32)).asnumpy()
    assert set(drawn) == {2, 3, 4}
    with pytest.raises(ValueError, match="'minval' must be less"):
        P.UniformInt()((2,), Tensor(5, int32), Tensor(2, int32))


def test_random_choice_pads_what_is_missing() -> None:
    places, mask = P.RandomChoiceWithMask(count=4)(Tensor([[True, False], [False, True]]))
    assert sorted(map(tuple, places.asnumpy()[:2].tolist())) == [(0, 0), (1, 1)]
    assert mask.asnumpy().tolist() == [True, True, False, False]


# --- in place ---------------------------------------------------------------------------------------------------------


def test_assign_keeps_the_parameter_and_its_dtype() -> None:
    parameter = Parameter(Tensor([1.0, 2.0]), name="p")
    assert ops.assign(parameter, Tensor([3, 4], int32)).asnumpy().tolist() == [3.0, 4.0]
    assert parameter.dtype is float32
    assert parameter.asnumpy().tolist() == [3.0, 4.0]
    assert ops.assign_add(parameter, Tensor([1.0, 1.0])).asnumpy().tolist() == [4.0, 5.0]


def test_assign_inside_a_differentiated_function_is_no_error() -> None:
    parameter = Parameter(Tensor([2.0]), name="p")

    def forward(x: Tensor) -> Tensor:
        y = x * parameter
        ops.assign(parameter, Tensor([5.0]))
        return y

    assert grad(forward)(Tensor([1.0])).shape == (1,)


def test_momentum_with_nesterov_follows_the_documented_formula() -> None:
    variable, accumulation = Parameter(Tensor([1.0]), name="v"), Parameter(Tensor([2.0]), name="a")
    P.ApplyMomentum(use_nesterov=True)(variable, accumulation, 0.1, Tensor([3.0]), 0.5)
    assert accumulation.asnumpy().tolist() == [4.0]
    np.testing.assert_allclose(variable.asnumpy(), [1 - 0.1 * (3 + 0.5 * 4)])


# --- debugging --------------------------------------------------------------------------------------------------------


def test_summary_operators_feed_the_hooks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list = []
    x = Tensor([1.0])
    assert P.ScalarSummary()("loss", x) is x
    monkeypatch.setattr(debug_ops, "summary_hooks", debug_ops.summary_hooks)
    debug_ops.summary_hooks.append(lambda kind, name, value: seen.append((kind, name, value.asnumpy().tolist())))
    try:
        P.ScalarSummary()("loss", x)
        P.TensorSummary()("weights", x)
    finally:
        debug_ops.summary_hooks.pop()
    assert seen == [("Scalar", "loss", [1.0]), ("Tensor", "weights", [1.0])]


def test_summary_operators_check_the_shape() -> None:
    with pytest.raises(ValueError, match="'value' must be 4"):
        P.ImageSummary()("image", Tensor([1.0]))


def test_print_shows_tensors_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    P.Print()("value:", Tensor(2, int32))
    shown = capsys.readouterr().out
    assert shown.startswith("value:\n")
    assert "Int32" in shown


def test_gradient_hooks_see_and_change_gradients() -> None:
    double = P.InsertGradientOf(lambda g: g * 2)
    assert grad(lambda x: (double(x) * 3).sum())(Tensor([1.0])).asnumpy().tolist() == [6.0]
    seen: list = []
    hook = P.HookBackward(lambda g: seen.append(g[0].asnumpy().tolist()))
    assert grad(lambda x: (hook(x) * 3).sum())(Tensor([1.0])).asnumpy().tolist() == [3.0]
    assert seen == [[3.0]]


def test_hook_backward_is_the_identity_in_compiled_code() -> None:
    seen: list = []
    hook = P.HookBackward(lambda g: seen.append(g))

    @jit
    def weighted(x, y):
        return hook(x) * y

    assert grad(weighted)(Tensor([2.0]), Tensor([3.0])).asnumpy().tolist() == [3.0]
    assert seen == []


def test_assert_raises_with_the_data() -> None:
    P.Assert()(Tensor(True), [Tensor([1.0])])
    with pytest.raises(RuntimeError, match=r"\[1.0\]"):
        P.Assert()(Tensor(False), [Tensor([1.0])])


# --- one process ------------------------------------------------------------------------------------------------------


def test_communication_in_one_process_gives_the_input() -> None:
    x = Tensor([1.0, 2.0])
    assert P.AllReduce()(x) is x
    assert P.AllGather()(x) is x
    assert P.ReduceScatter(P.ReduceOp.SUM)(x) is x
    assert P.Broadcast(0)((x,))[0] is x


def test_communication_checks_its_arguments() -> None:
    with pytest.raises(ValueError, match="'op' must be one of"):
        P.AllReduce("mean")
    with pytest.raises(RuntimeError, match="no other process"):
        P.Receive(0, 0, [1], float32)()


# --- operators without a kernel on upstream's CPU ---------------------------------------------------------------------


def test_float_status_marks_overflow() -> None:
    assert P.FloatStatus()(Tensor([1.0])).asnumpy().tolist() == [0.0]
    assert P.FloatStatus()(Tensor([np.inf])).asnumpy().tolist() == [1.0]
    status = P.NPUAllocFloatStatus()()
    assert P.NPUClearFloatStatus()(P.NPUGetFloatStatus()(status)).shape == (8,)


def test_the_second_float_status_leaves_its_argument() -> None:
    from mindspore_compat.ops.operations.math_ops import NPUClearFloatStatusV2, NPUGetFloatStatusV2

    status = NPUClearFloatStatusV2()(Tensor([0] * 8, int32))
    status = ops.depend(status, Tensor([np.inf]))
    read = NPUGetFloatStatusV2()(status)
    assert NPUClearFloatStatusV2()(status).asnumpy().tolist() == status.asnumpy().tolist() == [0] * 8
    assert read.dtype == int32 and read.asnumpy().tolist() == [1] * 8


def test_resize_bilinear_of_1x_equals_its_successor() -> None:
    x = Tensor(np.random.rand(1, 2, 5, 5).astype(np.float32))
    for align in (False, True):
        assert np.allclose(P.ResizeBilinear((3, 7), align)(x).asnumpy(), P.ResizeBilinearV2(align)(x, (3, 7)).asnumpy())
    old = ops.interpolate(x, sizes=(3, 7), coordinate_transformation_mode="align_corners", mode="bilinear")
    assert np.allclose(old.asnumpy(), P.ResizeBilinear((3, 7), True)(x).asnumpy())
    for made in (P.ResizeBilinear, P.ResizeNearestNeighbor):  # quotients of a shape in a graph of 1.x
        assert np.array_equal(made((6 / 2, 14 / 2))(x).asnumpy(), made((3, 7))(x).asnumpy())


def test_three_pads_of_max_pool_3d_hold_for_both_sides() -> None:
    x = Tensor(np.random.default_rng(0).standard_normal((1, 2, 3, 4, 5)).astype(np.float32))

    def pooled(pads: tuple[int, ...]) -> np.ndarray:
        return P.MaxPool3D((1, 3, 3), (1, 2, 2), "pad", pads)(x).asnumpy()

    assert np.array_equal(pooled((0, 1, 1)), pooled((0, 0, 1, 1, 1, 1)))
    assert pooled((0, 1, 0)).shape == pooled((0, 0, 1, 1, 0, 0)).shape == (1, 2, 3, 2, 2)
    with pytest.raises(ValueError):
        pooled((1, 1))


def test_dynamic_rnn_equals_torchs_lstm() -> None:
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(3, 4)
    x = torch.randn(5, 2, 3)

    def reordered(w: torch.Tensor) -> torch.Tensor:
        i, f, g, o = w.chunk(4)
        return torch.cat((i, g, f, o))

    weight = torch.cat((reordered(lstm.weight_ih_l0), reordered(lstm.weight_hh_l0)), 1).t()
    bias = reordered(lstm.bias_ih_l0 + lstm.bias_hh_l0)
    y = P.DynamicRNN()(x, weight, bias, None, torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))[0]
    assert torch.allclose(y, lstm(x)[0], atol=1e-6)


def test_dynamic_gru_equals_torchs_gru() -> None:
    torch.manual_seed(0)
    gru = torch.nn.GRU(3, 4)
    x = torch.randn(5, 2, 3)
    args = (gru.weight_ih_l0.t(), gru.weight_hh_l0.t(), gru.bias_ih_l0, gru.bias_hh_l0)
    y = P.DynamicGRUV2()(x, *args, None, torch.zeros(2, 4))[0]
    assert torch.allclose(y, gru(x)[0], atol=1e-6)


@pytest.mark.parametrize("has_bias", [True, False])
def test_gru_of_flat_weights_equals_torchs(has_bias: bool) -> None:
    from mindspore_compat.ops.operations._rl_inner_ops import CudnnGRU

    torch.manual_seed(0)
    gru = torch.nn.GRU(3, 4, 2, bias=has_bias, bidirectional=True)
    x, h = torch.randn(5, 2, 3), torch.randn(4, 2, 4)
    ordered = sorted(gru.named_parameters(), key=lambda item: item[0].startswith("bias"))  # stable
    flat = torch.cat([parameter.detach().reshape(-1) for _, parameter in ordered])
    layer = CudnnGRU(3, 4, 2, has_bias, True, 0.0)
    for got, wanted in zip(layer(Tensor(x), Tensor(h), Tensor(flat[:, None, None]))[:2], gru(x, h)):
        assert torch.allclose(got, wanted, atol=1e-6)
    with pytest.raises(RuntimeError, match="split_sizes"):
        layer(Tensor(x), Tensor(h), Tensor(flat[:3]))


def test_deformable_convolution_without_offsets_is_convolution() -> None:
    x, weight = torch.randn(1, 2, 6, 6), torch.randn(3, 2, 3, 3)
    offsets = torch.cat((torch.zeros(1, 18, 4, 4), torch.ones(1, 9, 4, 4)), 1)
    out = ops.deformable_conv2d(x, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0))
    assert torch.allclose(out, torch.conv2d(x, weight), atol=1e-5)


def test_old_forms_of_arguments() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert len(ops.split(x, 1, output_num=3)) == len(ops.split(x, -1, 3)) == 3
    assert ops.split(x, 0, 2)[1].tolist() == [[3, 4, 5]]
    assert ops.split(x, axis=1, output_num=3)[0].shape == (2, 1)
    assert ops.transpose(x, input_perm=(1, 0)).shape == (3, 2)
    assert ops.norm(x, axis=1, p=1, keep_dims=True).shape == (2, 1)
    assert ops.argmax(x, axis=1, keepdims=True).shape == (2, 1)
    assert ops.pad(x, ((1, 0), (0, 2))).shape == (3, 5)
    assert ops.linspace(Tensor(0.0), Tensor(1.0), num=3).shape == (3,)


def test_mixed_precision_cast_leaves_ints() -> None:
    out = F.mixed_precision_cast(float16, {"a": Tensor([1.0]), "b": (Tensor([1], int32),)})
    assert out["a"].dtype is float16
    assert out["b"][0].dtype is int32


@pytest.mark.parametrize("form", [F.tuple_to_array, P.TupleToArray()])
def test_tuple_to_array_takes_a_range(form):
    assert form(range(2, 8, 2)).asnumpy().tolist() == [2, 4, 6] and form(range(3)).dtype is int32
    assert form((1.0, 2.0)).dtype is float32


def test_gather_by_one_index_for_each_batch() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    rows, columns = np.array([2, 0]), np.array([[0, 3, 1], [2, 2, 0]])
    for call in (lambda *args: ops.gather(*args), lambda x, i, axis, batch: ops.Gather(batch)(x, i, axis)):
        found = call(Tensor(x), Tensor(rows, int32), 1, 1)
        np.testing.assert_array_equal(found.asnumpy(), x[np.arange(2), rows])
        found = call(Tensor(x), Tensor(columns, int32), 2, 2)
        np.testing.assert_array_equal(found.asnumpy(), np.take_along_axis(x, columns[..., None], 2)[..., 0])
        gradient = ops.grad(lambda x: call(x, Tensor(rows, int32), 1, 1).sum())(Tensor(x))
        assert gradient.asnumpy().sum() == 8 and (gradient.asnumpy()[0, 2] == 1).all()
    with pytest.raises(ValueError, match="batch_dims"):
        ops.gather(Tensor(x), Tensor(rows, int32), 1, 2)


def test_axes_of_a_tensor_product_may_agree_in_reverse_order() -> None:
    """A published Gram loss calls ``tensordot(x, x.T)``: real MindSpore multiplies what the axes are when flattened."""
    r = np.random.RandomState(0)
    x, y, z = (r.randn(*shape).astype(np.float32) for shape in ((3, 4), (2, 3, 4), (4, 3, 5)))
    flat = y.reshape(2, 12) @ z.reshape(12, 5)
    for function in (ops.tensor_dot, mnp.tensordot):
        assert np.allclose(function(Tensor(x), Tensor(x).T, 2).asnumpy(), 6.213, atol=1e-3)  # real MindSpore's
        assert np.allclose(function(Tensor(y), Tensor(z), 2).asnumpy(), flat, atol=1e-5)
        assert np.allclose(function(Tensor(y), Tensor(z), ((1, 2), (0, 1))).asnumpy(), flat, atol=1e-5)
        named = np.tensordot(y, z, ((2, 1), (0, 1)))  # sizes 4, 3 and 4, 3: one by one
        assert np.allclose(function(Tensor(y), Tensor(z), ((-1, -2), (0, 1))).asnumpy(), named, atol=1e-5)
        assert function(Tensor(x), Tensor(x), 0).shape == (3, 4, 3, 4)


def test_gaussian_nll_loss_takes_any_variance() -> None:
    """Real MindSpore's numbers: a variance for each row or broadcast, no derivative where it is below ``eps``."""
    r = np.random.RandomState(0)
    x, t = (r.randn(3, 3).astype(np.float32) for _ in range(2))
    v = r.rand(3).astype(np.float32) + 0.1
    rows = ops.gaussian_nll_loss(Tensor(x), Tensor(t), Tensor(v), reduction="none").asnumpy()
    assert np.allclose(rows[:2], [[3.4352, -0.6107, -0.243], [1.3293, 1.9091, 1.2142]], atol=1e-4)
    wide = ops.gaussian_nll_loss(Tensor(x[:2]), Tensor(t[:2]), Tensor(v), reduction="none").asnumpy()
    assert np.allclose(wide, (np.log(v) + (x[:2] - t[:2]) ** 2 / v) / 2, atol=1e-5)
    assert np.isclose(ops.gaussian_nll_loss(Tensor(x[:1]), Tensor(t), Tensor(v), reduction="sum").asnumpy(), 11.1703)
    assert ops.gaussian_nll_loss(Tensor(x), Tensor(t), Tensor(-v)).asnumpy() > 1e5  # torch's own loss refuses it
    below = grad(lambda item: ops.gaussian_nll_loss(Tensor(x), Tensor(t), item))(Tensor(np.float32([1e-7, 0.5, 0])))
    assert np.allclose(below.asnumpy(), [0, -1.2795, 0], atol=1e-4)


def test_margin_ranking_loss_broadcasts() -> None:
    """As real MindSpore: one target for all, or shapes of a different number of axes."""
    x, y = Tensor([[1.0], [3.0]]), Tensor([2.0, 0.5])
    loss = ops.margin_ranking_loss(x, y, Tensor([1.0, -1.0]), 0.1, "none")
    assert np.allclose(loss.asnumpy(), [[1.1, 0.6], [0, 2.6]])
    assert np.isclose(ops.margin_ranking_loss(x, y, Tensor(-1.0), 0.0, "sum").asnumpy(), 0.5 + 1 + 2.5)


# --- functions of Python as operators: numbers of real MindSpore ------------------------------------------------------


@pytest.mark.parametrize(
    "given, declared, seen",
    [((1,), (), int), ((1, 1), (), int), ((2,), (1, 2), (1, 2)), ((2,), 2, (2,)), ((), (), int)],
)
def test_a_python_function_takes_and_returns_declared_shapes(given, declared, seen) -> None:
    shapes = []

    def double(x):
        shapes.append(getattr(x, "shape", type(x)))
        return np.asarray(x, np.float64)[None] * 2

    run = P.PyFunc(double, [int32], [declared], [float32], [given])
    (result,) = run(Tensor(np.ones(given), float32))
    assert (shapes, result.shape, result.dtype) == ([seen], given, float32)
    assert np.array_equal(result.asnumpy(), np.full(given, 2))


def test_reshape_takes_whole_quotients() -> None:
    x = Tensor(np.arange(12, dtype=np.float32).reshape(2, 6))  # x.shape[1] / 2 in a graph of 1.x
    expected = x.asnumpy().reshape(2, 3, 2)
    for found in (
        P.Reshape()(x, (2, 6 / 2, 2)),
        x.reshape(2, 6 / 2, 2),
        x.view((2, 6 / 2, 2)),
        ops.reshape(x, [2, 6 / 2, 2]),
    ):
        assert np.array_equal(found.asnumpy(), expected)
    for run in (lambda: P.Reshape()(x, (2, 2.5, 2)), lambda: x.reshape(2, 2.5, 2), lambda: ops.zeros((2.5,))):
        with pytest.raises(TypeError):
            run()
