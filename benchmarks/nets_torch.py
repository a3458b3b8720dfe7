"""The same networks, written by hand in torch."""

import torch
from torch import nn
from torch.nn import functional as F


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(32, 64), nn.Linear(64, 64), nn.Linear(64, 10)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, bias=False), nn.Conv2d(6, 16, 5, bias=False)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = F.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc3(torch.relu(self.fc2(x)))


class Block(nn.Module):
    def __init__(self, in_channel, out_channel, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(in_channel, out_channel, 3, stride, 1, bias=False), nn.BatchNorm2d(out_channel)
        self.conv2, self.bn2 = nn.Conv2d(out_channel, out_channel, 3, 1, 1, bias=False), nn.BatchNorm2d(out_channel)
        self.down_sample = None
        if stride != 1 or in_channel != out_channel:
            self.down_sample = nn.Sequential(
                nn.Conv2d(in_channel, out_channel, 1, stride, bias=False), nn.BatchNorm2d(out_channel)
            )

    def forward(self, x):
        out = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(out + (x if self.down_sample is None else self.down_sample(x)))


class ResNet(nn.Module):
    def __init__(self, blocks=3, widths=(16, 32, 64)):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, widths[0], 3, 1, 1, bias=False), nn.BatchNorm2d(widths[0])
        layers, channel = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(blocks):
                layers.append(Block(channel, width, 2 if stage > 0 and number == 0 else 1))
                channel = width
        self.layers, self.end_point = nn.Sequential(*layers), nn.Linear(channel, 10)

    def forward(self, x):
        x = self.layers(torch.relu(self.bn1(self.conv1(x))))
        return self.end_point(x.mean((2, 3)))


class EncoderLayer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.fc1, self.fc2 = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, self.size).permute(0, 2, 1, 3)

    def forward(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = torch.softmax(torch.matmul(query, key.transpose(-1, -2)) * self.size**-0.5, -1)
        mixed = torch.matmul(weights, value).permute(0, 2, 1, 3).reshape(x.shape)
        x = self.norm1(x + self.out(mixed))
        return self.norm2(x + self.fc2(F.gelu(self.fc1(x), approximate="tanh")))


class Encoder(nn.Module):
    def __init__(self, vocabulary=1000, dim=256, heads=4, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.layers = nn.ModuleList([EncoderLayer(dim, heads) for _ in range(layers)])
        self.head = nn.Linear(dim, 10)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


NETS = {"mlp": MLP, "lenet": LeNet5, "resnet20": ResNet, "encoder": Encoder}
