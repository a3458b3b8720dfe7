"""One shipped checkpoint map on the network it is for: published MindSpore code with random weights, its checkpoint
converted into the torch network, the outputs of both, and the way back. Run by `checkpoint_maps.py`:

    python -m mindspore_compat tests/projects/map_networks.py CASE MINDCV MODELS     # prints one JSON object
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat.train.checkpoint_maps import convert_checkpoint, match_arithmetic

CLASSES = 10
CONSTANTS = ("relative_bias.index", "attn_mask")  # made by the network, no weights


def torchvision_models() -> Any:
    """torchvision.models, also where the package's compiled operators are for another build of torch."""
    try:
        return importlib.import_module("torchvision.models")
    except RuntimeError as error:
        if "does not exist" not in str(error):
            raise
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        torchvision_models.library = library  # type: ignore[attr-defined]
        return importlib.import_module("torchvision.models")


def _tv(name: str, **options: Any) -> Callable[[bool], Any]:
    return lambda matched: getattr(torchvision_models(), name)(num_classes=CLASSES, **options)


def _timm(name: str, **when_matched: Any) -> Callable[[bool], Any]:
    def make(matched: bool) -> Any:
        torchvision_models()  # which timm imports
        return importlib.import_module("timm").create_model(
            name, num_classes=CLASSES, **(when_matched if matched else {})
        )

    return make


def _transformers(name: str, config: str, **sizes: Any) -> Callable[[bool], Any]:
    def make(matched: bool) -> Any:
        torchvision_models()  # which transformers imports
        transformers = importlib.import_module("transformers")
        form = {"hidden_act": "gelu_pytorch_tanh"} if matched else {}
        return getattr(transformers, name)(getattr(transformers, config)(**sizes, **form))

    return make


# --- the MindSpore networks -------------------------------------------------------------------------------------------

FOLDERS: dict[str, str] = {}


def _mindcv(name: str) -> Callable[[], Any]:
    def make() -> Any:
        sys.path.insert(0, FOLDERS["mindcv"])
        return getattr(importlib.import_module("mindcv.models"), name)(num_classes=CLASSES)

    return make


class _Options(dict[str, Any]):
    __getattr__ = dict.get


def _project(path: str, module: str, *arguments: str) -> Any:
    folder = os.path.join(FOLDERS["models"], "official", path)
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv[1:] = [argument.replace("HERE", folder) for argument in arguments]
    return importlib.import_module(module)


def _zoo_resnet(name: str) -> Any:
    return getattr(
        _project("cv/ResNet", "src.resnet", "--config_path", "HERE/config/resnet50_cifar10_config.yaml"), name
    )(CLASSES)


def _zoo_mobilenet_v2() -> Any:
    module = _project("cv/MobileNet/mobilenetv2", "src.mobilenetV2")
    return module.mobilenet_v2(
        module.MobileNetV2Backbone(), module.MobileNetV2Head(input_channel=1280, num_classes=CLASSES)
    )


def _zoo_vgg(has_bias: bool, batch_norm: bool) -> Any:
    options = _Options(
        image_size=[224, 224],
        pad_mode="pad",
        padding=1,
        has_bias=has_bias,
        has_dropout=True,
        initialize_mode="XavierUniform",
        batch_norm=batch_norm,
    )
    return _project("cv/VGG/vgg16", "src.vgg").vgg16(CLASSES, options, "test")


def _zoo_efficientnet() -> Any:
    return _project("cv/Efficientnet/efficientnet-b0", "src.efficientnet").efficientnet_b0(num_classes=CLASSES)


def _zoo_vit() -> Any:
    module = _project("cv/VIT", "src.vit")
    config = module.vit_cfg
    for key, value in dict(VIT, num_classes=CLASSES, normalized_shape=VIT["d_model"]).items():
        setattr(config, key, value)
    return module.ViT(module.VitConfig(config))


def _zoo_swin() -> Any:
    args = _project(
        "cv/SwinTransformer", "src.args", "--swin_config", "HERE/src/configs/swin_tiny_patch4_window7_224.yaml"
    ).args
    args.num_classes = CLASSES
    return importlib.import_module("src.models.swintransformer.get_swin").swin_tiny_patch4_window7_224(args)


VIT = {"d_model": 64, "depth": 3, "heads": 4, "mlp_dim": 96, "dim_head": 16, "patch_size": 16, "image_size": 96}
BERT = {
    "vocab_size": 99,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 80,
    "max_position_embeddings": 24,
    "type_vocab_size": 2,
}


