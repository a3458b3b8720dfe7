"""Cells: layers, losses, optimizers, training wrappers. MindSpore: ``mindspore.nn``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn import dynamic_lr, grad, layer, learning_rate_schedule, loss, optim, sparse, wrap
from mindspore_compat.nn._graph_cell import GraphCell
from mindspore_compat.nn.cell import Cell, no_init_parameters
from mindspore_compat.nn.dynamic_lr import *  # noqa: F403
from mindspore_compat.nn.grad import *  # noqa: F403
from mindspore_compat.nn.layer import *  # noqa: F403
from mindspore_compat.nn.learning_rate_schedule import *  # noqa: F403
from mindspore_compat.nn.loss import *  # noqa: F403
from mindspore_compat.nn.optim import *  # noqa: F403
from mindspore_compat.nn.sparse import *  # noqa: F403
from mindspore_compat.nn.wrap import *  # noqa: F403

__all__ = [
    "Cell",
    "GraphCell",
    *layer.__all__,
    *loss.__all__,
    *optim.__all__,
    *wrap.__all__,
    *grad.__all__,
    *sparse.__all__,
    "no_init_parameters",
    *learning_rate_schedule.__all__,
    *dynamic_lr.__all__,
]

# Metrics live in train.metrics; MindSpore's nn re-exports them, and the import must not run upwards.
_METRICS = (
    "names",
    "get_metric_fn",
    "Accuracy",
    "MAE",
    "MSE",
    "Metric",
    "rearrange_inputs",
    "Precision",
    "HausdorffDistance",
    "Recall",
    "Fbeta",
    "BleuScore",
    "CosineSimilarity",
    "OcclusionSensitivity",
    "F1",
    "Dice",
    "ROC",
    "auc",
    "TopKCategoricalAccuracy",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "Loss",
    "MeanSurfaceDistance",
    "RootMeanSquareDistance",
    "Perplexity",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "get_metrics",
)
__all__ += _METRICS
#: in MindSpore 1.7 to 1.9
_TRANSFORMER = """
    AttentionMask EmbeddingOpParallelConfig FeedForward FixedSparseAttention MoEConfig MultiHeadAttention
    OpParallelConfig TransformerOpParallelConfig TransformerRecomputeConfig VocabEmbedding
""".split()
#: in MindSpore 2.1
_SCHEDULERS = """
    ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR LRScheduler LambdaLR LinearLR
    MultiStepLR MultiplicativeLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR
""".split()
__getattr__ = module_getattr(
    __name__,
    {
        **dict.fromkeys(_SCHEDULERS, "experimental.optim.lr_scheduler"),
        **dict.fromkeys(_METRICS, "train.metrics"),
        "metrics": "nn.metrics:",
        "probability": "nn.probability",
        "transformer": "nn.transformer",
        "utils": "nn.utils:",
        **layer.FORMER,
        "init": "nn.init",
        "TensorArray": "nn.reinforcement",
        "GraphKernel": "nn.layer._earlier",
        **dict.fromkeys(_TRANSFORMER, "nn.transformer"),
        "Sequential": "nn.layer.container:SequentialCell",
    },
)
