package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/graph"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// TestFromFile compares with what the reference's graph command printed for the files in testdata.
func TestFromFile(t *testing.T) {
	args, err := value.ParseString(`{"a":"A","b-c":"$1 $& x","x":"v | \"q\""}`)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/*.json")
	if len(files) < 4 {
		t.Fatal("no test data")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := value.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range graph.Formats {
			want, err := os.ReadFile(strings.TrimSuffix(file, "json") + format)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := FromFile(v, args).Render(format); !ok || got != string(want) {
				t.Errorf("%s as %s:\n%s\nwant\n%s", file, format, got, want)
			}
		}
	}
}
