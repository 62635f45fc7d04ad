package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/ir/diag"
)

// TestEveryCode holds that each diagnostic stands in a case, in the words in which users see it.
func TestEveryCode(t *testing.T) {
	var all strings.Builder
	for _, dir := range []string{"cases", "habits"} {
		paths, err := filepath.Glob(dir + "/*.txtar")
		if err != nil || len(paths) == 0 {
			t.Fatal("no cases in "+dir, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	for _, info := range diag.Infos() {
		if info.Code == diag.NoFile { // has the operating system's words
			continue
		}
		if !strings.Contains(all.String(), "["+string(info.Code)+"]") {
			t.Errorf("no case shows %s: %s", info.Code, info.Title)
		}
	}
}
