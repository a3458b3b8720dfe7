"""Steps of mindrl's learners on seeded experience: ``python mindrl_steps.py ALGORITHM MODE [STEPS]`` prints their losses.

Real MindSpore 2.10 has no operators for reinforcement learning any more. It gets empty ones, so that the library can be
imported: a learner computes with none of them.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import ops

BATCH, STATE, ACTION = 8, 4, 2
PPO_ACTION = 6  # which the library's network has in its code


def _lend_missing_names() -> None:
    """Empty operators for those that MindSpore 2.7 and later lack."""
    names = {
        "_tensor_array": "TensorArray Write Read Close Clear Stack Size Gather",
        "_rl_inner_ops": "DiscountedReturn BatchAssign MuxSend MuxReceive EnvCreate EnvReset EnvStep "
        + " ".join(f"PriorityReplayBuffer{name}" for name in "Create Push Sample Update Destroy".split())
        + " "
        + " ".join(f"ReservoirReplayBuffer{name}" for name in "Create Push Sample Destroy".split()),
    }
    for module, listed in names.items():
        full = f"mindspore.ops.operations.{module}"
        try:
            found = importlib.import_module(full)
        except ModuleNotFoundError:
            found = sys.modules[full] = types.ModuleType(full)
            setattr(ops.operations, module, found)
        for name in listed.split():
            if not hasattr(found, name):
                setattr(found, name, lambda *args, **kwargs: None)
    for name in ("BufferAppend", "BufferGetItem", "BufferSample"):
        if not hasattr(ops.operations, name):
            setattr(ops.operations, name, lambda *args, **kwargs: None)


def _experience(algorithm: str) -> tuple[Any, ...]:
    draw = np.random.RandomState(3)

    def floats(*shape: int) -> Any:
        return ms.Tensor(draw.standard_normal(shape).astype(np.float32))

    def actions(*shape: int) -> Any:
        return ms.Tensor(draw.randint(0, ACTION, shape).astype(np.int32))

    def ends(*shape: int) -> Any:
        return ms.Tensor(draw.rand(*shape) < 0.2)

    if algorithm in ("dqn", "double_dqn", "dueling_dqn"):
        return floats(BATCH, STATE), actions(BATCH, 1), floats(BATCH, 1), floats(BATCH, STATE)
    if algorithm == "c51":
        return floats(BATCH, STATE), actions(BATCH, 1), floats(BATCH, 1), floats(BATCH, STATE), ends(BATCH, 1)
    if algorithm == "ac":
        return floats(1, STATE), floats(1), floats(1, STATE), actions(1)
    if algorithm == "a2c":
        return floats(BATCH, 1), floats(BATCH, STATE), actions(BATCH, 1), ends(BATCH, 1)
    if algorithm == "pg":
        return floats(BATCH, STATE), floats(BATCH, 1), actions(BATCH, 1), ops.ones((BATCH, 1), ms.float32)
    if algorithm == "ppo":
        envs = (3, BATCH)
        taken = floats(*envs, STATE), floats(*envs, PPO_ACTION), floats(*envs, 1), floats(*envs, STATE)
        return *taken, floats(*envs, PPO_ACTION), ops.abs(floats(*envs, PPO_ACTION)) + 0.1
    return floats(BATCH, STATE), floats(BATCH, ACTION), floats(BATCH, 1), floats(BATCH, STATE), ends(BATCH, 1)


def main(algorithm: str, mode: int, steps: int = 5) -> None:
    """Print the losses of a learner's steps."""
    _lend_missing_names()
    ms.set_context(mode=mode)
    ms.set_seed(1)
    np.random.seed(1)
    config = importlib.import_module(f"mindspore_rl.algorithm.{algorithm}.config").algorithm_config
    policy_config, learner_config = config["policy_and_network"], config["learner"]
    actions = PPO_ACTION if algorithm == "ppo" else ACTION
    sizes = {"state_space_dim": STATE, "action_space_dim": actions}
    params = {"compute_type": ms.float32, **policy_config["params"], **sizes}
    policy = policy_config["type"](params)
    bounds = [np.full(actions, bound, np.float32) for bound in (-1, 1)]
    networks = {name: getattr(policy, name) for name in learner_config["networks"]}
    learner = learner_config["type"]({**learner_config["params"], "action_boundary": bounds, **networks})
    experience = _experience(algorithm)
    for _ in range(steps):
        loss = learner.learn(experience)
        loss = loss[0] if isinstance(loss, (tuple, list)) else loss
        print(f"loss: {float(loss.asnumpy().reshape(-1)[0]):.7g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
