"""Source nodes: one class for each dataset or format, based on those of `base`, `described` and `records`."""
