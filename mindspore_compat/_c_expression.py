"""Upstream's C++ core, of which scripts borrow a few names. Upstream: ``mindspore._c_expression``."""

from mindspore_compat._api.placeholders import module_getattr

__getattr__ = module_getattr(
    __name__,
    unsupported={
        "init_exec_dataset": "it starts the queue that feeds an Ascend device. There is no queue here: "
        "a dataset sinks in Model.train and train_thor.ModelThor by itself."
    },
)
