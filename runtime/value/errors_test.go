package value

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// TestSyntaxErrors compares messages with those that Node 22's JSON.parse gave: testdata/errors.txt holds a JSON text as
// a JSON string, a tab, and the message as a JSON string.
func TestSyntaxErrors(t *testing.T) {
	file, err := os.Open("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		in, want, _ := strings.Cut(lines.Text(), "\t")
		text, message := mustParse(t, in).Str(), mustParse(t, want).Str()
		_, err := ParseString(text)
		if err == nil {
			t.Errorf("%s is accepted, want %s", in, message)
		} else if got := err.Error(); got != ToUTF8(message) && got != message {
			t.Errorf("%s:\n got %s\nwant %s", in, got, message)
		}
	}
	if n < 100 {
		t.Errorf("only %d cases were read", n)
	}
}
