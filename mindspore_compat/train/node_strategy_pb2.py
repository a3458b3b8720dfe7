"""Messages of strategy and group files. MindSpore: ``mindspore.train.node_strategy_pb2``."""

from mindspore_compat._format.strategy import strategy_messages

__all__ = ["ParallelGroupMap", "ParallelLayouts", "ParallelStrategyMap"]

_messages = strategy_messages()
ParallelStrategyMap, ParallelLayouts = _messages.ParallelStrategyMap, _messages.ParallelLayouts
ParallelGroupMap = _messages.ParallelGroupMap
