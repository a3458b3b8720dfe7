"""Mixture of experts: a router sends each token to experts. MindSpore: ``mindspore.parallel._transformer.moe``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.transformer._feed_forward import FeedForward
from mindspore_compat.nn.transformer.op_parallel_config import default_moeparallel_config

__all__ = ["MoEConfig"]


class MoEConfig:
    """Number of experts, number of experts a token goes to, and number of tokens (times ``capacity_factor``) an expert
    takes.

    The last three arguments set the communication of devices: stored, without effect.
    """

    def __init__(
        self,
        expert_num: int = 1,
        capacity_factor: float = 1.1,
        aux_loss_factor: float = 0.05,
        num_experts_chosen: int = 1,
        expert_group_size: int | None = None,
        group_wise_a2a: bool = False,
        comp_comm_parallel: bool = False,
        comp_comm_parallel_degree: int = 2,
    ) -> None:
        self.expert_num = expert_num
        self.capacity_factor = capacity_factor
        self.aux_loss_factor = aux_loss_factor
        self.num_experts_chosen = num_experts_chosen
        self.expert_group_size = expert_group_size
        self.group_wise_a2a = group_wise_a2a
        self.comp_comm_parallel = comp_comm_parallel
        self.comp_comm_parallel_degree = comp_comm_parallel_degree
        if num_experts_chosen > expert_num:
            raise ValueError(
                f"For 'MoEConfig', the 'num_experts_chosen' must be at most 'expert_num' {expert_num}, but got "
                f"{num_experts_chosen}."
            )


default_moe_config = MoEConfig()


def _check_moe_config(moe_config: Any = None, parallel_config: Any = None) -> None:
    """Do nothing: MindSpore checks here that experts can be distributed over the devices."""


def calculate_expert_capacity(k: int, tokens_per_group: int, capacity_factor: float, expert_dim: int) -> int:
    """Return the number of tokens of an expert: its share of ``k`` choices times the factor, rounded up."""
    return math.ceil(k * tokens_per_group * capacity_factor / expert_dim)


def _one_hot(index: Any, depth: int, dtype: torch.dtype) -> Any:
    return (torch.unsqueeze(index, -1) == torch.arange(depth, device=index.device)).to(dtype)


class MoE(Cell):
    """Mixture of `FeedForward` experts: (..., hidden_size) gives (the same shape, the loss that keeps experts evenly
    busy).
    """

    @arguments_of(FeedForward, without="expert_num expert_group_size", moe_config="param_init_type")
    def __init__(
        self,
        hidden_size: int,
        moe_config: MoEConfig = default_moe_config,
        parallel_config: Any = default_moeparallel_config,
        **feed: Any,
    ) -> None:
        super().__init__()
        self.hidden_size, self.expert_dim = hidden_size, moe_config.expert_num
        self.dp_group = parallel_config.data_parallel
        self.capacity_factor, self.aux_loss_factor = moe_config.capacity_factor, moe_config.aux_loss_factor
        self.num_experts_chosen = moe_config.num_experts_chosen
        feed |= {"expert_num": self.expert_dim, "expert_group_size": moe_config.expert_group_size}
        self.ffn = FeedForward(hidden_size, parallel_config=parallel_config, **feed)
        self.router = Router(hidden_size, moe_config, parallel_config=parallel_config)

    def construct(self, input_tensor: Any) -> Any:
        tokens = torch.reshape(input_tensor, (self.dp_group, -1, self.hidden_size))  # (group, token, hidden)
        dispatch, combine, aux_loss = self.router(tokens)  # (group, token, expert, place)
        seats = torch.reshape(dispatch, (*tokens.shape[:2], -1)).to(tokens.dtype)
        inputs = torch.reshape(
            kernels.matmul(torch.transpose(seats, 1, 2), tokens), (self.dp_group, self.expert_dim, -1, self.hidden_size)
        )
        outputs = self.ffn(torch.reshape(torch.transpose(inputs, 0, 1), (-1, self.hidden_size)))  # expert by expert
        outputs = torch.transpose(torch.reshape(outputs, (self.expert_dim, self.dp_group, -1, self.hidden_size)), 0, 1)
        outputs = torch.reshape(outputs, (self.dp_group, -1, self.hidden_size))
        combined = kernels.matmul(torch.reshape(combine, seats.shape).to(outputs.dtype), outputs)
        return torch.reshape(combined, input_tensor.shape), self.aux_loss_factor * aux_loss


class Router(Cell):
    """Scores of tokens for experts, in float32, and ``routing_policy`` (`TopkRouter` if None) on them."""

    def __init__(
        self,
        d_model: int,
        moe_config: MoEConfig,
        routing_policy: Any = None,
        training: bool = True,
        parallel_config: Any = None,
    ) -> None:
        super().__init__()
        self.d_model, self.expert_dim, self.training = d_model, moe_config.expert_num, training
        self.capacity_factor, self.num_experts_chosen = moe_config.capacity_factor, moe_config.num_experts_chosen
        self.routing_policy, self.noisy_policy = routing_policy, None
        self.dense = Dense(d_model, self.expert_dim, has_bias=False)
        self.router = (
            TopkRouter(d_model, moe_config, training, parallel_config) if routing_policy is None else routing_policy
        )

    def construct(self, input_tensor: Any) -> Any:
        return self.router(self.dense(input_tensor.to(torch.float32)))


class TopkRouter(Cell):
    """Router to the experts of highest probability, one after another, until an expert is full.

    Scores (..., expert) give (dispatch, combine, loss): whether and with what weight token t of group g is at place c
    of expert e, both (g, t, e, c).
    """

    def __init__(self, d_model: int, moe_config: MoEConfig, training: bool = True, parallel_config: Any = None) -> None:
        super().__init__()
        self.d_model, self.expert_dim, self.training = d_model, moe_config.expert_num, training
        self.capacity_factor, self.num_experts_chosen = moe_config.capacity_factor, moe_config.num_experts_chosen
        self.dp_group = parallel_config.data_parallel

    def construct(self, router_logits: Any) -> Any:
        logits = torch.reshape(router_logits, (self.dp_group, -1, self.expert_dim))
        capacity = calculate_expert_capacity(
            self.num_experts_chosen, logits.shape[1], self.capacity_factor, self.expert_dim
        )
        probability = torch.softmax(logits, -1)
        combine: Any = 0
        chosen: Any = torch.zeros_like(logits)  # the expert that has taken a token
        loss: Any = 0.0
        for _ in range(self.num_experts_chosen):
            probability = probability * (1 - chosen)
            gate, expert = torch.max(probability, -1)
            mask = _one_hot(expert, self.expert_dim, logits.dtype)
            share = probability / (torch.sum(probability, -1, keepdim=True) + 1e-9)
            loss = loss + torch.mean(torch.mean(mask, 1) * torch.mean(share, 1)) * self.expert_dim**2
            # places are counted within this round, after those taken in the rounds before
            place = (torch.cumsum(mask, 1) - mask + torch.sum(chosen, 1, keepdim=True)) * mask
            mask = mask * (place < capacity)
            chosen = chosen + mask
            seat = torch.sum(place * mask, -1).to(torch.int64)
            weight = gate * torch.sum(mask, -1)
            combine = (
                combine
                + weight[..., None, None] * mask[..., None] * _one_hot(seat, capacity, logits.dtype)[..., None, :]
            )
        if self.num_experts_chosen > 1:
            combine = combine / (torch.sum(combine, (-1, -2), keepdim=True) + 1e-9)
        return combine != 0, combine, loss
