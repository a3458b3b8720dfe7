"""Kernels for 16-bit floats, autocast, subgradients and dtype rules."""
