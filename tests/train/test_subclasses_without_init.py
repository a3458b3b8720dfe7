"""LossMonitor and DynamicLossScaleManager of user code whose constructors do not call ours."""

import numpy as np

from mindspore_compat import dataset, nn
from mindspore_compat.train import DynamicLossScaleManager, LossMonitor, Model


class Monitor(LossMonitor):
    def __init__(self):
        self._per_print_times, self._last_print_time = 2, 0


class Manager(DynamicLossScaleManager):
    def __init__(self):
        self.loss_scale, self.scale_window = 8.0, 2
        self.increase_ratio, self.decrease_ratio = 2.0, 0.5
        self.cur_iter, self.last_overflow_iter, self.bad_step, self.bad_step_max = 1, 0, 0, 10


def test_a_monitor_that_sets_its_attributes_itself_prints(capsys):
    net = nn.Dense(3, 2)
    data = dataset.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 2), np.float32))).batch(1)
    Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data, Monitor(), dataset_sink_mode=False)
    assert capsys.readouterr().out.count("loss is") == 2


def test_a_manager_that_sets_its_attributes_itself_counts():
    manager = Manager()
    found = []
    for overflow in (False, False, True, False):
        manager.update_loss_scale(overflow)
        found.append(manager.get_loss_scale())
    assert found == [8.0, 16.0, 8.0, 8.0]
