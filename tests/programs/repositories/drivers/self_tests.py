"""Files that test themselves when they run as a script."""

from kit import run, script

#: repository, field, script; the folder of the program ends at @, or before the file
FILES = """
2023-MindSpore-4/Code12|human parsing|xingxianglei/part_whole_human_parsing/networks/batch_gcn.py
2023-MindSpore-4/Code12|human parsing|xingxianglei/part_whole_human_parsing/networks/weight_scaled_networks.py
2023-MindSpore-4/Code4|3D segmentation|SPCTNet-main/backbone.py
cai-jianfeng/ROMP_mindspore|human bodies|romp/lib/utils/rot_6D.py
MysticFace-0/st_gcn_mindspore|skeletons|model/sagcn_mm/utils/gcn_utils.py
idejie/trm_mindspore|video and text|trm/modeling/trm/featpool.py
mindspore-ai/zidongtaichu|vector quantization|@src/vqvae_mindspore/src/models/vqvae_wbn/vq_ema.py
mindspore-courses/Semantic-Segmentation-on-MindSpore|segmentation|@core/models/base_models/eespnet.py
mindspore-ai/contrib|optimizer|application/Adaptive-Nesterov-Momentum-Algorithm/adan.py
mindspore-ai/contrib|attack|application/Frank-Wolfe-Algorithm/fgsm.py
mindspore-ai/contrib|speakers|application/Generalized-End-to-End-Loss-for-Speaker-Verification/ge2e.py
mindspore-ai/contrib|attention|application/fastformer-additive/Fastformer.py
mindspore-ai/contrib|optimizer|application/Scalable-Sharpness-Aware-Minimization/looksam.py
mindspore-ai/contrib|loss|application/circle-loss/circle_loss.py
mindspore-ai/contrib|few-shot|application/cross-transformers-spatially-aware-few-shot-transfer/crosstransformers.py
mindspore-ai/contrib|upsampling|application/Learning-to-Upsample/dysample.py
mindspore-ai/contrib|recurrent network|application/layer-normalization/GRU_layernorm_cell.py
mindspore-ai/contrib|recommendation|intern/GR-HSTU/hstu.py
mindspore-ai/contrib|semi-supervised|application/vat/vat.py
"""


def _register(repository: str, field: str, path: str) -> None:
    folder, file = path.split("@") if "@" in path else path.rsplit("/", 1)

    def driver() -> None:
        try:
            script(file)
        except SystemExit as ending:  # of unittest
            assert not ending.code

    driver.__name__ = f"self_{file[:-3].split('/')[-1].lower()}"
    run(repository, field, file.split("/")[-1], folder)(driver)


for line in FILES.strip().splitlines():
    _register(*line.split("|"))