def _zoo_bert(kind: str) -> Any:
    model = _project("nlp/Bert", "src.bert_model")
    config = model.BertConfig(seq_length=12, hidden_act="gelu", **BERT)
    if kind == "pretraining":
        return importlib.import_module("src.bert_for_pre_training").BertNetworkWithLoss(config, False)
    if kind == "classifier":
        return importlib.import_module("src.finetune_eval_model").BertCLSModel(config, False, CLASSES)
    return model.BertModel(config, False)


def _torch_vit(matched: bool) -> Any:
    from torchvision.models.vision_transformer import VisionTransformer

    return VisionTransformer(
        VIT["image_size"],
        VIT["patch_size"],
        VIT["depth"],
        VIT["heads"],
        VIT["d_model"],
        VIT["mlp_dim"],
        num_classes=CLASSES,
    )


def _timm_vit(matched: bool) -> Any:
    torchvision_models()
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(
        VIT["image_size"],
        VIT["patch_size"],
        num_classes=CLASSES,
        embed_dim=VIT["d_model"],
        depth=VIT["depth"],
        num_heads=VIT["heads"],
        mlp_ratio=VIT["mlp_dim"] / VIT["d_model"],
    )


def _sized(sizes: dict[str, int]) -> dict[str, int]:
    return {
        "hidden_size": sizes["d_model"],
        "num_hidden_layers": sizes["depth"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["mlp_dim"],
        "image_size": sizes["image_size"],
        "patch_size": sizes["patch_size"],
        "num_labels": CLASSES,
    }


VIT_B = {"d_model": 768, "depth": 12, "heads": 12, "mlp_dim": 3072, "image_size": 224, "patch_size": 32}


# --- the cases --------------------------------------------------------------------------------------------------------


@dataclass
class Case:
    """``sizes`` of the square input images, empty for texts; ``matched`` is told to ``torch_net`` for what only its
    maker can set.
    """

    map: str
    network: str
    torch_network: str
    make: Callable[[], Any]
    torch_net: Callable[[bool], Any]
    sizes: tuple[int, ...] = (64, 65)


def _ready_tv(make: Callable[[bool], Any]) -> Callable[[bool], Any]:
    def ready(matched: bool) -> Any:
        torchvision_models()
        return make(matched)

    return ready


_SWIN = {"num_labels": CLASSES}
CASES: dict[str, Case] = {}
for _name in ("resnet18", "resnet50"):
    CASES[f"mindcv-{_name}"] = Case(
        "mindcv-resnet-torchvision", f"MindCV {_name}", f"torchvision {_name}", _mindcv(_name), _tv(_name)
    )
CASES["mindcv-resnet18-timm"] = Case(
    "mindcv-resnet-torchvision", "MindCV resnet18", "timm resnet18", _mindcv("resnet18"), _timm("resnet18")
)
CASES["mindcv-resnext50"] = Case(
    "mindcv-resnet-torchvision",
    "MindCV resnext50_32x4d",
    "torchvision resnext50_32x4d",
    _mindcv("resnext50_32x4d"),
    _tv("resnext50_32x4d"),
)
CASES["zoo-resnet18"] = Case(
    "zoo-resnet18-torchvision", "zoo resnet18", "torchvision resnet18", lambda: _zoo_resnet("resnet18"), _tv("resnet18")
)
CASES["zoo-resnet50"] = Case(
    "zoo-resnet50-torchvision", "zoo resnet50", "torchvision resnet50", lambda: _zoo_resnet("resnet50"), _tv("resnet50")
)
CASES["mindcv-mobilenet_v2"] = Case(
    "mindcv-mobilenet_v2-torchvision",
    "MindCV mobilenet_v2_100",
    "torchvision mobilenet_v2",
    _mindcv("mobilenet_v2_100"),
    _tv("mobilenet_v2"),
)
CASES["mindcv-mobilenet_v2-timm"] = Case(
    "mindcv-mobilenet_v2-timm",
    "MindCV mobilenet_v2_100",
    "timm mobilenetv2_100",
    _mindcv("mobilenet_v2_100"),
    _timm("mobilenetv2_100"),
)
CASES["zoo-mobilenet_v2"] = Case(
    "zoo-mobilenet_v2-torchvision",
    "zoo mobilenetv2",
    "torchvision mobilenet_v2",
    _zoo_mobilenet_v2,
    _tv("mobilenet_v2"),
)
for _size in ("small", "large"):
    CASES[f"mindcv-mobilenet_v3_{_size}"] = Case(
        "mindcv-mobilenet_v3-torchvision",
        f"MindCV mobilenet_v3_{_size}_100",
        f"torchvision mobilenet_v3_{_size}",
        _mindcv(f"mobilenet_v3_{_size}_100"),
        _tv(f"mobilenet_v3_{_size}"),
    )
    CASES[f"mindcv-mobilenet_v3_{_size}-timm"] = Case(
        f"mindcv-mobilenet_v3_{_size}-timm",
        f"MindCV mobilenet_v3_{_size}_100",
        f"timm mobilenetv3_{_size}_100",
        _mindcv(f"mobilenet_v3_{_size}_100"),
        _timm(f"mobilenetv3_{_size}_100"),
    )
CASES["mindcv-vgg11"] = Case(
    "mindcv-vgg-torchvision", "MindCV vgg11", "torchvision vgg11", _mindcv("vgg11"), _tv("vgg11"), (224,)
)
CASES["mindcv-vgg11-timm"] = Case(
    "mindcv-vgg-timm", "MindCV vgg11", "timm vgg11", _mindcv("vgg11"), _timm("vgg11"), (224,)
)
CASES["zoo-vgg16"] = Case(
    "zoo-vgg-torchvision",
    "zoo vgg16, has_bias",
    "torchvision vgg16",
    lambda: _zoo_vgg(True, False),
    _tv("vgg16"),
    (224,),
)
CASES["zoo-vgg16_bn"] = Case(
    "zoo-vgg_nobias-torchvision",
    "zoo vgg16, batch_norm",
    "torchvision vgg16_bn",
    lambda: _zoo_vgg(False, True),
    _tv("vgg16_bn"),
    (224,),
)
CASES["mindcv-efficientnet_b0"] = Case(
    "mindcv-efficientnet-torchvision",
    "MindCV efficientnet_b0",
    "torchvision efficientnet_b0",
    _mindcv("efficientnet_b0"),
    _tv("efficientnet_b0"),
)
CASES["mindcv-efficientnet_b0-timm"] = Case(
    "mindcv-efficientnet-timm",
    "MindCV efficientnet_b0",
    "timm tf_efficientnet_b0",
    _mindcv("efficientnet_b0"),
    _timm("tf_efficientnet_b0"),
)
CASES["zoo-efficientnet_b0-timm"] = Case(
    "zoo-efficientnet-timm",
    "zoo efficientnet-b0",
    "timm tf_efficientnet_b0",
    _zoo_efficientnet,
    _timm("tf_efficientnet_b0", act_layer="hard_swish"),
)
CASES["mindcv-vit_b_32"] = Case(
    "mindcv-vit-torchvision",
    "MindCV vit_b_32_224",
    "torchvision vit_b_32",
    _mindcv("vit_b_32_224"),
    _tv("vit_b_32"),
    (224,),
)
CASES["mindcv-vit_b_32-timm"] = Case(
    "mindcv-vit-timm",
    "MindCV vit_b_32_224",
    "timm vit_base_patch32_224",
    _mindcv("vit_b_32_224"),
    _timm("vit_base_patch32_224"),
    (224,),
)
CASES["mindcv-vit_b_32-transformers"] = Case(
    "mindcv-vit-transformers",
    "MindCV vit_b_32_224",
    "transformers ViTForImageClassification",
    _mindcv("vit_b_32_224"),
    _transformers("ViTForImageClassification", "ViTConfig", **_sized(VIT_B)),
    (224,),
)
CASES["zoo-vit"] = Case(
    "zoo-vit-torchvision", "zoo VIT (3 layers)", "torchvision VisionTransformer", _zoo_vit, _ready_tv(_torch_vit), (96,)
)
CASES["zoo-vit-timm"] = Case("zoo-vit-timm", "zoo VIT (3 layers)", "timm VisionTransformer", _zoo_vit, _timm_vit, (96,))
CASES["zoo-vit-transformers"] = Case(
    "zoo-vit-transformers",
    "zoo VIT (3 layers)",
    "transformers ViTForImageClassification",
    _zoo_vit,
    _transformers("ViTForImageClassification", "ViTConfig", **_sized(VIT)),
    (96,),
)
for _who, _make, _text in (("mindcv", _mindcv("swin_tiny"), "MindCV swin_tiny"), ("zoo", _zoo_swin, "zoo swin_tiny")):
    CASES[f"{_who}-swin"] = Case(f"{_who}-swin-torchvision", _text, "torchvision swin_t", _make, _tv("swin_t"), (224,))
    CASES[f"{_who}-swin-timm"] = Case(
        f"{_who}-swin-timm",
        _text,
        "timm swin_tiny_patch4_window7_224",
        _make,
        _timm("swin_tiny_patch4_window7_224"),
        (224,),
    )
    CASES[f"{_who}-swin-transformers"] = Case(
        f"{_who}-swin-transformers",
        _text,
        "transformers SwinForImageClassification",
        _make,
        _transformers("SwinForImageClassification", "SwinConfig", **_SWIN),
        (224,),
    )
for _kind, _map, _class in (
    ("", "zoo-bert-transformers", "BertModel"),
    ("pretraining", "zoo-bert_pretraining-transformers", "BertForPreTraining"),
    ("classifier", "zoo-bert_classifier-transformers", "BertForSequenceClassification"),
):
    CASES[_map] = Case(
        _map,
        f"zoo Bert {_kind or 'model'} (3 layers)",
        f"transformers {_class}",
        lambda kind=_kind: _zoo_bert(kind),
        _transformers(_class, "BertConfig", num_labels=CLASSES, **BERT)
        if _kind == "classifier"
        else _transformers(_class, "BertConfig", **BERT),
        (),
    )


# --- the proof --------------------------------------------------------------------------------------------------------


def randomize(net: Any) -> None:
    """Random values for every parameter; statistics of batch norms then come from `measure_norms`."""
    draw = np.random.RandomState(1)
    for parameter in net.get_parameters():
        if parameter.name.endswith(CONSTANTS):
            continue
        shape, own = tuple(parameter.shape), parameter.name.rpartition(".")[2]
        if own == "gamma":
            value = draw.uniform(0.5, 1.5, shape)
        elif own == "moving_variance":
            value = draw.uniform(0.5, 1.5, shape)
        elif len(shape) == 1:
            value = draw.normal(0, 0.2, shape)
        else:
            value = draw.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape)
        parameter.set_data(ms.Tensor(value.astype(np.float32)))


