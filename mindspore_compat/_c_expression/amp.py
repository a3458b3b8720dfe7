"""Strategies of mixed precision. Upstream: ``mindspore._c_expression.amp``, of which libraries borrow names."""

from mindspore_compat._api.placeholders import module_getattr

__getattr__ = module_getattr(
    __name__,
    dict.fromkeys(
        ("AmpLevel", "AmpStrategy", "create_amp_strategy", "pop_amp_strategy", "push_amp_strategy"),
        "train._amp_strategy",
    ),
)
