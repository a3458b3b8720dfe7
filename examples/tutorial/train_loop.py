# train_loop.py
import numpy as np
import torch
from drawn import Digits
from lenet_torch import LeNet
from torch.utils.data import DataLoader


def collate(rows):
    images = np.stack([image for image, label in rows]).transpose(0, 3, 1, 2)
    labels = np.stack([label for image, label in rows])
    return torch.from_numpy(images).float() / 255, torch.from_numpy(labels).long()


torch.manual_seed(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
net = LeNet().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    for x, y in DataLoader(Digits(1024, 0), batch_size=32, shuffle=True, drop_last=True, collate_fn=collate):
        loss = torch.nn.functional.cross_entropy(net(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch: {epoch + 1} loss is {loss.item():.4f}")
with torch.no_grad():
    x, y = next(iter(DataLoader(Digits(256, 1), batch_size=256, collate_fn=collate)))
    print("accuracy:", (net(x.to(device)).argmax(1).cpu() == y).float().mean().item())
