# utter: the two commands are `make demo` and `make test`.

PREFIX ?= /usr/local
# The command that is tried, installed and packed, and where the package goes.
PROGRAM = .build/release/utter
PACKAGES = .build
export PKG_CONFIG_PATH := $(HOME)/.local/lib/pkgconfig:/usr/local/lib/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))

# libvosk may lie where the loader does not look (~/.local/lib), so its folder is written into what is built.
# The shell of the recipe asks for it: before version 4.4, make does not export PKG_CONFIG_PATH to $(shell).
rpath = -Xlinker -rpath -Xlinker "$$(pkg-config --variable=libdir vosk)" -Xlinker -rpath -Xlinker '$$ORIGIN/../lib/utter'
# jemalloc stands in for the C library's malloc: libvosk makes and frees so many small pieces that it saves a tenth of the time.
# It comes first, so that it is the malloc that libvosk finds. The tests and the libraries do without.
release = -c release --static-swift-stdlib --product utter $(linker) -Xlinker -ljemalloc $(rpath)
# LLVM's linker, which comes with the toolchain, does not print the C library's warning about mktemp, which Foundation calls.
linker = -Xswiftc -use-ld=lld
# What a crash of a test prints has its files and lines. Without what else a debugger wants, the tests are built in four fifths of the
# time; LINES= builds them with it. An index of the sources, which takes a sixth of the time, is for editors, which make their own.
LINES = -Xswiftc -gline-tables-only
tests = $(LINES) --disable-index-store $(rpath)

# Where a user's systemd looks for units: of what lies in the home folder, in share.
units = $(PREFIX)/$(if $(filter $(HOME)/%,$(PREFIX)),share,lib)/systemd/user

.PHONY: demo build place install install-files install-units uninstall deb documentation check check-address check-thread fuzz fuzz-corpus \
	test test-long test-scripts coverage bench bench-quality bench-memos bench-speed soak setup setup-tests setup-bench

# A sentence of a novel, read by a volunteer of LibriVox, that shows what the second pass writes.
sentence = /usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav
second_pass = Models/whisper-tiny.en/model.gguf
# With make demo LANGUAGE=es: the model of 99 languages, and a message by a speaker of Asterisk's, where Debian has one, or for German a
# sentence by a synthetic voice. A variable of the environment means something else: the languages in which programs speak.
language = $(if $(filter command,$(firstword $(origin LANGUAGE))),$(firstword $(subst _, ,$(subst ., ,$(subst -, ,$(LANGUAGE))))))
base = $${XDG_DATA_HOME:-$$HOME/.local/share}/utter/models/whisper-base/model.gguf
spoken = $(if $(language),/usr/share/asterisk/sounds/$(language)_*/vm-intro.wav .build/demo/$(language).wav)

demo:
	@Scripts/setup --for-demo $(if $(language),--language "$(language)")
	@$(MAKE) --no-print-directory build
	@echo
	@echo "What is said in AudioFixtures/memo.wav:"
	@$(PROGRAM) transcribe --quiet --model Models/vosk-model-tiny-en --second-pass none AudioFixtures/memo.wav
	@if [ -e $(sentence) ] && [ -e $(second_pass) ] && Scripts/setup --where >/dev/null; then \
		echo; echo "A sentence of a novel, with a second pass:"; \
		$(PROGRAM) transcribe --quiet --model Models/vosk-model-tiny-en --second-pass $(second_pass) $(sentence) || exit 1; \
	fi
	@for recording in $(spoken); do \
		[ -e "$$recording" ] && [ -e $(base) ] || continue; \
		echo; echo "What is said in $$recording:"; \
		$(PROGRAM) transcribe --quiet --locale "$(language)" --second-pass $(base) "$$recording" || exit 1; \
	done
	@echo
	@echo "Now try: $(PROGRAM) transcribe --format srt AudioFixtures/memo.wav"
	@echo "         $(PROGRAM) memo      (speak, and Enter keeps it)"
	@echo "         $(PROGRAM) listen    (speech to lines, for pipes)"
	@echo "         $(PROGRAM) help"
	@echo "         make install PREFIX=$$HOME/.local, then utter transcribe FILE.wav"

build: setup place
	@swift build $(release)

setup:
	@Scripts/setup

setup-tests: place
	@Scripts/setup --for-tests

# What the compiler keeps of C's modules names the checkout's folder, and it refuses that in a checkout that was moved or copied. So it
# goes when the folder is not the one of before.
place:
	@mkdir -p .build; [ "$$(cat .build/place 2>/dev/null)" = "$(CURDIR)" ] || rm -rf .build/*/*/ModuleCache
	@printf '%s\n' "$(CURDIR)" >.build/place

# Puts the command, the catalog, the built-in models, the units, the manual page and the shells' completions under PREFIX (and that
# under DESTDIR, for packagers), and nothing else: see Scripts/install-files.
install: build install-files

installing = DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" UNITS="$(units)" PROGRAM="$(PROGRAM)" Scripts/install-files

install-files:
	@$(installing)

