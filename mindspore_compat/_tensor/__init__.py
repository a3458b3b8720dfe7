"""Parts of Tensor: wrapping, aliasing, indexing, methods, operators, printing."""
