"""Training programs in MindSpore's own API, run by real MindSpore and by ours, in both modes, and compared step by
step.

- `pieces`: the dimensions, as source text: networks, losses, optimizers, rates, groups, how a step is written, what
  changes between steps, derivatives inside the loss. `generate` combines them by seed.
- `written_*.py`: programs written by hand. `kit`: what all programs share. All of these say ``import mindspore`` and
  nothing of ours.
- `worker` runs programs in one mode, in the process it is started in; `runner` starts it, under either MindSpore;
  `compare` says what differs.
- ``python -m tests.programs`` is the long run, see its ``--help``. tests/golden/programs holds what real MindSpore gave
  for a sample.
"""
