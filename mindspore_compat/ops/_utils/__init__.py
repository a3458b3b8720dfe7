"""Arguments of operators as their kernels take them. Upstream: ``mindspore.ops._utils``."""
