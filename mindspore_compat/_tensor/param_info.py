"""`ParamInfo`: what a Parameter is called and how it trains, apart from its values. Upstream:
``mindspore._c_expression.ParamInfo``.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ParamInfo"]

#: what is a Parameter's own, as a new record has it; `clone` takes it along
_SHARED = {
    "name": "",
    "requires_grad": True,
    "layerwise_parallel": False,
    "parallel_optimizer": True,
    "requires_aggr": True,
    "comm_fusion": 1,
}


#: what upstream's compiler notes of one, as it is before a program is compiled; a program may set them
_UNTOLD: dict[str, Any] = {
    "cache_enable": False,
    "interleaved_parallel": False,
    "is_in_pynative_shard": False,
    "is_param_init": False,
    "is_pipeline_shared_param": False,
    "is_quant_int4": False,
    "key": -1,
    "parallel_optimizer_comm_recompute": False,
    "storage_format": "",
    "use_persistent_storage": False,
}
_LISTS = frozenset(
    "alias_name cache_shape device_matrix origin_shape param_strategy parameter_shape quant_shape tensor_map".split()
)


class ParamInfo:
    """Of a Parameter: its attributes, read and set through it. Without one: a record of them, to give to another."""

    def __init__(self, obj: Any = None) -> None:
        self.__dict__["obj"] = obj
        if obj is None:
            self.__dict__.update(_SHARED)

    def _notes(self) -> dict[str, Any]:
        """What else programs write: with the Parameter, which must not hold what holds it."""
        return self.obj.__dict__.setdefault("_notes", {}) if self.obj is not None else self.__dict__

    def __getattr__(self, name: str) -> Any:
        if self.__dict__.get("obj") is not None:
            if name in _SHARED:
                return getattr(self.obj, name)
            if name in self._notes():
                return self._notes()[name]
        if name in _UNTOLD:
            return _UNTOLD[name]
        if name in _LISTS:
            return []
        raise AttributeError(f"'ParamInfo' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _SHARED and self.obj is not None:
            setattr(self.obj, name, value)
        elif name == "obj":
            self.__dict__["obj"] = value
        else:
            self._notes()[name] = value

    def clone(self) -> ParamInfo:
        """The attributes, of no Parameter yet: ``other.param_info = info.clone()`` gives ``other`` the name too."""
        copied = ParamInfo()
        copied.__dict__.update({name: getattr(self, name) for name in _SHARED})
        return copied

    def give(self, parameter: Any) -> None:
        """Set the attributes of a Parameter."""
        for name in _SHARED:
            if getattr(parameter, name) != getattr(self, name):
                setattr(parameter, name, getattr(self, name))
