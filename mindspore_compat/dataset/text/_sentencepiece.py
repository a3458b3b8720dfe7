"""SentencePiece's models, by the library ``sentencepiece``. MindSpore: ``mindspore.dataset.text``."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat._format.source import read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.dataset.core.arguments import Annotated, arguments, kind_of
from mindspore_compat.dataset.text._vocab import as_text
from mindspore_compat.dataset.transforms._operation import TensorOperation


class SentencePieceModel(IntEnum):
    """Algorithm of a SentencePiece model."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerLoadType(IntEnum):
    """Source of a tokenizer's model."""

    FILE = 0
    MODEL = 1


class SPieceTokenizerOutType(IntEnum):
    """Output of `SentencePieceTokenizer`: pieces or their numbers."""

    STRING = 0
    INT = 1


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise ImportError("SentencePiece's models need its library: pip install sentencepiece.") from error
    return sentencepiece


class SentencePieceVocab:
    """A SentencePiece model. Make one with `from_dataset` or `from_file`."""

    def __init__(self) -> None:
        self._model = b""

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        col_names: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> SentencePieceVocab:
        """Train on the texts of a dataset's columns (default all).

        Args:
            character_coverage: part of the characters that the model covers, 0.9995 for many letters and 1.0 for few.
            params: other options of SentencePiece, as texts.
        Raises:
            KeyError: there is no such column. RuntimeError: it has no texts, or SentencePiece refuses.
        """
        names = [col_names] if isinstance(col_names, str) else list(col_names or dataset.get_col_names())

        def texts() -> Iterator[str]:
            for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
                for name in names:
                    yield from map(as_text, row[name].ravel())

        return cls._trained(params, vocab_size, character_coverage, model_type, sentence_iterator=texts())

    @classmethod
    def from_file(
        cls,
        file_path: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> SentencePieceVocab:
        """Train on files of texts. Raises: RuntimeError if SentencePiece raises, such as for a missing file."""
        return cls._trained(params, vocab_size, character_coverage, model_type, input=",".join(file_path))

    @classmethod
    def _trained(
        cls,
        params: dict[str, str] | None,
        vocab_size: int,
        coverage: float,
        model_type: SentencePieceModel,
        **source: Any,
    ) -> SentencePieceVocab:
        own = ("input", "vocab_size", "model_prefix", "character_coverage", "model_type", "minloglevel")
        options = {key: value for key, value in (params or {}).items() if key not in own}
        model = io.BytesIO()
        try:
            _library().SentencePieceTrainer.train(
                **source,
                model_writer=model,
                vocab_size=vocab_size,
                character_coverage=coverage,
                model_type=SentencePieceModel(model_type).name.lower(),
                minloglevel=2,
                **options,
            )
        except (RuntimeError, OSError, ValueError) as error:
            raise RuntimeError(f"SentencePieceVocab: {error}") from error
        vocab = cls()
        vocab._model = model.getvalue()
        return vocab

    @classmethod
    def save_model(cls, vocab: SentencePieceVocab, path: str, filename: str) -> None:
        """Write the model into a folder, for `SentencePieceTokenizer` or SentencePiece itself. Raises: OSError for a
        missing folder.
        """
        write_atomically(os.path.join(path, filename), [vocab._model])


@arguments
class SentencePieceTokenizer(TensorOperation):
    """A text in pieces.

    Args:
        mode: a `SentencePieceVocab`, or the file of a model. out_type: `SPieceTokenizerOutType`.
    """

    mode: Annotated[str | SentencePieceVocab, kind_of(str, SentencePieceVocab)]
    out_type: Annotated[SPieceTokenizerOutType, kind_of(SPieceTokenizerOutType)]

    @cached_property
    def _processor(self) -> Any:
        processor = _library().SentencePieceProcessor()
        try:
            processor.LoadFromSerializedProto(
                self.mode._model if isinstance(self.mode, SentencePieceVocab) else read_regular(self.mode)
            )
        except (RuntimeError, OSError, FormatError) as error:
            raise RuntimeError(f"SentencePieceTokenizer: load vocab model file failed: {error}.") from error
        return processor

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if np.ndim(array):
            raise RuntimeError(f"SentencePieceTokenizer: the input should be scalar, but got rank {np.ndim(array)}.")
        text = as_text(array)
        if self.out_type == SPieceTokenizerOutType.INT:
            return np.array(self._processor.encode(text), np.int32)
        return np.array(self._processor.encode(text, out_type=str), np.str_)
