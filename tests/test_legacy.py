"""Every file of `_legacy` names its borrowers."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms

ROOT = Path(__file__).parents[1] / "mindspore_compat" / "_legacy"
FILES = sorted(path for path in ROOT.rglob("*.py") if path.name != "__init__.py")
BORROWERS = """
    Federated golden-stick graphlearning hyper-parallel mindarmour MindAudio MindCV mindediting mindformers MindNLP mindocr mindone
    mindpose mindrlhf mindscience mindyolo reinforcement SampledSoftmaxLoss toolkits vllm-mindspore xai zoo
""".split()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_names_the_project_and_the_file_that_imports_it(path: Path) -> None:
    first = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0]
    assert any(re.search(rf"\b{name}\b", first, re.IGNORECASE) for name in BORROWERS), "name a borrower"
    assert re.search(r"`[\w./-]+`", first), "name the file that imports it"


def test_there_are_files() -> None:
    assert FILES


def test_a_checkpoint_is_written_from_arrays(tmp_path: Path) -> None:
    from mindspore_compat.train.serialization import _exec_save

    values = np.arange(6, dtype=np.float32)
    _exec_save(str(tmp_path / "weights.bin"), {"a": [[2, 3], "Float32", values], "b": [[0], "Int64", np.array([7])]})
    (tmp_path / "weights.bin").rename(tmp_path / "weights.ckpt")
    found = ms.load_checkpoint(str(tmp_path / "weights.ckpt"))
    assert np.array_equal(found["a"].asnumpy(), values.reshape(2, 3))
    assert found["b"].shape == () and int(found["b"]) == 7 and found["b"].dtype == ms.int64


def test_cifar_10_as_arrays(tmp_path: Path) -> None:
    from mindspore_compat.mindrecord.tools.cifar10 import Cifar10

    for name, count in (("data_batch_1", 3), ("data_batch_2", 2), ("test_batch", 1)):
        content = {b"data": np.full((count, 3072), count, np.uint8), b"labels": [*range(count)]}
        (tmp_path / name).write_bytes(pickle.dumps(content))
    data = Cifar10(str(tmp_path), False)
    data.load_data()
    assert data.images.shape == (5, 32, 32, 3) and data.labels.tolist() == [[0], [1], [2], [0], [1]]
    assert data.Test.images.max() == 1 and data.Test.labels.tolist() == [[0]]
    (data := Cifar10(str(tmp_path))).load_data()
    assert data.labels.argmax(1).tolist() == [0, 1, 2, 0, 1]


def test_labels_are_integers() -> None:
    from mindspore_compat.nn.loss.loss import _check_is_tensor, _check_label_dtype

    _check_label_dtype(ms.int32, "Loss")
    with pytest.raises(TypeError, match="labels"):
        _check_label_dtype(ms.float32, "Loss")
    _check_is_tensor("logits", ms.Tensor(1), "Loss")
    with pytest.raises(TypeError, match="logits"):
        _check_is_tensor("logits", 1, "Loss")


def test_a_network_is_saved_as_a_graph(tmp_path: Path) -> None:
    from mindspore_compat.train.serialization import _save_graph

    _save_graph(ms.nn.SequentialCell(ms.nn.Dense(2, 3)), str(tmp_path / "net.meta"))
    assert b"0.weight" in (tmp_path / "net.meta").read_bytes()


def test_what_hyper_parallel_imports_of_the_core() -> None:
    from mindspore_compat._c_expression import NoFallbackGuard, TensorTransform

    from mindspore_compat.mint.distributed.distributed import _object_to_tensor

    with NoFallbackGuard():
        tensor, size = _object_to_tensor({"a": 1})
    assert pickle.loads(tensor.asnumpy().tobytes()) == {"a": 1} and size == 21
    with pytest.raises(NotImplementedError, match="planner"):
        TensorTransform.get_instance().transform_tensor_sharding([[2]], [[2]], [0, 1], False, 0)


def test_no_tensor_is_a_stub() -> None:
    from mindspore_compat.common._stub_tensor import StubTensor

    assert not isinstance(ms.Tensor(1), StubTensor)
    assert set(dir(ms.Tensor)) <= set(dir(StubTensor))  # troubleshooter wraps the methods of both
    assert {name: getattr(ms.Tensor, name) for name in dir(ms.Tensor)}["abs"] is ms.Tensor.abs


def test_the_executor_of_a_jit_function() -> None:
    from mindspore_compat.common.api import _MindsporeFunctionExecutor

    class Executor(_MindsporeFunctionExecutor):
        pass

    assert Executor(lambda x, y=1: x + y, 0)(ms.Tensor(1), y=2) == 3
    assert Executor(ms.Tensor.sub, 0, None, ms.Tensor(3))(ms.Tensor(1)) == 2


def test_the_parallel_setting() -> None:
    from mindspore_compat.parallel._auto_parallel_context import auto_parallel_context

    setting = auto_parallel_context()
    assert setting.get_pipeline_stages() == 1 and setting.get_device_num_is_set() is False
    assert setting.get_parallel_mode() == "stand_alone"
