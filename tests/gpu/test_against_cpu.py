"""Every layer, loss and optimizer of the tables gives on a CUDA device what it gives on the CPU, forward and backward;
THOR's kernel gives what torch does.

On a GPU TF32 is off here, so that what differs is the order of additions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat._runtime import extension
from mindspore_compat.nn.optim.thor_inverse import _invert_with_torch, damped_inverse_
from tests.nn.cases import CASES, Case
from tests.nn.optim_cases import SETTINGS, STEPS, make_data
from tests.nn.test_against_golden import built, leaves, to_tensor
from tests.nn.test_optim_golden import INDEX, train_cell
from tests.ops import cases
from tests.ops.test_against_golden import MINDSPORE
from tests.support import fakecuda

pytestmark = pytest.mark.gpu

#: random numbers are other ones on a GPU, whatever the seed
RANDOM = re.compile(r".*(Dropout|RReLU|Fractional|SampledSoftmax|sample|Sample|RandomCrop|\.rand).*")
At = Callable[[str], Any]


@pytest.fixture(autouse=True)
def no_tf32() -> Iterator[None]:
    before = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    yield
    torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = before


def _arrays(tensors: list[Any]) -> list[np.ndarray]:
    return [item.detach().cpu().resolve_conj().numpy() for item in tensors]


def _computed(case: Case, target: str, at: At) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """(outputs and what the call changed, gradients of inputs and Parameters)."""
    at(target)
    torch.manual_seed(0)
    net, inputs = built(case), [to_tensor(item) for item in case.inputs]
    floats = [item for item in inputs if isinstance(item, torch.Tensor) and item.dtype.is_floating_point]
    for item in floats:
        item.requires_grad_(True)
    outputs = [item for item in leaves(net(*inputs)) if isinstance(item, torch.Tensor)]
    assert all(item.device.type == ("cuda" if target == "GPU" else "cpu") for item in outputs)
    ends = [item for item in outputs if item.requires_grad]
    if ends:
        torch.autograd.backward(ends, [torch.cos(torch.ones_like(item).cumsum(-1)) for item in ends])
    state = list(net.get_parameters())
    grads = [item.grad for item in [*floats, *state] if item.grad is not None]
    return _arrays([*outputs, *state]), _arrays(grads)


def _close(found: list[np.ndarray], expected: list[np.ndarray], tolerance: float) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype and one.shape == other.shape
        scale = float(np.abs(other[np.isfinite(other)]).max(initial=1)) if other.size else 1.0
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale)


def _outcome(case: Case, target: str, at: At) -> Any:
    try:
        return _computed(case, target, at)
    except (NotImplementedError, RuntimeError) as error:  # what torch does not differentiate, on either device
        return type(error)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES if not RANDOM.match(case.name)])
def test_layers_and_losses(case: Case, at: At) -> None:
    expected, found = _outcome(case, "CPU", at), _outcome(case, "GPU", at)
    if isinstance(expected, type):
        assert found is expected
        return
    assert not isinstance(found, type), found
    for one, other in zip(found, expected):
        _close(one, other, max(case.tolerance, 2e-5) * 5)


@pytest.mark.parametrize("setting", [name for name in SETTINGS if not isinstance(INDEX[name], str)])
def test_optimizers(setting: str, at: At) -> None:
    states = []
    for target in ("CPU", "GPU"):
        at(target)
        step, (x, y) = train_cell(setting), make_data()
        for n in range(STEPS):
            part = slice(n % 3 * 4, n % 3 * 4 + 4)
            step(to_tensor(x[part]), to_tensor(y[part]))
        states.append(_arrays(list(step.get_parameters())))
    _close(states[1], states[0], 2e-4)


@pytest.mark.skipif(extension.library() is None, reason="the CUDA library of csrc/ is not built")
@pytest.mark.skipif(fakecuda.installed(), reason="a kernel needs a real CUDA device")
@pytest.mark.parametrize("size", [1, 5, 64, 128, 200, 512])
def test_thors_kernel(size: int) -> None:
    root = torch.randn(size, size, device="cuda")
    factor, block = root @ root.mT / size + torch.eye(size, device="cuda"), min(size, 128)
    ours, theirs = (torch.zeros(-(-size // block), block, block, device="cuda") for _ in "ab")
    info = damped_inverse_([ours], [factor], [1.0], [0.1], [1.0])
    other = torch.zeros_like(info)
    _invert_with_torch([theirs], [factor], [1.0], [0.1], [1.0], other, [0])
    assert torch.equal(info, other)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_results_of_operators_lie_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, elsewhere, seen = cases._flat, set(), 0

    def flat(value: Any, tensor: type) -> list[np.ndarray]:
        nonlocal seen
        if isinstance(value, tensor):
            seen += 1
            if value.device.type != "cuda":
                elsewhere.add(case)
        return plain(value, tensor)

    monkeypatch.setattr(cases, "_flat", flat)
    for case in cases.cases():
        cases.evaluate(case, MINDSPORE)
    assert seen > 2000 and not elsewhere
