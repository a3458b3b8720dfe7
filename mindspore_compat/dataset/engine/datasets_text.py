"""Sources of texts. Upstream: ``mindspore.dataset.engine.datasets_text``."""

from mindspore_compat.dataset.engine._sources.text_lines import (
    CLUEDataset,
    EnWik9Dataset,
    PennTreebankDataset,
    TextFileDataset,
    WikiTextDataset,
)
from mindspore_compat.dataset.engine._sources.text_pairs import IWSLT2016Dataset, IWSLT2017Dataset, Multi30kDataset
from mindspore_compat.dataset.engine._sources.text_tables import (
    AGNewsDataset,
    AmazonReviewDataset,
    CoNLL2000Dataset,
    DBpediaDataset,
    IMDBDataset,
    SogouNewsDataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "CLUEDataset",
    "CoNLL2000Dataset",
    "DBpediaDataset",
    "EnWik9Dataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "Multi30kDataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "SogouNewsDataset",
    "TextFileDataset",
    "UDPOSDataset",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]
