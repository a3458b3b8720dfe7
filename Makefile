# Needs Python 3.10 or newer and make; everything else goes into $(VENV).
#
#   make demo                 trains LeNet on handwritten digits, from a script that says `import mindspore`
#   make test                 runs the tests
#   make test-gpu             runs the core tests on a CUDA device, or on a fake one
#   make docs                 builds the pages and the API reference into build/docs
#   make upstream MIRROR=…    runs MindSpore's own tests, from git mirrors (docs/conformance.md)
#   make examples             runs the examples of MindSpore's docstrings beside real MindSpore
#   make matrix               runs the core tests on the oldest and the newest Python and torch
#
# PyTorch is pinned. For a GPU, or the torch of your choice, override one variable (the choice stays in $(VENV)):
#   make test TORCH=torch
#   make test TORCH="torch==2.13.0 --index-url https://download.pytorch.org/whl/cu130"
# More: PYTHON=python3.12, VENV=/somewhere, WORKERS=8, ARGS="tests/api -k alias" for pytest.

PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
ARGS ?=
BIN = $(VENV)/bin

.PHONY: demo test test-gpu lint types coverage upstream examples bench bench-gpu oracle build docs matrix clean

demo: $(VENV)/.demo
	$(BIN)/python -m mindspore_compat examples/lenet_digits.py --ckpt_dir demo_ckpt
	$(BIN)/python examples/lenet_in_torch.py "$$(ls -t demo_ckpt/*.ckpt | head -n 1)"

# the tests of a file share a process; WORKERS=0 runs all in one
WORKERS ?= 2
PARALLEL = -n $(WORKERS) --dist loadfile
test: $(VENV)/.test
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest $(PARALLEL) $(ARGS)

# the core tests with everything on a CUDA device: a fake one where PyTorch is its CPU build (docs/gpu.md)
GPU_TESTS ?= tests/gpu tests/nn tests/ops tests/common tests/compression tests/train/export/test_load.py tests/train/metrics \
	tests/train/test_model.py tests/train/test_amp.py tests/train/test_custom_cells.py tests/train/test_serialization.py \
	tests/train/test_torch_step.py tests/train/test_torch_resume.py tests/thor/test_optimizer.py tests/thor/test_inverse.py \
	tests/thor/test_conversion.py tests/dataset/test_pipeline.py tests/capture/test_replay.py tests/capture/test_replay_trust.py \
	tests/capture/test_replay_fuzz.py tests/capture/test_replay_evaluation.py
test-gpu: $(VENV)/.test
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest --device cuda -q $(PARALLEL) $(GPU_TESTS) $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

# derives the state of every MindSpore name from the code (upstream.csv, docs/coverage.md), and which are compared with real MindSpore
coverage: $(VENV)/.test
	$(BIN)/python -m mindspore_compat coverage --write
	$(BIN)/python -m tests.ops.differential --write

# MIRROR: a folder with mindspore-ai+mindspore_test/repo, hdu-cloud+mindspore/repo and kungfu-team+mindspore/repo (git directories);
# their tests want the numpy of their time, so they get an environment of their own. ARGS="--suite nn", "--file NAME", "--share 0.1"
upstream: $(VENV)/.test
	test -x $(VENV)-upstream/bin/python || $(PYTHON) -m venv $(VENV)-upstream
	$(VENV)-upstream/bin/python -m pip install --quiet $(TORCH)
	$(VENV)-upstream/bin/python -m pip install --quiet ".[test]" "numpy<2" scikit-learn pyyaml
	mkdir -p build
	MIRROR=$(MIRROR) $(BIN)/python -m tests.conformance.run --python $(VENV)-upstream/bin/python --out build/upstream.json $(ARGS)
	$(BIN)/python -m tests.conformance.report --ours build/upstream.json --write

# the examples in the docstrings of real MindSpore (make oracle), here and there
examples: $(VENV)/.test
	$(BIN)/python -m tests.conformance.examples --real .venv-oracle/bin/python --list $(ARGS)

bench: $(VENV)/.test
	for name in tensor layers half train_step inference state_changes checkpoint summary thor pipeline; do $(BIN)/python benchmarks/$$name.py || exit 1; done

# training steps, THOR, checkpoints and memory on a CUDA device
bench-gpu: $(VENV)/.test
	$(BIN)/python benchmarks/gpu.py
	$(BIN)/python benchmarks/thor.py

build: $(VENV)/.dev
	rm -rf dist
	$(BIN)/python -m build

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W -b html docs build/docs

# Each word is PYTHON/TORCH, a venv of its own under .venv-matrix; torch from PyPI brings CUDA's libraries, gigabytes.
MATRIX ?= python3.10/torch==2.6.0 python3.13/torch
CORE ?= tests/common tests/nn tests/ops tests/capture tests/format tests/train/test_model.py
matrix:
	@for pair in $(MATRIX); do \
		echo "== $$pair"; \
		$(MAKE) --no-print-directory test PYTHON=$${pair%%/*} TORCH=$${pair#*/} VENV=.venv-matrix/$$(echo $$pair | tr /= --) ARGS="-q $(CORE)" \
			|| failed="$$failed $$pair"; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# a real MindSpore beside ours, for the tests marked `oracle`
oracle:
	$(PYTHON) -m venv .venv-oracle
	.venv-oracle/bin/python -m pip install mindspore==2.10.0 "numpy<2" "scipy<1.14"

clean:
	rm -rf $(VENV) .venv-oracle .venv-matrix build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache

# The stamp is named after TORCH, so that another TORCH installs anew; without one, what is installed stays.
ifeq ($(origin TORCH),file)
TORCH_STAMP := $(firstword $(wildcard $(VENV)/.torch-*))
endif
ifeq ($(TORCH_STAMP),)
TORCH_STAMP := $(VENV)/.torch-$(shell printf '%s' '$(TORCH)' | cksum | cut -d' ' -f1)
endif

$(TORCH_STAMP):
	$(PYTHON) -m venv $(VENV)
	rm -f $(VENV)/.torch-* $(VENV)/.demo $(VENV)/.test $(VENV)/.dev $(VENV)/.docs
	$(BIN)/python -m pip install $(TORCH)
	touch $@

$(VENV)/.demo $(VENV)/.test $(VENV)/.dev $(VENV)/.docs: $(VENV)/.%: $(TORCH_STAMP) setup.cfg pyproject.toml
	$(BIN)/python -m pip install -e ".[$*]"
	$(BIN)/python -m compileall -q mindspore_compat  # pip does so for what it copies; the first import takes 0.3 s longer without
	touch $@
