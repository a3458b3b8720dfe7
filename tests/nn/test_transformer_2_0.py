"""``parallel._transformer`` (1.x: ``nn.transformer``) against MindSpore 2.0.0, and what it refuses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat
from mindspore_compat._api import alias

GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))

import transformer_cases as cases  # noqa: E402

#: computed in float32 throughout; the others round to float16 on the way, in another order of sums
EXACT = {
    "attention_mask",
    "vocab_embedding",
    "layer_norm_self_defined",
    "linear_float32",
    "linear_not_transposed",
    "linear_relu",
    "linear_cell",
    "linear_experts",
    "mha_float32",
    "mha_no_mask",
    "mha_flat",
    "mha_any_batch",
    "mha_two_lengths",
    "loss",
    "loss_far",
}
#: gradients where 2.0.0's CPU kernels depart from the formula: eps is left out of the norm's, and a mask's over a
# vanished probability is off
DEPARTED = {("layer_norm_eps", "dx0"), ("layer_norm_eps", "dw0"), ("loss_far", "dx2")}


@pytest.fixture(scope="module")
def lib() -> Iterator[Any]:
    mindspore_compat.install()
    yield cases.Lib()
    alias.uninstall()


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    with np.load(GOLDEN / "transformer.npz") as file:
        return {name: file[name] for name in file.files}


def compare(found: dict[str, Any], golden: dict[str, Any], case: str, tolerance: float) -> None:
    wanted = {name.split("/")[1]: value for name, value in golden.items() if name.startswith(case + "/")}
    assert set(found) == set(wanted)
    for name, value in wanted.items():
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape), name
        if (case, name) not in DEPARTED:
            scale = max(1.0, float(np.abs(value).max()))
            np.testing.assert_allclose(
                found[name].astype(np.float64), value, rtol=0, atol=tolerance * scale, err_msg=name
            )


@pytest.mark.parametrize("name", list(cases.CASES))
def test_outputs_and_gradients_are_those_of_2_0_0(name: str, lib: Any, golden: dict[str, Any]) -> None:
    tolerance = 2e-6 if name in EXACT else 1e-4 if name in ("layer_norm", "layer_norm_eps", "loss_float16") else 4e-3
    compare(cases.run(lib, cases.CASES[name]), golden, name, tolerance)


@pytest.mark.parametrize(("name", "gradient"), sorted(item for item in DEPARTED if item[1][1] == "x"))
def test_gradients_where_2_0_0_departs_from_the_formula(name: str, gradient: str, lib: Any) -> None:
    net, arrays = cases.CASES[name](lib)
    cases.fill(lib, net)
    found, which = cases.run(lib, cases.CASES[name])[gradient], int(gradient[2:])
    sens, step, place = cases.array(7, *np.shape(cases.run(lib, cases.CASES[name])["out0"])), 1e-2, 0

    def value(shift: float) -> float:
        moved = [item.copy() for item in arrays]
        moved[which].reshape(-1)[place] += shift
        return float((net(*map(lib.ms.Tensor, moved)).asnumpy().astype(np.float64) * sens).sum())

    assert found.reshape(-1)[place] == pytest.approx((value(step) - value(-step)) / (2 * step), rel=2e-2)


def test_incremental_inference_is_that_of_2_0_0(lib: Any, golden: dict[str, Any]) -> None:
    compare(cases.run_past(lib), golden, "past", 4e-3)


def test_incremental_inference_equals_the_whole_sequence(lib: Any) -> None:
    net, whole = cases.encoder(lib, num_layers=1, use_past=True), cases.encoder(lib, num_layers=1)
    cases.fill(lib, whole)
    for name, parameter in whole.parameters_dict().items():
        net.parameters_dict()[name].set_data(parameter)
    tensor, mask = lib.ms.Tensor, np.tril(np.ones((cases.B, cases.L, cases.L), np.float32))
    expected = whole(tensor(cases.X), tensor(mask))[0].asnumpy()
    valid, true = tensor(np.full(cases.B, 4, np.int32)), tensor(np.array([True]))
    net.add_flags_recursive(is_first_iteration=True)
    found = [net(tensor(cases.X), tensor(mask), ~true, valid)[0].asnumpy()[:, :4]]
    net.add_flags_recursive(is_first_iteration=False)
    found += [
        net(tensor(cases.X[:, i : i + 1]), tensor(mask[:, :1]), true, valid)[0].asnumpy() for i in range(4, cases.L)
    ]
    np.testing.assert_allclose(np.concatenate(found, 1), expected, atol=4e-3)


def test_a_checkpoint_of_2_0_0_loads_strictly(lib: Any, golden: dict[str, Any]) -> None:
    net = cases.checkpointed(lib)
    missing, unused = lib.ms.load_param_into_net(
        net, lib.ms.load_checkpoint(str(GOLDEN / "transformer.ckpt")), strict_load=True
    )
    assert (missing, unused) == ([], [])
    assert len(lib.ms.load_checkpoint(str(GOLDEN / "transformer.ckpt"))) == len(list(net.get_parameters()))
    output = net(lib.ms.Tensor(cases.IDS), lib.ms.Tensor(cases.REAL)).asnumpy()
    np.testing.assert_allclose(output, golden["checkpoint/out0"], atol=4e-3)


@pytest.mark.parametrize("mode", ["PYNATIVE_MODE", "GRAPH_MODE"])
def test_a_language_model_learns_as_on_2_0_0(mode: str, lib: Any, golden: dict[str, Any]) -> None:
    before = lib.ms.get_context("mode")
    lib.ms.set_context(mode=getattr(lib.ms, mode))
    try:
        np.testing.assert_allclose(cases.losses_of_gpt(lib), golden["gpt"], rtol=1e-4)
    finally:
        lib.ms.set_context(mode=before)


def test_one_place_under_two_names(lib: Any) -> None:
    from mindspore.nn import transformer as old
    from mindspore.nn.transformer.layers import _Linear
    from mindspore.parallel import _transformer as new

    assert new.TransformerEncoder is old.TransformerEncoder
    assert new.layers._Linear is _Linear
    assert lib.nn.transformer is old


def test_dropout_counts_in_training_only(lib: Any) -> None:
    net = cases.encoder(lib, num_layers=1, hidden_dropout_rate=0.5, attention_dropout_rate=0.5)
    x, mask = lib.ms.Tensor(cases.X), lib.ms.Tensor(cases.causal())
    first, second = (net.set_train(False)(x, mask)[0].asnumpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(net.set_train()(x, mask)[0].asnumpy(), first)
    dropout = lib.layers._Dropout(0.25).set_train()
    kept = dropout(lib.ms.Tensor(np.ones((400, 50), np.float32))).asnumpy()
    assert set(np.unique(kept)) == {0.0, 4.0}
    assert (kept > 0).mean() == pytest.approx(0.25, abs=0.02)


def test_recomputed_blocks_give_the_same_gradients(lib: Any, golden: dict[str, Any]) -> None:
    config = lib.t.TransformerOpParallelConfig(recompute=lib.t.TransformerRecomputeConfig(recompute=True))

    def build(m: Any) -> Any:
        return cases.encoder(m, parallel_config=config), (cases.X, cases.causal())

    compare(cases.run(lib, build), golden, "encoder", 4e-3)


def test_blocks_get_their_stage_and_group(lib: Any) -> None:
    seen = []
    config = lib.t.TransformerOpParallelConfig(pipeline_stage=2, gradient_aggregation_group=2)

    def note(network: Any, layer_id: int, layers: int, offset: int, parallel_config: Any) -> None:
        lib.transformer._get_lambda_func()(
            network, layer_id=layer_id, layers=layers, offset=offset, parallel_config=parallel_config
        )
        seen.append((network.pipeline_stage, network.trainable_params()[0].comm_fusion))

    try:
        cases.encoder(lib, num_layers=4, lambda_func=note, parallel_config=config)
    finally:
        lib.ms.set_auto_parallel_context(pipeline_stages=1)
    assert seen == [(0, 1), (0, 1), (1, 2), (1, 2)]


def test_checks_that_libraries_borrow_are_made() -> None:
    """mindpet (`mindpet/delta/adapter.py`) checks the arguments of its layers by them."""
    from mindspore_compat import _checkparam as Validator
    from mindspore_compat.nn.transformer.layers import (
        _args_type_validator_check,
        _valid_type_checks,
        _valid_value_checks,
    )

    class Layer:
        @_args_type_validator_check(
            size=Validator.check_positive_int,
            kind=_valid_value_checks(["relu", "tanh"], "Layer"),
            scale=_valid_type_checks([int, float], "Layer"),
        )
        def __init__(self, size: int, kind: str = "none", scale: float = 1.0, other: object = None) -> None:
            self.made = (size, kind, scale, other)

    assert Layer(3).made == (3, "none", 1.0, None)  # a default is not checked
    assert Layer(3, "tanh", scale=2, other=[]).made == (3, "tanh", 2, [])
    for error, args, kwargs in (
        (ValueError, (0,), {}),
        (TypeError, (3, "sigmoid"), {}),
        (TypeError, (3,), {"scale": "2"}),
    ):
        with pytest.raises(error):
            Layer(*args, **kwargs)
