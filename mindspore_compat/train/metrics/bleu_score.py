"""The metric `BleuScore`. MindSpore: ``mindspore.train.BleuScore``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["BleuScore"]


def _ngrams(tokens: Sequence[Any], longest: int) -> Counter:
    """Return how often each n-gram of up to ``longest`` tokens occurs."""
    return Counter(
        tuple(tokens[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(tokens) - length + 1)
    )


class BleuScore(Metric):
    """BLEU of candidate sentences (lists of tokens) against lists of reference sentences, with n-grams of 1 to
    ``n_gram``.
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        self.n_gram = n_gram
        if not 1 <= n_gram <= 4:
            raise ValueError(f"For 'BleuScore', the 'n_gram' must be from 1 to 4, but got {n_gram}.")
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        self._numerator = np.zeros(self.n_gram)
        self._denominator = np.zeros(self.n_gram)
        self._c = 0.0
        self._r = 0.0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        self._check_count(inputs, "candidate_corpus, reference_corpus", 2)
        candidates, references = inputs
        if len(candidates) != len(references):
            raise self._value_error(f"there are {len(candidates)} candidates and {len(references)} references")
        for candidate, group in zip(candidates, references):
            self._c += len(candidate)
            self._r += min((len(reference) for reference in group), key=lambda length: abs(len(candidate) - length))
            found = _ngrams(candidate, self.n_gram)
            known: Counter = Counter()
            for reference in group:
                known |= _ngrams(reference, self.n_gram)
            for counts, into in ((found & known, self._numerator), (found, self._denominator)):
                for ngram, count in counts.items():
                    into[len(ngram) - 1] += count
        self._is_update = True

    def eval(self) -> Any:
        self._require_update(self._is_update)
        if min(self._numerator) == 0.0:
            return np.array(0.0)
        precisions = (
            (self._numerator + 1) / (self._denominator + 1) if self.smooth else self._numerator / self._denominator
        )
        brevity = 1.0 if self._c > self._r else np.exp(1 - self._r / self._c)
        return brevity * np.exp(np.log(precisions).mean())
