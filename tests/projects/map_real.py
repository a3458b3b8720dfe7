"""torchvision's random weights in real MindSpore: state_dict → `.ckpt` by a shipped map the other way → MindCV's
network under real MindSpore.

PYTHONPATH=. python tests/projects/map_real.py torch FOLDER            # writes checkpoints and outputs; torchvision
beside torch ORACLE tests/projects/map_real.py real FOLDER MINDCV [PACKAGES]        # loads and compares; PACKAGES: a
folder with tqdm and pyyaml
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

#: MindCV's network: map, torchvision's network, sizes of the input
NETWORKS = {
    "resnet18": ("mindcv-resnet-torchvision", "resnet18", (64, 65)),
    "mobilenet_v2_100": ("mindcv-mobilenet_v2-torchvision", "mobilenet_v2", (64, 65)),
    "mobilenet_v3_small_100": ("mindcv-mobilenet_v3-torchvision", "mobilenet_v3_small", (64, 65)),
    "efficientnet_b0": ("mindcv-efficientnet-torchvision", "efficientnet_b0", (64, 65)),
    "vit_b_32_224": ("mindcv-vit-torchvision", "vit_b_32", (224,)),
    "swin_tiny": ("mindcv-swin-torchvision", "swin_t", (224,)),
}
LARGEST = 1e-4  # real MindSpore has sigmoids of its own on a CPU: 5e-5 behind the 49 of EfficientNet


def image(size: int) -> np.ndarray:
    return np.random.RandomState(2).normal(0, 1, (2, 3, size, size)).astype(np.float32)


def write(folder: Path) -> None:
    import torch

    from mindspore_compat.train.checkpoint_maps import convert_checkpoint, match_arithmetic
    from tests.projects.map_networks import measure_norms, torchvision_models

    for name, (rules, torch_name, sizes) in NETWORKS.items():
        torch.manual_seed(3)
        net = getattr(torchvision_models(), torch_name)(num_classes=1000).eval()
        for key, value in net.state_dict().items():
            if value.dtype.is_floating_point and value.dim() > 1:
                value.copy_(torch.randn_like(value) * (2 / value[0].numel()) ** 0.5)
            elif value.dtype.is_floating_point:
                value.add_(torch.randn_like(value) * 0.1)
        match_arithmetic(net, rules)
        measure_norms(net, np.random.RandomState(3).normal(0, 1, (8, 3, sizes[0], sizes[0])).astype(np.float32))
        net.eval()
        torch.save(net.state_dict(), folder / f"{name}.pth")
        convert_checkpoint(folder / f"{name}.pth", rules, folder / f"{name}.ckpt", reverse=True)
        with torch.no_grad():
            rounded = {str(size): net(torch.from_numpy(image(size))).numpy() for size in sizes}
            exact = {f"{size} exact": net.double()(torch.from_numpy(image(size)).double()).numpy() for size in sizes}
        np.savez(folder / f"{name}.npz", **rounded, **exact)


def apart(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def compare(folder: Path) -> bool:
    import mindcv.models
    import mindspore

    assert "mindspore_compat" not in sys.modules
    good = True
    for name, (_, _, sizes) in NETWORKS.items():
        net = getattr(mindcv.models, name)()
        net.set_train(False)
        missing, unused = mindspore.load_param_into_net(net, mindspore.load_checkpoint(str(folder / f"{name}.ckpt")))
        for size in sizes:
            kept = np.load(folder / f"{name}.npz")
            exact, rounding = kept[f"{size} exact"], apart(kept[str(size)], kept[f"{size} exact"])
            difference = apart(net(mindspore.Tensor(image(size))).asnumpy(), exact)
            holds = (
                difference <= LARGEST
                and apart(exact[::-1], exact) > 1e-2
                and not unused
                and all("attn_mask" in key for key in missing)
            )
            good &= bool(holds)
            print(
                f"{name} {size}: difference from torch in float64 {difference:.2g} (torch's own in float32 "
                f"{rounding:.2g}), not in the file: {sorted({key.rpartition('.')[2] for key in missing})}, "
                f"{'holds' if holds else 'DOES NOT HOLD'}",
                flush=True,
            )
    return good


if __name__ == "__main__":
    where = Path(sys.argv[2])
    if sys.argv[1] == "torch":
        write(where)
    else:
        sys.path[:0] = sys.argv[3:]
        sys.exit(0 if compare(where) else 1)
