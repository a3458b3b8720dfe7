"""Processes of a distributed run. MindSpore: ``mindspore.communication``.

A script started by itself is one process: `init` succeeds, the rank is 0, the group size 1. Under a launcher (torchrun,
msrun, mpirun, Slurm, the scripts of 1.x) `init` opens torch's default process group: docs/distributed.md.
"""

from mindspore_compat.communication import management
from mindspore_compat.communication.management import *  # noqa: F403

__all__ = management.__all__
