package filter

// isASCII tells whether every byte of s is one UTF-16 unit.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
