"""`ParamInfo`: name and training attributes of a Parameter. MindSpore: ``mindspore._c_expression.ParamInfo``."""

from __future__ import annotations

from typing import Any

#: attributes of the Parameter itself with their defaults; `clone` copies them
_SHARED = {
    "name": "",
    "requires_grad": True,
    "layerwise_parallel": False,
    "parallel_optimizer": True,
    "requires_aggr": True,
    "comm_fusion": 1,
}


#: attributes of MindSpore's compiler, before compilation; a program may set them
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
    """Attributes of a Parameter, read and set through it. Without one: a record of attributes for another one."""

    def __init__(self, obj: Any = None) -> None:
        self.__dict__["obj"] = obj
        if obj is None:
            self.__dict__.update(_SHARED)

    def _notes(self) -> dict[str, Any]:
        """Return the dict of other attributes. It lives in the Parameter, to avoid a reference cycle."""
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
        """Return the attributes without a Parameter: ``other.param_info = info.clone()`` also copies the name."""
        copied = ParamInfo()
        copied.__dict__.update({name: getattr(self, name) for name in _SHARED})
        return copied

    def give(self, parameter: Any) -> None:
        """Set the attributes of a Parameter."""
        for name in _SHARED:
            if getattr(parameter, name) != getattr(self, name):
                setattr(parameter, name, getattr(self, name))
