package drive

// OpenText expands the reference $id.path that text starts with; the rest stays. It is for references that an argument continues
// ($fetch.json.${field}), whose path is only known now.
func (r *Run) OpenText(text string) string {
	end := 1
	for end < len(text) && (text[end] == '-' || isField(text[end])) {
		end++
	}
	if end == 1 || end == len(text) {
		return text
	}
	id := text[1:end]
	var path []string
	for end < len(text) && text[end] == '.' {
		next := end + 1
		for next < len(text) && isField(text[next]) {
			next++
		}
		if next == end+1 {
			break
		}
		path = append(path, text[end+1:next])
		end = next
	}
	if path == nil {
		return text
	}
	return r.Text(id, path[0], path[1:]...) + text[end:]
}

// isField tells whether c can stand in a field's name.
func isField(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
