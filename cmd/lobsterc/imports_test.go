package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lobsterc/lobsterc/"

// may says what each package of ours may import of ours. Imports point down only: the table is the layout of
// docs/architecture.md, and a package that is not in it fails the test. A name that ends in /... stands for a tree.
var may = map[string]string{
	"cmd/lobsterc":   "cmd/cli",
	"cmd/cli":        "codegen compiler compiler/... ir ir/diag runtime/intent runtime/mcp runtime/proc runtime/state runtime/value",
	"cmd/thirdparty": "compiler/gobuild",

	"compiler":            "compiler/... ir ir/diag runtime/value",
	"compiler/catalog":    "ir ir/diag",
	"compiler/effects":    "compiler/catalog ir ir/diag runtime/value",
	"compiler/editor":     "compiler/catalog compiler/syntax ir ir/diag runtime/value",
	"compiler/expr":       "compiler/catalog ir ir/diag runtime/value",
	"compiler/gobuild":    "runtime runtime/blob",
	"compiler/graph":      "compiler/catalog compiler/effects ir runtime/graph runtime/value",
	"compiler/hoststages": "compiler/catalog compiler/gobuild runtime/value",
	"compiler/lint":       "compiler/catalog compiler/effects compiler/syntax ir ir/diag runtime/value",
	"compiler/lower":      "compiler/catalog compiler/expr compiler/pipeline compiler/syntax ir ir/diag runtime/schema runtime/value",
	"compiler/pipeline":   "compiler/catalog compiler/expr ir ir/diag runtime/schema runtime/stage/parse runtime/value",
	"compiler/syntax":     "ir/diag runtime/value",

	"codegen": "compiler/catalog ir ir/diag runtime/blob runtime/stage/parse runtime/value",
	"ir":      "ir/diag runtime/value",
	"ir/diag": "runtime/value",

	"runtime":            "runtime/halt runtime/blob runtime/crash runtime/drive runtime/flow runtime/graph runtime/intent runtime/local runtime/proc runtime/state runtime/plain runtime/flags runtime/value",
	"runtime/local":      "runtime/crash runtime/drive runtime/flow runtime/halt runtime/proc runtime/plain runtime/value",
	"runtime/drive":      "runtime/flow runtime/plain runtime/value",
	"runtime/flow":       "runtime/plain runtime/value",
	"runtime/value":      "",
	"runtime/halt":       "runtime/flow runtime/plain runtime/state runtime/value",
	"runtime/sdk":        "runtime/flow runtime/halt runtime/plain runtime/stage runtime/state runtime/value",
	"runtime/host":       "",
	"runtime/host/spec":  "runtime/flow runtime/host runtime/stage runtime/value",
	"runtime/state":      "runtime/plain runtime/proc runtime/value",
	"runtime/proc":       "runtime/crash runtime/plain",
	"runtime/crash":      "",
	"runtime/blob":       "",
	"runtime/graph":      "runtime/plain runtime/value",
	"runtime/intent":     "runtime/plain runtime/value",
	"runtime/cost":       "runtime/drive runtime/flow runtime/state runtime/value",
	"runtime/schema":     "runtime/flow runtime/value",
	"runtime/stage":      "runtime/flow runtime/proc runtime/state runtime/plain runtime/value",
	"runtime/stage/...":  "runtime/flow runtime/plain runtime/stage/... runtime/stage runtime/value",
	"runtime/agent":      "runtime/flow runtime/proc runtime/value",
	"runtime/mail":       "runtime/flow runtime/proc runtime/value",
	"runtime/net/...":    "runtime/flags runtime/plain runtime/net/... runtime/flow runtime/mail runtime/proc runtime/schema runtime/state runtime/value",
	"runtime/mcp":        "runtime runtime/...",
	"golden/...":         "cmd/... compiler compiler/... codegen ir ir/... runtime runtime/... golden/...",
	"runtime/plain":      "",
	"runtime/flags":      "runtime/plain",
	"runtime/thirdparty": "",
}

// TestImportTable holds every package against the table.
func TestImportTable(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		row, ok := rowOf(name)
		if !ok {
			t.Errorf("%s is not in the table", name)
			continue
		}
		for _, imp := range p.Imports {
			if own, ok := strings.CutPrefix(imp, module); ok && !slices.ContainsFunc(strings.Fields(row), func(m string) bool { return matches(m, own) }) {
				t.Errorf("%s imports %s, which the table does not let it", name, own)
			}
		}
	}
}

func rowOf(name string) (row string, ok bool) {
	if row, ok = may[name]; ok {
		return row, true
	}
	for pattern, row := range may {
		if strings.HasSuffix(pattern, "/...") && matches(pattern, name) {
			return row, true
		}
	}
	return "", false
}

// matches tells whether a package is the one, or in the tree, that pattern names.
func matches(pattern, name string) bool {
	tree, ok := strings.CutSuffix(pattern, "/...")
	return name == pattern || ok && (name == tree || strings.HasPrefix(name, tree+"/"))
}

// driverImports are the only packages of the standard library that the driver may use: it has no clock, no random, no
// files, no processes (docs/architecture.md).
var driverImports = []string{"context", "errors", "fmt", "path", "strconv", "strings", "time", "unicode/utf16", "math"}

func TestDriverIsPure(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, module+"runtime/drive").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range strings.Fields(string(out)) {
		if !strings.HasPrefix(imp, module) && !slices.Contains(driverImports, imp) {
			t.Errorf("runtime/drive imports %s", imp)
		}
	}
	sources, err := exec.Command("grep", "-nE", `time\.(Now|After|Sleep|NewTimer|Since)|go func|make\(chan`, "-r", "--include=*.go", "--exclude=*_test.go", "../../runtime/drive").Output()
	if err == nil {
		t.Errorf("runtime/drive looks at the clock or starts goroutines:\n%s", sources)
	}
}
