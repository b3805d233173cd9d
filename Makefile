# Short verbs. Checks are steps of .ci/run, so that these verbs and the gate do the same.

.PHONY: all test lint race fuzz fuzz-long interop golden bench bench-quick demo foreign ci nightly

all: test lint

test: ## what every change must pass, including the house rules of internal/test/lint
	go test ./... ./check/...

lint: ## formatting, vet, types on every platform, staticcheck
	.ci/run format vet staticcheck

race: ## tests under the race detector
	.ci/run race

fuzz: ## every fuzz target, a fixed number of inputs each
	FUZZ_ONLY=. FUZZ_GUIDED=1 .ci/run fuzz

fuzz-long: ## 36 million inputs for what decodes and parses, a million for every kernel, and as many damaged streams for every decoder; an hour or two
	.ci/fuzz-long
	FUZZ_COUNT=1000000x FUZZ_GUIDED=1 FUZZ_ONLY='^internal/asm/' .ci/run fuzz
	go test ./codecs -run HostileStreams -hostile 1000000

interop: ## exchange random files with the real C-Blosc2
	.ci/run interop

foreign: ## 32 bits, arm64, big-endian, and without assembly
	.ci/run cpu32 arm64 s390x purego

golden: ## regenerate testdata/golden with the real C-Blosc2; PYTHON=‹interpreter with blosc2›
	$(PYTHON) testdata/golden/generate.py

bench: ## everything against C-Blosc2 and others, some hours; OUT=‹directory› DATA=‹directory of additional .npy files› PYTHON=‹interpreter with blosc2›
	bench/run $(if $(PYTHON),--python $(PYTHON)) $(if $(DATA),-data $(DATA)) -out $(or $(OUT),bench/.build/results)

bench-quick: ## the same with few data, in a few minutes
	bench/run $(if $(PYTHON),--python $(PYTHON)) $(if $(DATA),-data $(DATA)) -quick -out $(or $(OUT),bench/.build/quick)

demo: ## a tour that writes, reads and verifies a file
	go run ./cmd/cairn demo

ci: ## everything
	.ci/run

nightly: ## the gate, and more of what takes long; PATTERN=‹names of checks›
	.ci/nightly $(PATTERN)
