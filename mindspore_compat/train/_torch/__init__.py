"""Torch modules under `Model` (docs/torch.md), and MindSpore names for their parameters."""
