package diag

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// SARIF prints a SARIF 2.1.0 log with one run; version is lobsterc's.
func SARIF(w io.Writer, list List, version string) error {
	rules, index := sarifRules(list)
	results := make([]value.Value, len(list))
	for i, d := range list {
		results[i] = sarifResult(d, index[d.Code])
	}
	driver := value.Object(value.M("name", value.String("lobsterc")), value.M("version", value.String(version)),
		value.M("rules", value.Array(rules...)))
	run := value.Object(value.M("tool", value.Object(value.M("driver", driver))),
		value.M("columnKind", value.String("unicodeCodePoints")), value.M("results", value.Array(results...)))
	log := value.Object(value.M("$schema", value.String("https://json.schemastore.org/sarif-2.1.0.json")),
		value.M("version", value.String("2.1.0")), value.M("runs", value.Array(run)))
	_, err := io.WriteString(w, log.Indent()+"\n")
	return err
}

func message(text string) value.Value { return value.Object(value.M("text", value.String(text))) }

// level is the SARIF word for a severity.
func level(s Severity) value.Value { return value.String(s.String()) }

// sarifRules are the codes that the list uses, and where each stands.
func sarifRules(list List) (rules []value.Value, index map[Code]int) {
	index = map[Code]int{}
	var codes []Code
	for _, d := range list {
		if !slices.Contains(codes, d.Code) {
			codes = append(codes, d.Code)
		}
	}
	slices.Sort(codes)
	for i, code := range codes {
		index[code] = i
		info, _ := Explain(code)
		severity := Error
		if code[0] == 'W' {
			severity = Warning
		}
		rules = append(rules, object(value.M("id", value.String(string(code))), value.M("shortDescription", message(info.Title)),
			value.M("fullDescription", message(info.Text)),
			value.M("defaultConfiguration", value.Object(value.M("level", level(severity))))))
	}
	return rules, index
}

func sarifResult(d Diagnostic, rule int) value.Value {
	text := d.Message
	if d.Hint != "" {
		text += "\n" + d.Hint
	}
	var locations, related, fixes []value.Value
	if d.Span.Start.File != "" {
		locations = append(locations, sarifLocation(d.Span, ""))
	}
	for _, n := range d.Notes {
		related = append(related, sarifLocation(n.Span, n.Message))
	}
	if len(d.Edits) > 0 {
		fixes = append(fixes, sarifFix(d))
	}
	return object(value.M("ruleId", value.String(string(d.Code))), value.M("ruleIndex", value.Int(int64(rule))), value.M("level", level(d.Severity)),
		value.M("message", message(text)), value.M("locations", array(locations)), value.M("relatedLocations", array(related)),
		value.M("fixes", array(fixes)))
}

func artifact(file string) value.Value {
	return value.Object(value.M("uri", value.String((&url.URL{Path: filepath.ToSlash(file)}).EscapedPath())))
}

func region(s Span) value.Value {
	if !s.Start.IsValid() {
		return value.Value{}
	}
	return object(value.M("startLine", number(s.Start.Line)), value.M("startColumn", number(s.Start.Column)),
		value.M("endLine", number(s.End.Line)), value.M("endColumn", number(s.End.Column)))
}

func sarifLocation(s Span, note string) value.Value {
	var text value.Value
	if note != "" {
		text = message(note)
	}
	return object(value.M("physicalLocation", object(value.M("artifactLocation", artifact(s.Start.File)), value.M("region", region(s)))),
		value.M("message", text))
}

func sarifFix(d Diagnostic) value.Value {
	var replacements []value.Value
	for _, e := range d.Edits {
		replacements = append(replacements, value.Object(value.M("deletedRegion", region(e.Span)), value.M("insertedContent", message(e.NewText))))
	}
	change := value.Object(value.M("artifactLocation", artifact(d.Edits[0].Span.Start.File)), value.M("replacements", value.Array(replacements...)))
	return object(value.M("description", message(d.Hint)), value.M("artifactChanges", value.Array(change)))
}
