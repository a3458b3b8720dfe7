"""``mindspore.experimental``: optimizers whose groups may be changed while training, with their schedulers."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.experimental import optim

__all__ = ["optim"]
__getattr__ = module_getattr(
    __name__,
    unsupported={
        "MapParameter": "hash tables of embeddings need MindSpore's parameter server; use nn.EmbeddingLookup."
    },
)
