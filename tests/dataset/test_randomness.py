"""Seeds, epochs and workers: the same seed gives the same data, whatever runs it."""

import multiprocessing
import os
import random

import numpy as np
import pytest

import mindspore_compat.dataset as ds
import mindspore_compat.dataset.vision as V
from mindspore_compat.common import seed as global_seed
from mindspore_compat.dataset.core import config, randomness


@pytest.fixture(autouse=True)
def unseeded():
    yield
    randomness.reseed(randomness.DEFAULT_SEED)
    global_seed._seed = None


IMAGES = np.random.RandomState(0).randint(0, 256, (12, 8, 8, 3)).astype(np.uint8)


class Source:
    def __getitem__(self, index):
        return IMAGES[index], np.int64(index)

    def __len__(self):
        return len(IMAGES)


def noisy(image):
    return (image + np.random.randint(0, 3) + random.randint(0, 3)).astype(np.float32)


def epochs(dataset, count=2):
    iterator = dataset.create_dict_iterator(num_epochs=count, output_numpy=True)
    return [np.concatenate([np.ravel(v) for row in iterator for v in row.values()]) for _ in range(count)]


def pipeline(workers=1, multiprocessing_=False, function=None, **kwargs):
    operations = [V.RandomCrop(4), V.RandomHorizontalFlip(), *([function] if function else [])]
    dataset = ds.GeneratorDataset(Source(), ["image", "label"], num_parallel_workers=workers, **kwargs)
    dataset = dataset.map(operations, "image", num_parallel_workers=workers, python_multiprocessing=multiprocessing_)
    return dataset.batch(5)


def test_same_seed_same_epochs_and_each_epoch_differs():
    config.set_seed(3)
    first, second = epochs(pipeline()), epochs(pipeline())
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert (first[0] != first[1]).any()


def test_global_seed_counts_where_no_dataset_seed_is_set():
    global_seed.set_seed(5)
    first = epochs(pipeline())
    np.testing.assert_array_equal(first, epochs(pipeline()))
    global_seed.set_seed(6)
    assert (first[0] != epochs(pipeline())[0]).any()


def test_without_a_seed_iterators_differ():
    data = ds.NumpySlicesDataset(np.arange(100))
    assert (epochs(data, 1)[0] != epochs(data, 1)[0]).any()


def test_zipped_sources_with_a_seed_stay_aligned():
    config.set_seed(4)
    zipped = ds.zip((ds.NumpySlicesDataset(np.arange(20), "a"), ds.NumpySlicesDataset(np.arange(20), "b")))
    assert all(row["a"] == row["b"] for row in zipped.create_dict_iterator(num_epochs=1, output_numpy=True))


def test_repeats_are_shuffled_anew():
    config.set_seed(4)
    order = epochs(ds.NumpySlicesDataset(np.arange(30)).repeat(2), 1)[0]
    assert sorted(order[:30]) == sorted(order[30:]) == list(range(30))
    assert (order[:30] != order[30:]).any()


def test_eager_operations_follow_the_seed():
    image = IMAGES[0]

    def crops():
        config.set_seed(7)
        return [V.RandomCrop(3)(image).tolist() for _ in range(3)]

    assert crops() == crops()


def test_config_seed_also_seeds_random_and_numpy():
    config.set_seed(11)
    drawn = random.random(), np.random.rand()
    config.set_seed(11)
    assert drawn == (random.random(), np.random.rand())
    assert config.get_seed() == 11


@pytest.mark.multi_process
def test_worker_processes_give_the_same_data():
    config.set_seed(3)
    np.testing.assert_array_equal(epochs(pipeline()), epochs(pipeline(1)))
    np.testing.assert_array_equal(epochs(pipeline(3)), epochs(pipeline(3)))


