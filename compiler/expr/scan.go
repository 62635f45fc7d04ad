package expr

// Letters of names. Ids may hold a dash, fields may not.
func isFieldByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isIDByte(c byte) bool { return c == '-' || isFieldByte(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isSpace is JavaScript's white space.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}

// while gives the end of the run of bytes from i on for which ok is true.
func while(text string, i int, ok func(byte) bool) int {
	for i < len(text) && ok(text[i]) {
		i++
	}
	return i
}

// scanRef reads $id.field.path at offset i, where a $ stands. It takes as much as it can: "$a.json." is $a.json and a dot.
func scanRef(text string, i int) (id string, path []string, end int, ok bool) {
	end = while(text, i+1, isIDByte)
	if end == i+1 {
		return "", nil, i, false
	}
	id = text[i+1 : end]
	for end < len(text) && text[end] == '.' {
		next := while(text, end+1, isFieldByte)
		if next == end+1 {
			break
		}
		path = append(path, text[end+1:next])
		end = next
	}
	return id, path, end, path != nil
}

// scanArg reads ${name} at offset i.
func scanArg(text string, i int) (name string, end int, ok bool) {
	if i+1 >= len(text) || text[i] != '$' || text[i+1] != '{' {
		return "", i, false
	}
	end = while(text, i+2, isIDByte)
	if end == i+2 || end >= len(text) || text[end] != '}' {
		return "", i, false
	}
	return text[i+2 : end], end + 1, true
}
