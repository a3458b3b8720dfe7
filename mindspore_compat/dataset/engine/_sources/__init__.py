"""The nodes that read: one class for each data set or format, on those of `base`, `described` and `records`."""