# Takes away what was installed, and nothing of the user's.
uninstall:
	@$(installing) --remove

# A service that keeps draining the outbox and a timer that drains now and then; each user enables one, or none.
install-units:
	@$(installing) --units

# A Debian package, in PACKAGES.
deb: build
	@PROGRAM="$(PROGRAM)" Scripts/build-package "$(PACKAGES)"

# The libraries' documentation, in .build/documentation, for a web server.
documentation: setup
	swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members
	for library in Audio Models Speech TextRules Outbox; do \
		rm -rf .build/symbols && mkdir -p .build/symbols .build/documentation && cp .build/*/symbolgraph/$$library*.json .build/symbols && \
		docc convert Sources/$$library/$$library.docc --additional-symbol-graph-dir .build/symbols --warnings-as-errors \
			--fallback-display-name $$library --fallback-bundle-identifier utter.$$library \
			--output-path .build/documentation/$$library || exit 1; \
	done

# The format of the sources (.swift-format) and of the scripts, and CONTRIBUTING's picture of the rooms and table of the tests' variables.
check:
	Scripts/check-variables
	Scripts/check-rooms
	Scripts/check-links *.md */*.md Sources/*/*.docc/*.md
	Scripts/check-tidy
	swift format lint --strict --parallel --recursive Sources Compatibility Tests Examples Fuzzing Package.swift
	for script in .ci/run Examples/*.sh $$(grep -l -d skip '^#!.*bash' Scripts/* Fuzzing/*); do bash -n "$$script" || exit 1; done
	for script in Benchmarks/*.py Tests/ScriptTests/*.py $$(grep -l -r '^#!.*python3' Scripts) Scripts/*/*.py; do python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$$script" || exit 1; done

# What every change runs: all libraries, and of the command what is quick. BUNDLES="AudioTests …" chooses. The product has the tests and
# the programs that they run, and no example.
test: setup-tests test-scripts
	@swift build --product utterPackageTests $(tests)
	@Scripts/run-tests $(tests)

# Everything, in full and with new random seeds, on the program that is installed: it is optimized and has jemalloc. REST=1 leaves out
# what does the same in both tiers and has just passed in `make test`, and two thirds of what it does more.
test-long: export UTTER_TIER = long
test-long: export UTTER_BINARY ?= $(CURDIR)/.build/release/utter
test-long: setup-tests test-scripts
	@Scripts/setup --with-korean
	@$(MAKE) --no-print-directory build
	@swift build --build-tests $(tests)
	@Scripts/run-tests --long $(if $(REST),--rest) $(tests)

# What is written in Python, and Scripts/setup: how the second pass's parts are fetched and made, and the benchmark's scores.
test-scripts: setup-tests
	@python3 -B -m unittest discover --buffer --start-directory Tests/ScriptTests --pattern '*_test.py'

# How much of each target the tests run, by lines; see Scripts/coverage.
coverage: setup-tests
	@Scripts/coverage $(rpath)

# The tests once more, built with AddressSanitizer or ThreadSanitizer in folders of their own; see Scripts/check-sanitized.
check-address check-thread: setup-tests
	@Scripts/check-sanitized $(@:check-%=%)

# What reads untrusted bytes, on inputs that libFuzzer makes up: each subject for SECONDS, after the corpus; see Fuzzing/run.
fuzz: SECONDS ?= 60
fuzz-corpus: override SECONDS = 0
fuzz fuzz-corpus: setup
	@Fuzzing/run --seconds $(SECONDS) $(SUBJECTS)

# One table: CPU, time and memory beside a minimal C program and vosk-transcriber, how soon live speech is answered, what the quick
# commands cost, and the outbox's queue beside SQLite; see Benchmarks/bench.py.
bench: setup-bench
	@$(MAKE) --no-print-directory build >&2
	@swift build -c release --static-swift-stdlib --product OutboxRig $(linker) $(rpath) >&2
	@python3 -B Benchmarks/bench.py

# How many words utter gets wrong, beside other recognizers, on the recordings at hand and those of FOLDERS; see Benchmarks/quality.py,
# whose options OPTIONS may have.
bench-quality: setup-bench
	@$(MAKE) --no-print-directory build >&2
	@python3 -B Benchmarks/quality.py $(OPTIONS) $(FOLDERS)

# Twenty free-form memos, as the first pass alone and as both write them, to be read; see Benchmarks/memos.py.
bench-memos: setup-bench
	@$(MAKE) --no-print-directory build >&2
	@python3 -B Benchmarks/memos.py $(OPTIONS) $(FOLDERS)

# How long a file takes with a second pass, beside other recognizers; see Benchmarks/speed.py.
bench-speed: setup-bench
	@$(MAKE) --no-print-directory build >&2
	@python3 -B Benchmarks/speed.py $(OPTIONS)

# Hours of sound through the live path and thousands of sessions; see Benchmarks/soak.py.
soak: setup-tests
	@$(MAKE) --no-print-directory build >&2
	@swift build --build-tests $(tests) >&2
	@python3 -B Benchmarks/soak.py

setup-bench:
	@Scripts/setup --for-bench
