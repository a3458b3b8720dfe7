"""A contestant of summary.py: `_summary_child.py WHO WHAT NUMBER`; does as much as each line of standard input says,
and tells the seconds.

WHO is ours, torch or mindspore (real MindSpore, run by its own interpreter); WHAT is scalars (NUMBER of them a step) or
histograms (of NUMBER values); a turn makes a recorder, writes and closes it. Or WHAT is train: LeNet in Model.train
with NUMBER threads and as many rounds of blocks as a fourth argument says.
"""

import json
import sys
import tempfile
import time

VALUES = int(sys.argv[3]) if sys.argv[2:3] == ["histograms"] else 0  # of a histogram
TURN = 40  # steps of a block of training: four samples
START = 25  # steps with the graph and 19 checkpoints for the landscape; blocks then end in the middle between samples


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


def train(threads, rounds):
    """Prints [blocks, once]: (kind, seconds, CPU seconds of all threads) of each block of TURN steps, in each round one
    "with" the collector and two "without" it in any order; and what else a run with a collector takes, its first START
    steps and its end. A block ends when all that was recorded in it is written.
    """
    import random

    import mindspore_compat

    mindspore_compat.install()
    import numpy as np
    import torch
    from nets_mindspore import LeNet5

    import mindspore_compat as ms
    from mindspore_compat.train.callback import SummaryCollector

    class Collector(SummaryCollector):
        works = True

        def on_train_step_begin(self, run_context):
            if self.works:
                super().on_train_step_begin(run_context)

        def on_train_step_end(self, run_context):
            if self.works:
                super().on_train_step_end(run_context)

    torch.manual_seed(0)
    torch.set_num_threads(threads)
    net = LeNet5()
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, ms.nn.Momentum(net.trainable_params(), 0.01, 0.9))
    rng = np.random.RandomState(0)
    pictures = rng.rand(32, 1, 32, 32) * (rng.rand(32, 1, 32, 32) > 0.8)  # a fifth is not black, as in MNIST's
    batch = (ms.Tensor(pictures.astype(np.float32)), ms.Tensor(rng.randint(0, 10, 32).astype(np.int32)))
    for _ in range(20):
        model.train_network.set_train()(*batch)
    folder = tempfile.TemporaryDirectory()
    collector = Collector(folder.name)
    blocks = []

    def block(kind, steps):
        collector.works = kind != "without"
        start, cpu = time.perf_counter(), time.process_time()
        for _ in range(steps):
            yield batch
        if collector.works:
            collector._record._writer._wait()
        blocks.append((kind, time.perf_counter() - start, time.process_time() - cpu))

    class Batches:
        def __len__(self):
            return 3 * TURN * rounds

        def __iter__(self):
            yield from block("start", START)
            times["start"] = time.perf_counter()
            for _ in range(rounds):
                for kind in random.sample(["with", "without", "without"], 3):
                    yield from block(kind, TURN)
            times["end"] = time.perf_counter()

    times = {}
    begin = time.perf_counter()
    model.train(1, Batches(), callbacks=[collector], dataset_sink_mode=False)
    print(json.dumps([blocks[1:], times["start"] - begin + time.perf_counter() - times["end"]]), flush=True)
    folder.cleanup()


if __name__ == "__main__":
    who, what = sys.argv[1:3]
    if what == "train":
        train(int(sys.argv[3]), int(sys.argv[4]))
    else:
        begin = torch_writer() if who == "torch" else ours(who)
        kind, each = what[:-1], int(sys.argv[3]) if what == "scalars" else 1
        turns(lambda number: scalars(number, each, *begin(kind)))
