"""Forward functions, gradients, cached forwards, recomputation, vmap."""
