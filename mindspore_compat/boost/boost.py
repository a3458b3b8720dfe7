"""MindSpore: ``mindspore.boost.boost``."""

from __future__ import annotations

import threading
from typing import Any

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.boost.base import OptimizerProcess, ParameterProcess
from mindspore_compat.boost.grad_freeze import GradientFreeze
from mindspore_compat.boost.less_batch_normalization import LessBN

__all__ = ["AutoBoost"]

_METHODS = ("less_bn", "grad_freeze", "adasum", "grad_accumulation", "dim_reduce", "loss_scale_group")
_LEVELS = {"O0": set(), "O1": {"less_bn", "grad_freeze"}, "O2": {"less_bn", "grad_freeze", "adasum"}}
_MODES = ["auto", "manual", "enable_all", "disable_all"]
#: keys of a configuration's sections, and the attributes that keep them
_SETTINGS = {
    **{name: f"_{name}" for name in ("fn_flag", "gc_flag", "param_groups", "freeze_type", "freeze_p", "total_steps")},
    **{name: name for name in ("device_number", "grad_accumulation_step", "rho", "gamma", "alpha", "sigma")},
    **{name: name for name in ("n_components", "pca_mat_path", "weight_load_dir", "timeout")},
    "gradient_split_groups": "gradient_groups",
}


class AutoBoost:
    """Methods of this library that a training uses. There is one object in a process: the first call configures it,
    later ones return it unchanged.

    Args:
        level: "O0" (none), "O1" (less_bn, grad_freeze), "O2" (and adasum); any other is "O0".
        boost_config_dict: ``{"boost": {"mode": …, "less_bn": True, …}, "common": {…}, "less_bn": {…}, …}``; the mode is
            "auto" (by level), "manual" (by the dict), "enable_all" or "disable_all".

    Raises:
        ValueError: for another mode.
    """

    _instance_lock = threading.Lock()
    _instance: AutoBoost | None = None

    def __new__(cls, /, *args: Any, **kwargs: Any) -> AutoBoost:
        with AutoBoost._instance_lock:
            if AutoBoost._instance is None:
                AutoBoost._instance = object.__new__(cls)
                AutoBoost._instance.level = None
                AutoBoost._instance.boost_config_dict = None
        return AutoBoost._instance

    def __init__(self, level: str = "O0", boost_config_dict: Any = "") -> None:
        if self.level is not None:
            return
        level = level if level in _LEVELS else "O0"
        self._fn_flag, self._gc_flag = True, True
        self._param_groups, self._freeze_type, self._freeze_p, self._total_steps = 10, 1, 0.7, 65536
        self.gradient_groups: Any = None
        self.device_number, self.grad_accumulation_step = 8, 1
        self.rho, self.gamma, self.alpha, self.sigma, self.n_components = 0.55, 0.9, 0.001, 0.4, 32
        self.pca_mat_path = self.weight_load_dir = self.local_pca_mat_path = None
        self.timeout = 1800
        self.boost_config = self._get_configuration(level, boost_config_dict)
        self._param_processer = ParameterProcess()
        self.level: str | None = level
        self.boost_config_dict = boost_config_dict

    def network_auto_process_train(self, network: Any, optimizer: Any) -> tuple[Any, Any]:
        """Return (network, optimizer) for training with the chosen methods.

        Raises:
            UnsupportedError: for "dim_reduce".
        """
        self._refuse_dim_reduce()
        if self.boost_config["less_bn"]:
            network = LessBN(network, fn_flag=self._fn_flag)
            process = OptimizerProcess(optimizer)
            grouped = self._param_processer.assign_parameter_group(network.trainable_params(), self.gradient_groups)
            process.origin_params = ParameterProcess.generate_group_params(grouped, process.origin_params)
            if self._gc_flag:
                process.add_grad_centralization(network)
            optimizer = process.generate_new_optimizer()
        if self.boost_config["grad_freeze"]:
            freeze = GradientFreeze(self._param_groups, self._freeze_type, self._freeze_p, self._total_steps)
            network, optimizer = freeze.freeze_generate(network, optimizer)
        if self.boost_config["adasum"]:
            optimizer.adasum = True
        return network, optimizer

    def network_auto_process_eval(self, network: Any) -> Any:
        """Return the network for evaluation with the chosen methods."""
        self._refuse_dim_reduce()
        return LessBN(network) if self.boost_config["less_bn"] else network

    def _refuse_dim_reduce(self) -> None:
        if self.boost_config["dim_reduce"]:
            raise UnsupportedError(
                "For 'AutoBoost', 'dim_reduce' is not supported by mindspore_compat: it reduces the network's "
                "dimension by a PCA of earlier weights, on Ascend. Set it to False."
            )

    def _get_configuration(self, level: str, given: Any) -> dict[str, bool]:
        chosen = {name: name in _LEVELS[level] for name in _METHODS}
        if not given:
            return chosen
        switches = given.get("boost", {})
        mode = switches.get("mode", "auto")
        if mode not in _MODES:
            raise ValueError(f"The boost mode must be in {_MODES}, but got {mode}")
        if mode == "manual":
            chosen.update({name: value for name, value in switches.items() if name in chosen})
        elif mode != "auto":
            chosen = dict.fromkeys(chosen, mode == "enable_all")
        for section, settings in given.items():
            if section == "common" or chosen.get(section):
                self._set(settings)
        return chosen

    def _set(self, settings: dict[str, Any]) -> None:
        for name, value in settings.items():
            if name == "gradient_split_groups":
                value = [value] if isinstance(value, int) else value
            if name in _SETTINGS:
                setattr(self, _SETTINGS[name], value)
