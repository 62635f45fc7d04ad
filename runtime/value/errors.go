package value

import "strconv"

// SyntaxError says where and why a text is not JSON.
type SyntaxError struct {
	Offset int64 // in bytes
	Reason string
}

func (e *SyntaxError) Error() string { return e.Reason }

// syntaxError explains why the scan of s stopped at the position at.
func syntaxError(s string, at int, st status) error {
	e := &SyntaxError{Offset: int64(at)}
	switch {
	case st == scanDeep:
		e.Reason = "JSON is nested deeper than " + strconv.Itoa(MaxDepth) + " levels"
	case st == scanMore || at >= len(s):
		e.Reason = "Unexpected end of JSON input"
	default:
		e.Reason = "Unexpected token in JSON at position " + strconv.Itoa(at)
	}
	return e
}
