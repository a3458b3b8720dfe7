"""Arguments of operators as their kernels take them. MindSpore: ``mindspore.ops._utils``."""
