package golden

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCompatibility holds docs/compatibility.md against the cases, both ways.
func TestCompatibility(t *testing.T) {
	text, err := os.ReadFile("../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, name := range regexp.MustCompile(`deviation-[a-z-]+`).FindAllString(string(text), -1) {
		listed[name] = true
		if _, err := os.Stat("cases/" + name + ".txtar"); err != nil {
			t.Errorf("docs/compatibility.md names %s, and there is no such case", name)
		}
	}
	for _, name := range regexp.MustCompile(`scripts/[a-z-]+`).FindAllString(string(text), -1) {
		if _, err := os.Stat(name + ".txtar"); err != nil {
			t.Errorf("docs/compatibility.md names %s, and there is no such script", name)
		}
	}
	paths, err := filepath.Glob("cases/deviation-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if name := strings.TrimSuffix(filepath.Base(path), ".txtar"); !listed[name] {
			t.Errorf("docs/compatibility.md does not list %s", name)
		}
	}
}