def measure_norms(net: torch.nn.Module, images: np.ndarray) -> bool:
    """Give batch norms the statistics of these images, as training would: with others a deep network blows its signal
    up or loses it.

    Returns whether there are any.
    """
    norms = [module for module in net.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    net.eval()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        norm.train()
    if norms:
        with torch.no_grad():
            net(torch.from_numpy(images))
    return bool(norms)


def _with_measured_norms(case: Case, net: Any) -> None:
    """The network with the statistics that its torch twin measures."""
    twin = case.torch_net(True)
    values = {parameter.name: parameter for parameter in net.get_parameters()}
    if case.sizes:
        twin.load_state_dict(convert_checkpoint(values, case.map, like=twin).values, strict=False)
        match_arithmetic(twin, case.map)
        if measure_norms(
            twin, np.random.RandomState(3).normal(0, 1, (8, 3, case.sizes[0], case.sizes[0])).astype(np.float32)
        ):
            back = convert_checkpoint(twin.state_dict(), case.map, reverse=True).values
            ms.load_param_into_net(net, {name: ms.Parameter(value.numpy(), name=name) for name, value in back.items()})


def _inputs(case: Case, size: int) -> list[np.ndarray]:
    draw = np.random.RandomState(2)
    if size:
        return [draw.normal(0, 1, (2, 3, size, size)).astype(np.float32)]
    mask = np.ones((2, 12), np.int32)
    mask[1, 9:] = 0
    return [
        draw.randint(0, BERT["vocab_size"], (2, 12)).astype(np.int32),
        draw.randint(0, 2, (2, 12)).astype(np.int32),
        mask,
    ]


def _outputs(case: Case, net: Any, arrays: list[np.ndarray]) -> np.ndarray:
    """What the MindSpore network computes, as one row."""
    tensors = [ms.Tensor(array) for array in arrays]
    if "pretraining" in case.map:
        sequence, pooled, table = net.bert.bert(tensors[0], tensors[1], tensors[2])
        positions = ms.Tensor(np.arange(12, dtype=np.int32)[None].repeat(2, 0))
        found = [net.bert.cls1(sequence, table, positions), net.bert.cls2(pooled)]
    elif "classifier" in case.map:
        found = [net(tensors[0], tensors[2], tensors[1])]
    else:
        found = net(*tensors)
        found = list(found[:2]) if isinstance(found, tuple) else [found]
    return np.concatenate([item.asnumpy().ravel() for item in found])


def _torch_outputs(case: Case, net: Any, arrays: list[np.ndarray]) -> np.ndarray:
    tensors = [torch.from_numpy(array) for array in arrays]
    with torch.no_grad():
        if len(tensors) == 3:
            result = net(input_ids=tensors[0].long(), token_type_ids=tensors[1].long(), attention_mask=tensors[2])
        else:
            result = net(tensors[0])
    if "pretraining" in case.map:  # the zoo's outputs are logarithms of probabilities
        found = [result.prediction_logits.log_softmax(-1), result.seq_relationship_logits.log_softmax(-1)]
    elif case.map == "zoo-bert-transformers":
        found = [result.last_hidden_state, result.pooler_output]
    elif "classifier" in case.map:
        found = [result.logits.log_softmax(-1)]
    else:
        found = [getattr(result, "logits", result)]
    return np.concatenate([item.numpy().ravel() for item in found])


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    assert a.shape == b.shape and np.isfinite(a).all() and np.isfinite(b).all(), (a.shape, b.shape)
    return float(np.abs(a - b).max() / np.abs(a).max())


def _load(case: Case, net: Any, values: dict[str, torch.Tensor], folder: str) -> Any:
    """The torch network with the values, all of them and no others."""
    if "transformers" in case.map:
        net.config.save_pretrained(folder)
        loaded, told = type(net).from_pretrained(folder, output_loading_info=True)
        assert not (told["missing_keys"] or told["unexpected_keys"] or told["mismatched_keys"]), told
        return loaded.eval()
    net.load_state_dict(values, strict=True)
    return net.eval()


def _names(done: Any, values: dict[str, Any]) -> list[str]:
    """A line for each row of the report: names and shapes from and to."""

    def side(names: list[str], tensors: dict[str, Any]) -> str:
        return ", ".join(f"{name} {'x'.join(map(str, tensors[name].shape))}" for name in names)

    return [f"{side(row['from'], values)} => {side(row['to'], done.values)}" for row in done.report["matched"]] + [
        f"{side([row['name']], values)} =>" for row in done.report["dropped"]
    ]


def prove(name: str) -> dict[str, Any]:
    """What came of the case."""
    case = CASES[name]
    net = case.make()
    randomize(net)
    _with_measured_norms(case, net)
    net.set_train(False)
    with tempfile.TemporaryDirectory() as folder:
        ckpt, converted, back = (os.path.join(folder, file) for file in ("net.ckpt", "model.safetensors", "back.ckpt"))
        ms.save_checkpoint(net, ckpt)
        done = convert_checkpoint(ckpt, case.map, converted)
        result: dict[str, Any] = {
            "case": name,
            "map": case.map,
            "network": case.network,
            "torch": case.torch_network,
            "tensors": done.report["tensors"],
            "elements": done.report["elements"],
            "dropped": len(done.report["dropped"]),
            "rows": [],
            "names": _names(done, ms.load_checkpoint(ckpt)),
        }
        nets = []
        for matched in (False, True):
            made = _load(case, case.torch_net(matched), done.values, folder)
            if matched:
                match_arithmetic(made, case.map)
            nets.append(made)
        for size in case.sizes or (0,):
            arrays = _inputs(case, size)
            expected = _outputs(case, net, arrays)
            assert _difference(expected, _outputs(case, net, [array[::-1].copy() for array in arrays])) > 1e-2, (
                "the output hardly depends on the input"
            )
            as_is, matched_ = (_difference(expected, _torch_outputs(case, one, arrays)) for one in nets)
            result["rows"].append({"size": size, "as it is": as_is, "matched": matched_})
        convert_checkpoint(converted, case.map, back, reverse=True, like=ckpt)
        whole, returned = ms.load_checkpoint(ckpt), ms.load_checkpoint(back)
        kept = {key: value for key, value in whole.items() if not key.endswith(CONSTANTS) or key in returned}
        result["back"] = list(kept) == list(returned) and all(
            value.dtype == returned[key].dtype and np.array_equal(value.asnumpy(), returned[key].asnumpy())
            for key, value in kept.items()
        )
        result["not in the file on the way back"] = sorted(
            {key.rpartition(".")[2] for key in whole if key not in returned}
        )
        other = case.make()  # a network of its own constants takes the way back for the whole
        ms.load_param_into_net(other, returned)
        ms.save_checkpoint(other, os.path.join(folder, "again.ckpt"))
        with open(ckpt, "rb") as one, open(os.path.join(folder, "again.ckpt"), "rb") as two:
            result["back"] = result["back"] and one.read() == two.read()
        net.double()  # where rounding does not hide what differs; some layers of both sides stay in float32
        for row in result["rows"]:
            arrays = [
                array.astype(np.float64) if array.dtype == np.float32 else array for array in _inputs(case, row["size"])
            ]
            row["in float64"] = _difference(_outputs(case, net, arrays), _torch_outputs(case, nets[1].double(), arrays))
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=list(CASES))
    parser.add_argument("mindcv")
    parser.add_argument("models")
    options = parser.parse_args()
    FOLDERS.update(mindcv=os.path.abspath(options.mindcv), models=os.path.abspath(options.models))
    torch.manual_seed(0)
    print(json.dumps(prove(options.case)))
