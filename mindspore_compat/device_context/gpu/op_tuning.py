"""``mindspore.device_context.gpu.op_tuning``: "performance" has cuDNN take its fastest algorithm."""

from mindspore_compat._runtime.gpu_settings import apply_gpu_config

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]


def conv_fprop_algo(mode: str) -> None:
    """Set the algorithm of convolutions' forward pass, as ``gpu_config`` of `set_context`.

    Raises:
        ValueError: for an unknown one.
    """
    apply_gpu_config({"conv_fprop_algo": mode})


def conv_dgrad_algo(mode: str) -> None:
    """Set the algorithm of convolutions' gradients by their inputs.

    Raises:
        ValueError: for an unknown one.
    """
    apply_gpu_config({"conv_dgrad_algo": mode})


def conv_wgrad_algo(mode: str) -> None:
    """Set the algorithm of convolutions' gradients by their weights.

    Raises:
        ValueError: for an unknown one.
    """
    apply_gpu_config({"conv_wgrad_algo": mode})
