"""A small LLaMA with a cache of fixed size, once as a MindSpore user writes it and once in torch."""

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
import torch
from mindspore import Parameter, Tensor
from torch.nn import functional as F


def tables(length, size):
    """(cosines, sines) of the rotary embedding, each of shape (length, size)."""
    angles = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, size, 2) / size))
    angles = np.concatenate((angles, angles), 1)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


class Norm(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones(dim, np.float32)), name="weight")

    def construct(self, x):
        return x * ops.rsqrt(ops.mean(ops.square(x), -1, True) + 1e-6) * self.weight


class Attention(nn.Cell):
    def __init__(self, dim, heads, length):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.query, self.key, self.value, self.out = (nn.Dense(dim, dim, has_bias=False) for _ in range(4))
        shape = (1, heads, length, self.size)
        self.keys = Parameter(Tensor(np.zeros(shape, np.float32)), name="keys", requires_grad=False)
        self.values = Parameter(Tensor(np.zeros(shape, np.float32)), name="values", requires_grad=False)

    def split(self, x):
        return ops.transpose(ops.reshape(x, (1, -1, self.heads, self.size)), (0, 2, 1, 3))

    def rotated(self, x, cos, sin):
        first, second = ops.split(x, self.size // 2, -1)
        return x * cos + ops.concat((-second, first), -1) * sin

    def construct(self, x, places, cos, sin, mask):
        query = self.rotated(self.split(self.query(x)), cos, sin)
        self.keys[:, :, places] = self.rotated(self.split(self.key(x)), cos, sin)
        self.values[:, :, places] = self.split(self.value(x))
        scores = ops.matmul(query, ops.transpose(self.keys, (0, 1, 3, 2))) * self.size**-0.5 + mask
        mixed = ops.matmul(ops.softmax(scores, -1), self.values)
        return self.out(ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), x.shape))


class Layer(nn.Cell):
    def __init__(self, dim, heads, length):
        super().__init__()
        self.norm1, self.norm2, self.attention = Norm(dim), Norm(dim), Attention(dim, heads, length)
        self.gate, self.up, self.down = (
            nn.Dense(dim, 3 * dim, has_bias=False),
            nn.Dense(dim, 3 * dim, has_bias=False),
            nn.Dense(3 * dim, dim, has_bias=False),
        )

    def construct(self, x, places, cos, sin, mask):
        x = x + self.attention(self.norm1(x), places, cos, sin, mask)
        h = self.norm2(x)
        return x + self.down(ops.silu(self.gate(h)) * self.up(h))


class Llama(nn.Cell):
    """The next token after tokens of shape (1, n) at ``places`` of shape (n,)."""

    def __init__(self, vocabulary=1000, dim=128, heads=4, layers=4, length=128):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.layers = nn.CellList([Layer(dim, heads, length) for _ in range(layers)])
        self.norm, self.head = Norm(dim), nn.Dense(dim, vocabulary, has_bias=False)
        cos, sin = tables(length, dim // heads)
        self.cos, self.sin, self.all = Tensor(cos), Tensor(sin), Tensor(np.arange(length), ms.int32)

    def construct(self, tokens, places):
        cos, sin = self.cos[places], self.sin[places]
        mask = ops.where(self.all <= ops.expand_dims(places, 1), 0.0, -1e9)
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, places, cos, sin, mask)
        return ops.argmax(self.head(self.norm(x[:, -1:])), -1)


class TorchNorm(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class TorchAttention(torch.nn.Module):
    def __init__(self, dim, heads, length):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.query, self.key, self.value, self.out = (torch.nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.register_buffer("keys", torch.zeros(1, heads, length, self.size))
        self.register_buffer("values", torch.zeros(1, heads, length, self.size))

    def split(self, x):
        return x.view(1, -1, self.heads, self.size).transpose(1, 2)

    def rotated(self, x, cos, sin):
        first, second = x.chunk(2, -1)
        return x * cos + torch.cat((-second, first), -1) * sin

    def forward(self, x, places, cos, sin, mask):
        query = self.rotated(self.split(self.query(x)), cos, sin)
        self.keys[:, :, places] = self.rotated(self.split(self.key(x)), cos, sin)
        self.values[:, :, places] = self.split(self.value(x))
        scores = torch.matmul(query, self.keys.transpose(2, 3)) * self.size**-0.5 + mask
        mixed = torch.matmul(torch.softmax(scores, -1), self.values)
        return self.out(mixed.transpose(1, 2).reshape(x.shape))


class TorchLayer(torch.nn.Module):
    def __init__(self, dim, heads, length):
        super().__init__()
        self.norm1, self.norm2, self.attention = TorchNorm(dim), TorchNorm(dim), TorchAttention(dim, heads, length)
        self.gate, self.up = torch.nn.Linear(dim, 3 * dim, bias=False), torch.nn.Linear(dim, 3 * dim, bias=False)
        self.down = torch.nn.Linear(3 * dim, dim, bias=False)

    def forward(self, x, places, cos, sin, mask):
        x = x + self.attention(self.norm1(x), places, cos, sin, mask)
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class TorchLlama(torch.nn.Module):
    def __init__(self, vocabulary=1000, dim=128, heads=4, layers=4, length=128):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, dim)
        self.layers = torch.nn.ModuleList([TorchLayer(dim, heads, length) for _ in range(layers)])
        self.norm, self.head = TorchNorm(dim), torch.nn.Linear(dim, vocabulary, bias=False)
        cos, sin = tables(length, dim // heads)
        self.cos, self.sin, self.all = torch.from_numpy(cos), torch.from_numpy(sin), torch.arange(length)

    def forward(self, tokens, places):
        cos, sin = self.cos[places], self.sin[places]
        mask = torch.where(self.all <= places[:, None], 0.0, -1e9)
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, places, cos, sin, mask)
        return torch.argmax(self.head(self.norm(x[:, -1:])), -1)


def generate(net, prompt, count, tensor):
    """The ``count`` most probable next tokens: the prompt in one call, then one token a call."""
    token = net(tensor(prompt[None]), tensor(np.arange(len(prompt), dtype=np.int32)))
    found = [token]
    for place in range(len(prompt), len(prompt) + count - 1):
        token = net(token, tensor(np.array([place], np.int32)))
        found.append(token)
    return [int(item) for item in found]
