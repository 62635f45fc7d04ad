# lobsterc. `make help` lists what there is.

GO      ?= go
PREFIX  ?= $(shell $(GO) env GOPATH)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X github.com/lobsterc/lobsterc/cmd/cli.Version=$(VERSION)
ARCHIVE  = runtime/thirdparty/archive.zip

.PHONY: help build test check golden golden-update fuzz bench torture demo install dist clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

# The third-party sources that compiled programs are built with travel inside lobsterc; see runtime/thirdparty/README.md.
$(ARCHIVE): go.mod runtime/thirdparty/manifest.txt
	$(GO) run ./cmd/thirdparty

build: $(ARCHIVE) ## make bin/lobsterc
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/lobsterc ./cmd/lobsterc

test: build ## run the tests
	$(GO) test ./...

check: build ## everything that must hold before a change lands
	.ci/check

golden: build ## run the golden cases and command scripts
	$(GO) test ./golden/...

golden-update: build ## rewrite the generated parts of the golden cases
	$(GO) test ./golden -run TestCases -update

fuzz: $(ARCHIVE) ## run each fuzzer for FUZZTIME (60s)
	.ci/fuzz $(or $(FUZZTIME),60s)

bench: build ## measure, side by side with what it is compared to
	$(GO) run ./golden/bench

torture: build ## kill runs at random moments, many times
	$(GO) test ./golden/torture -torture 1000 -every 1 -timeout 60m

demo: build ## triage a mail folder: stop for approval, approve, show what changed
	golden/examples/inbox-triage/demo.sh

install: build ## put lobsterc into PREFIX/bin and warm the caches
	install -d $(PREFIX)/bin
	install -m 755 bin/lobsterc $(PREFIX)/bin/lobsterc
	$(PREFIX)/bin/lobsterc warm

dist: $(ARCHIVE) ## make release archives with checksums and an SBOM
	VERSION=$(VERSION) .ci/dist

clean: ## remove what was built
	rm -rf bin dist $(ARCHIVE)
