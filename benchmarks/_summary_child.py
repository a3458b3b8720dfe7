"""A contestant of summary.py: `_summary_child.py WHO WHAT NUMBER`; does as much as each line of standard input says, and tells the seconds.

WHO is ours, torch or mindspore (real MindSpore, run by its own interpreter); WHAT is scalars (NUMBER of them a step) or histograms; a turn
makes a recorder, writes and closes it. Or WHAT is train: LeNet in Model.train with NUMBER threads.
"""
import json
import sys
import tempfile
import time

VALUES = 10_000  # of a histogram
STEPS, BLOCK = 1920, 20  # an epoch: about 60,000 pictures in batches of 32


def scalars(number, each, make, close):
    """``number`` values, ``each`` at a step."""
    add, record = make
    for step in range(number // each):
        for index in range(each):
            add(f"value{index}", step)
        record(step)
    close()


def ours(what):
    if what == "mindspore":
        import mindspore as ms
        from mindspore import SummaryRecord
    else:
        import mindspore_compat as ms
        from mindspore_compat.train.summary import SummaryRecord
    import numpy as np
    scalar = ms.Tensor(0.5, ms.float32)
    many = ms.Tensor(np.random.RandomState(0).randn(VALUES).astype(np.float32))

    def begin(kind):
        writer = SummaryRecord(tempfile.mkdtemp())
        value = scalar if kind == "scalar" else many
        return (lambda tag, step: writer.add_value(kind, tag, value), writer.record), writer.close
    return begin


def torch_writer():
    import torch
    from torch.utils.tensorboard import SummaryWriter
    scalar = torch.tensor(0.5)
    many = torch.from_numpy(__import__("numpy").random.RandomState(0).randn(VALUES).astype("float32"))

    def begin(kind):
        writer = SummaryWriter(tempfile.mkdtemp())
        if kind == "scalar":
            return (lambda tag, step: writer.add_scalar(tag, scalar.item(), step), lambda step: None), writer.close
        return (lambda tag, step: writer.add_histogram(tag, many, step), lambda step: None), writer.close
    return begin


def turns(work):
    work(50)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        work(int(line))
        print(json.dumps(time.perf_counter() - start), flush=True)


def train(threads):
    """Seconds of blocks of steps in one run, with the collector and without in turn, the first of them with its start."""
    import mindspore_compat
    mindspore_compat.install()
    import numpy as np
    import torch
    from nets_mindspore import LeNet5

    import mindspore_compat as ms
    from mindspore_compat.train.callback import SummaryCollector
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    net = LeNet5()
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, ms.nn.Momentum(net.trainable_params(), 0.01, 0.9))
    random = np.random.RandomState(0)
    pictures = random.rand(32, 1, 32, 32) * (random.rand(32, 1, 32, 32) > 0.8)  # a fifth is not black, as in MNIST's
    batch = (ms.Tensor(pictures.astype(np.float32)), ms.Tensor(random.randint(0, 10, 32).astype(np.int32)))
    for _ in range(20):
        model.train_network.set_train()(*batch)
    times = []

    class Collector(SummaryCollector):
        """Works in two blocks, rests in two; the first is short, so that blocks end between samples, when all they recorded is written."""

        def step_begin(self, run_context):
            index, place = divmod(run_context.original_args().cur_step_num + BLOCK - 6, BLOCK)
            if place == 0 or not hasattr(self, "start"):
                self.works = index // 2 % 2 == 0
                self.start = time.perf_counter()
            if self.works:
                super().step_begin(run_context)

        def step_end(self, run_context):
            if self.works:
                super().step_end(run_context)
            if (run_context.original_args().cur_step_num + BLOCK - 6) % BLOCK == BLOCK - 1:
                self._record.flush()
                times.append((self.works, time.perf_counter() - self.start))

    class Batches:
        def __len__(self):
            return STEPS

        def __iter__(self):
            for _ in range(STEPS):
                yield batch

    model.train(1, Batches(), callbacks=[Collector(tempfile.mkdtemp())], dataset_sink_mode=False)
    print(json.dumps(times), flush=True)


if __name__ == "__main__":
    who, what = sys.argv[1:3]
    if what == "train":
        train(int(sys.argv[3]))
    else:
        begin = torch_writer() if who == "torch" else ours(who)
        kind, each = what[:-1], int(sys.argv[3])
        turns(lambda number: scalars(number, each, *begin(kind)))
