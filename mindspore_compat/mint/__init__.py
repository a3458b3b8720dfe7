"""``mindspore.mint``: torch's names under MindSpore. Upstream: ``mindspore.mint``."""

from mindspore_compat.mint import distributed

__all__ = ["distributed"]
