"""Distribution of transformer Cells over devices. MindSpore: ``parallel._transformer.op_parallel_config`` and part of
``.transformer``.

Every setting is stored; one process computes the same for any of them.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat import context

__all__ = ["OpParallelConfig"]


def _told(name: str, context_name: str) -> Any:
    """Return a property that the context gets as well."""

    def setter(self: Any, value: Any) -> None:
        setattr(self, f"_{name}", value)
        context.set_auto_parallel_context(**{context_name: value})

    return property(lambda self: getattr(self, f"_{name}"), setter)


def _shared(name: str, *holders: str) -> Any:
    """Return a property that lives in ``holders``; setting it sets all of them."""

    def setter(self: Any, value: Any) -> None:
        for holder in holders:
            setattr(getattr(self, holder), name, value)

    return property(lambda self: getattr(getattr(self, holders[0]), name), setter)


def _part(holder: str) -> Any:
    return property(lambda self: getattr(self, holder))


class _Config:
    def __str__(self) -> str:
        return "[ParallelConfig]\n" + "".join(f"{name}:{value}\n" for name, value in vars(self).items())


class OpParallelConfig(_Config):
    """Numbers of devices that data and one layer are split over."""

    def __init__(self, data_parallel: int = 1, model_parallel: int = 1) -> None:
        self.data_parallel, self.model_parallel = data_parallel, model_parallel


class MoEParallelConfig(_Config):
    """`OpParallelConfig` and the number of devices that experts are split over."""

    data_parallel, model_parallel = _shared("data_parallel", "_dpmp"), _shared("model_parallel", "_dpmp")
    dpmp = _part("_dpmp")

    def __init__(self, data_parallel: int = 1, model_parallel: int = 1, expert_parallel: int = 1) -> None:
        self._dpmp = OpParallelConfig(data_parallel, model_parallel)
        self.expert_parallel = expert_parallel


class _PipeLineConfig(_Config):
    """Stages of a pipeline, also set in the context, and pieces of a batch."""

    pipeline_stage = _told("pipeline_stage", "pipeline_stages")

    def __init__(self, pipeline_stage: int = 1, micro_batch_num: int = 1) -> None:
        self.pipeline_stage, self.micro_batch_num = pipeline_stage, micro_batch_num


class EmbeddingOpParallelConfig(_Config):
    """`OpParallelConfig` and whether the embedding is split by data alone."""

    data_parallel = _shared("data_parallel", "_dp_mp_config")
    model_parallel = _shared("model_parallel", "_dp_mp_config")
    dp_mp_config = _part("_dp_mp_config")

    def __init__(self, data_parallel: int = 1, model_parallel: int = 1, vocab_emb_dp: bool = True) -> None:
        self._dp_mp_config = OpParallelConfig(data_parallel, model_parallel)
        self.vocab_emb_dp = vocab_emb_dp


class TransformerRecomputeConfig(_Config):
    """Recomputation of a block's activations in the backward pass; settings of communication have no effect."""

    def __init__(
        self,
        recompute: bool = False,
        parallel_optimizer_comm_recompute: bool = False,
        mp_comm_recompute: bool = True,
        recompute_slice_activation: bool = False,
    ) -> None:
        self.recompute = recompute
        self.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute
        self.mp_comm_recompute = mp_comm_recompute
        self.recompute_slice_activation = recompute_slice_activation


default_transformer_recompute_config = TransformerRecomputeConfig()


class TransformerOpParallelConfig(_Config):
    """All of the above in one; setting ``pipeline_stage`` or ``optimizer_shard`` sets the context as well."""

    optimizer_shard = _told("optimizer_shard", "enable_parallel_optimizer")
    data_parallel = _shared("data_parallel", "_embed_dp_mp_config", "_moe_config")
    model_parallel = _shared("model_parallel", "_embed_dp_mp_config", "_moe_config")
    vocab_emb_dp = _shared("vocab_emb_dp", "_embed_dp_mp_config")
    expert_parallel = _shared("expert_parallel", "_moe_config")
    pipeline_stage, micro_batch_num = _shared("pipeline_stage", "_pp_config"), _shared("micro_batch_num", "_pp_config")
    embedding_dp_mp_config, moe_parallel_config = _part("_embed_dp_mp_config"), _part("_moe_config")

    def __init__(
        self,
        data_parallel: int = 1,
        model_parallel: int = 1,
        expert_parallel: int = 1,
        pipeline_stage: int = 1,
        micro_batch_num: int = 1,
        recompute: Any = default_transformer_recompute_config,
        optimizer_shard: bool = False,
        gradient_aggregation_group: int = 4,
        vocab_emb_dp: bool = True,
    ) -> None:
        self.recompute, self.optimizer_shard = recompute, optimizer_shard
        self.gradient_aggregation_group = gradient_aggregation_group
        self._embed_dp_mp_config = EmbeddingOpParallelConfig(data_parallel, model_parallel, vocab_emb_dp)
        self._pp_config = _PipeLineConfig(pipeline_stage, micro_batch_num)
        self._moe_config = MoEParallelConfig(data_parallel, model_parallel, expert_parallel)

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The configuration for attention and feed-forward."""
        return self._embed_dp_mp_config.dp_mp_config


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()
default_transformer_config = TransformerOpParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()


def _check_config(config: Any) -> None:
    """Do nothing: MindSpore checks here that the layout fits the context and the devices."""
