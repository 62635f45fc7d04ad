// Package blob marks data inside an executable, so that the compiler can read it out of the file without running it: what a
// program was built from, and its IR.
//
// A marked constant is a header followed by the data. The header starts with a zero byte, which neither JSON nor a readable
// string constant holds, and gives the data's length, since the linker puts constants next to each other without an end.
package blob

import (
	"bytes"
	"strconv"
	"strings"
)

// The kinds of data in a program.
const (
	Provenance = "prov"
	IR         = "ir"
)

const (
	magic    = "\x00lobsterc:"
	maxDigit = 10
)

// Mark is the header for n bytes of data.
func Mark(kind string, n int) string {
	digits := strconv.Itoa(n)
	return magic + kind + ":" + strings.Repeat("0", maxDigit-len(digits)) + digits + ":"
}

// Body is the data of a marked constant; text without a header is its own body.
func Body(marked string) string {
	rest, ok := strings.CutPrefix(marked, magic)
	if !ok {
		return marked
	}
	_, rest, _ = strings.Cut(rest, ":")
	_, rest, _ = strings.Cut(rest, ":")
	return rest
}

// Find gives every piece of data of a kind in a file's bytes, in the order in which they stand.
func Find(file []byte, kind string) [][]byte {
	var found [][]byte
	head := []byte(magic + kind + ":")
	for {
		i := bytes.Index(file, head)
		if i < 0 {
			return found
		}
		file = file[i+len(head):]
		if len(file) <= maxDigit || file[maxDigit] != ':' {
			continue
		}
		n, err := strconv.Atoi(string(file[:maxDigit]))
		if err != nil || n < 0 || n > len(file)-maxDigit-1 {
			continue
		}
		found = append(found, file[maxDigit+1:maxDigit+1+n])
	}
}
