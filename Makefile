# utter: the two commands are `make demo` and `make test`.

PREFIX ?= /usr/local
export PKG_CONFIG_PATH := $(HOME)/.local/lib/pkgconfig:/usr/local/lib/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))

# libvosk may lie where the loader does not look (~/.local/lib), so its folder is written into what is built.
# The shell of the recipe asks for it: before version 4.4, make does not export PKG_CONFIG_PATH to $(shell).
rpath = -Xlinker -rpath -Xlinker "$$(pkg-config --variable=libdir vosk)"
release = -c release --static-swift-stdlib --product utter $(rpath)

.PHONY: demo build test bench setup setup-tests setup-bench

demo: build
	@echo
	@.build/release/utter transcribe AudioFixtures/memo.wav

build: setup
	@swift build $(release)

setup:
	@Scripts/setup

setup-tests:
	@Scripts/setup --for-tests --with-korean

test: setup-tests
	swift build --build-tests $(rpath)
	swift test --skip-build $(rpath)

# CPU, time and memory beside a minimal C program and vosk-transcriber; see Benchmarks/bench.py.
bench: setup-bench
	@$(MAKE) --no-print-directory build >&2
	@Benchmarks/bench.py

setup-bench:
	@Scripts/setup --for-bench
