"""Operations that MindNLP 0.1 to 0.4 returns from ``parse``: `mindnlp/transforms/lookup.py`,
`mindnlp/transforms/tokenizers/basic_tokenizer.py`. Each is the public class.

MindSpore: ``mindspore._c_dataengine``.
"""

from mindspore_compat.dataset.text import Vocab  # noqa: F401
from mindspore_compat.dataset.text.transforms import BasicTokenizer as BasicTokenizerOperation  # noqa: F401
from mindspore_compat.dataset.text.transforms import Lookup as LookupOperation  # noqa: F401
