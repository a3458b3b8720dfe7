"""Random numbers under the module name of MindSpore 2.3. MindSpore: ``mindspore.nn.generator``."""

from mindspore_compat.common.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