@pytest.mark.multi_process
def test_worker_processes_are_not_seeded_alike_and_do_not_touch_our_generators():
    config.set_seed(3)
    state = random.getstate(), np.random.get_state()[1].tolist()
    runs = [epochs(pipeline(2, True, noisy)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert state == (random.getstate(), np.random.get_state()[1].tolist())


def worker_pid(image):
    return np.array(os.getpid())


@pytest.mark.multi_process
def test_workers_live_over_all_epochs_of_an_iterator_and_end_with_it():
    dataset = ds.NumpySlicesDataset({"image": IMAGES}).map(
        worker_pid, "image", num_parallel_workers=2, python_multiprocessing=True
    )
    iterator = dataset.batch(2).create_tuple_iterator(output_numpy=True)
    pids = [{int(p) for row in iterator for p in row[0]} for _ in range(2)]
    assert pids[0] == pids[1] and os.getpid() not in pids[0]
    iterator.stop()
    assert not multiprocessing.active_children()


@pytest.mark.multi_process
def test_stream_is_mapped_in_worker_processes_in_order():
    dataset = ds.GeneratorDataset(lambda: ((i,) for i in range(20)), ["a"]).map(
        lambda x: x * 2, "a", num_parallel_workers=2, python_multiprocessing=True
    )
    assert [int(r[0]) for r in dataset.create_tuple_iterator(num_epochs=1)] == list(range(0, 40, 2))


@pytest.mark.multi_process
def test_pipe_instead_of_shared_memory():
    config.set_enable_shared_mem(False)
    try:
        assert epochs(pipeline(2), 1)[0].shape == epochs(pipeline(), 1)[0].shape
    finally:
        config.set_enable_shared_mem(True)


def test_debug_mode_stays_in_this_process():
    config.set_debug_mode(True)
    try:
        dataset = ds.NumpySlicesDataset([1]).map(worker_pid, num_parallel_workers=2, python_multiprocessing=True)
        assert int(next(iter(dataset))[0]) == os.getpid()
    finally:
        config.set_debug_mode(False)


def test_threads_give_the_same_data():
    class Threaded(V.RandomCrop):
        releases_gil = True

    config.set_seed(3)
    data = ds.NumpySlicesDataset({"image": IMAGES}).map(Threaded(4), "image", num_parallel_workers=3).batch(2)
    np.testing.assert_array_equal(epochs(data), epochs(data))


@pytest.mark.parametrize(
    ("name", "default", "good", "bad", "error"),
    [
        ("prefetch_size", 16, 4, 0, ValueError),
        ("prefetch_size", 16, 4, "a", TypeError),
        ("numa_enable", False, True, 1, TypeError),
        ("callback_timeout", 60, 5, -1, ValueError),
        ("enable_shared_mem", True, False, 0, TypeError),
        ("auto_num_workers", False, True, None, TypeError),
        ("monitor_sampling_interval", 1000, 10, 0, ValueError),
        ("enable_watchdog", True, False, 3, TypeError),
        ("multiprocessing_timeout_interval", 300, 10, 0, ValueError),
        ("fast_recovery", True, False, "x", TypeError),
        ("multiprocessing_start_method", "fork", "spawn", "thread", ValueError),
        ("autotune_interval", 0, 3, -1, ValueError),
        ("dynamic_shape", False, True, 1, TypeError),
        ("auto_offload", False, True, 1, TypeError),
    ],
)
def test_settings(name, default, good, bad, error):
    get, set_ = getattr(config, f"get_{name}"), getattr(config, f"set_{name}")
    assert get() == default
    set_(good)
    assert get() == good
    set_(default)
    with pytest.raises(error, match=r"\w"):
        set_(bad)


def test_seed_is_checked():
    for bad, error in ((-1, ValueError), ("a", TypeError), (2**32, ValueError), (True, TypeError)):
        with pytest.raises(error, match="seed"):
            config.set_seed(bad)
    assert config.get_seed() == 5489


def test_default_workers_are_bounded_by_the_cpus():
    before = config.get_num_parallel_workers()
    config.set_num_parallel_workers(100)
    assert config.get_num_parallel_workers() == before
    with pytest.raises(ValueError, match="num_parallel_workers"):
        config.set_num_parallel_workers(0)


def test_config_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"prefetchSize": 7}')
    config.load(str(path))
    assert config.get_prefetch_size() == 7
    config.set_prefetch_size(16)
    path.write_text('{"colour": 7}')
    with pytest.raises(ValueError):
        config.load(str(path))
