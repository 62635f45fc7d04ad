package syntax

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/ir/diag"
)

const openQuoteMessage = "a quote is never closed"

const blockHint = "write it as a block scalar: key: | and the text indented below"

const quoteHint = "quote the value, or write it as a block scalar (key: | and the text indented below)"

// yamlProblems translates yaml.v3's messages. find, when set, gives the column (0-based byte) of the culprit in a line, or -1.
var yamlProblems = []struct {
	part    string
	message string
	hint    string
	find    func(line string) int
}{
	{"mapping values are not allowed", "a value that is not quoted cannot hold \": \"", quoteHint, findInnerColon},
	{"did not find expected key", "this line does not fit its surroundings: an indentation, a quote or a bracket is wrong nearby", "", findText},
	{"did not find expected '-' indicator", "a list item must start with \"- \" at the indentation of the items above", "", findText},
	{"could not find expected ':'", "a key needs a colon and a space behind it", "", findText},
	{"block sequence entries are not allowed", "a list cannot start on this line", "put the first \"- \" on a line of its own", findDash},
	{"found unexpected end of stream", openQuoteMessage, "", findQuote},
	{"found unexpected document indicator", openQuoteMessage, "", findQuote},
	{"cannot start any token", "a value that is not quoted cannot start with this character", quoteHint, findBadStart},
	{"found unknown escape character", "an unknown escape sequence in double quotes", "write \\\\ for a backslash, or use single quotes", findEscape},
	{"did not find expected hexdecimal number", "an escape sequence lacks its hexadecimal digits", "", findEscape},
	{"did not find expected ',' or ']'", "a list in brackets is not closed, or an item of it needs quotes", "quote a text that starts with [", findBracket},
	{"did not find expected ',' or '}'", "a mapping in braces is not closed, or a value of it needs quotes", "quote a text that starts with {", findBracket},
	{"did not find expected node content", "a value is missing here", "", findText},
	{"found undefined tag handle", "an unknown tag; quote a text that starts with !", quoteHint, findTag},
	{"did not find expected whitespace or line break", "a character stands where white space is expected", quoteHint, findTag},
	{"did not find expected alphabetic or numeric character", "an anchor or alias needs a name; quote a text that starts with & or *", quoteHint, findAnchor},
	{"did not find expected comment or line break", "a block scalar starts on the line below | or >", "", findBlock},
	{"found a tab character", "a tab cannot indent", "use spaces", findTab},
	{"control characters are not allowed", "a control character stands in the text", "write it as an escape in double quotes", nil},
	{"exceeded max depth", "the values are nested too deeply", "", nil},
}

var (
	yamlLine    = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)`)
	yamlUnknown = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

// explainYAML turns an error of yaml.v3 into a diagnostic: its line number may be one off, and it has no column.
func explainYAML(src *Source, err error) diag.Diagnostic {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	line = min(max(line, 1), len(src.lines))
	if u := yamlUnknown.FindStringSubmatch(m[2]); u != nil {
		at := max(strings.Index(string(src.Text), "*"+u[1]), 0)
		return diag.Diagnostic{Code: diag.BadAlias, Span: src.Span(at, at+1+len(u[1])),
			Message: "the alias *" + u[1] + " has no anchor &" + u[1] + " before it", Hint: "quote a text that starts with *"}
	}
	open, trailing := suspects(src)
	for _, p := range yamlProblems {
		if !strings.Contains(m[2], p.part) {
			continue
		}
		d := diag.Diagnostic{Code: diag.BadSyntax, Message: p.message, Hint: p.hint}
		switch {
		case p.message == openQuoteMessage && open != nil:
			d.Span = *open
		case trailing != nil && !strings.Contains(p.part, "mapping values"):
			d.Span, d.Message, d.Hint = *trailing, "text follows where the value ended: a value that starts with a quote or a bracket ends with it", blockHint
		default:
			d.Span = locate(src, line, p.find)
			if at := d.Span.Start; at.IsValid() && strings.HasPrefix(p.part, "cannot start") && strings.HasPrefix(strings.TrimLeft(src.Line(at.Line), " "), "\t") {
				d.Message, d.Hint = "a tab cannot indent", "indent with spaces"
			}
			if strings.Contains(p.part, "mapping values") {
				d.Edits = blockEdit(src, d.Span.Start)
			}
		}
		return d
	}
	at := src.lines[line-1]
	return diag.Diagnostic{Code: diag.BadSyntax, Span: src.Span(at, at), Message: "not valid YAML: " + m[2]}
}

var keyValue = regexp.MustCompile(`^(\s*(?:- +)*)[\w-]+: +(\S.*?)\s*$`)

// blockEdit writes the value of the line at p as a block scalar. There is none when the line may hold a comment, or
// something else than a key and its whole value.
func blockEdit(src *Source, p diag.Pos) []diag.Edit {
	line := src.Line(p.Line)
	m := keyValue.FindStringSubmatchIndex(line)
	if m == nil || findInnerColon(line) < 0 || strings.Contains(line, " #") {
		return nil
	}
	next := src.Line(p.Line + 1)
	if indent := len(next) - len(strings.TrimLeft(next, " ")); indent > m[3] && indent < len(next) {
		return nil // the value goes on
	}
	start := src.lines[p.Line-1]
	return []diag.Edit{{Span: src.Span(start+m[4], start+len(line)), Safe: true,
		NewText: "|-\n" + strings.Repeat(" ", m[3]+2) + line[m[4]:m[5]]}}
}

var (
	blockStart = regexp.MustCompile(`(?:^|[:\-] +)[|>][0-9+-]*\s*(?:#.*)?$`)
	valueStart = regexp.MustCompile(`^\s*(?:- +)*(?:[^\s"'#\[{][^:]*: +)?(["'\[{])`)
)

// suspects reads the file line by line, block scalars left out: open is the last value whose quote does not close on its
// line, trailing the first value that starts with a quote or bracket and goes on behind the end of it.
func suspects(src *Source) (open, trailing *diag.Span) {
	block := -1
	for n := 1; n <= len(src.lines); n++ {
		line := src.Line(n)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if block >= 0 && (indent > block || strings.TrimSpace(line) == "") {
			continue
		}
		block = -1
		if blockStart.MatchString(line) {
			block = indent
			continue
		}
		m := valueStart.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		at := src.lines[n-1] + m[2]
		span := src.Span(at, at+1)
		rest, closed := afterValue(line[m[2]:])
		rest = strings.TrimSpace(rest)
		switch {
		case !closed && (line[m[2]] == '"' || line[m[2]] == '\''):
			open = &span
		case closed && trailing == nil && rest != "" && rest[0] != '#' && rest[0] != ':' && rest[0] != ',':
			trailing = &span
		}
	}
	return open, trailing
}

// afterValue is what follows the quoted or bracketed value that s starts with.
func afterValue(s string) (rest string, closed bool) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth == 0 && quote == 0 {
			if i+1 < len(s) && s[0] == '\'' && s[i+1] == '\'' {
				continue
			}
			return s[i+1:], true
		}
	}
	return "", false
}

// locate looks for the culprit in the line that yaml.v3 names, then in its neighbours.
func locate(src *Source, line int, find func(string) int) diag.Span {
	if find != nil {
		for _, n := range []int{line, line + 1, line - 1} {
			if n < 1 || n > len(src.lines) {
				continue
			}
			if col := find(src.Line(n)); col >= 0 {
				at := src.lines[n-1] + col
				return src.Span(at, at+1)
			}
		}
	}
	at := src.lines[line-1] + len(src.Line(line)) - len(strings.TrimLeft(src.Line(line), " \t"))
	return src.Span(at, at)
}

var (
	innerColon = regexp.MustCompile(`^[\s-]*[^\s"'{\[|>#][^:]*:\s+[^"'{\[|>&*!#\s].*?(:)(?:\s|$)`)
	badStart   = regexp.MustCompile("(?:^|: |- )\\s*([@`%])|^ *(\t)")
	openQuote  = regexp.MustCompile(`(?:^|[:\-,\[{] *)(["'])`)
	badEscape  = regexp.MustCompile(`(\\)[^0abtnvfre "/\\N_LPxuU\t]`)
	firstText  = regexp.MustCompile(`^\s*(\S)`)
)

func group(re *regexp.Regexp, line string) int {
	m := re.FindStringSubmatchIndex(line)
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return m[i]
		}
	}
	return -1
}

func findInnerColon(line string) int { return group(innerColon, line) }
func findText(line string) int       { return group(firstText, line) }
func findBadStart(line string) int   { return group(badStart, line) }
func findQuote(line string) int      { return group(openQuote, line) }
func findBracket(line string) int    { return strings.IndexAny(line, "[{") }
func findAnchor(line string) int     { return strings.IndexAny(line, "&*") }
func findTag(line string) int        { return strings.IndexByte(line, '!') }
func findBlock(line string) int      { return strings.IndexAny(line, "|>") }
func findTab(line string) int        { return strings.IndexByte(line, '\t') }

func findEscape(line string) int {
	if at := group(badEscape, line); at >= 0 {
		return at
	}
	return strings.IndexByte(line, '\\')
}

func findDash(line string) int {
	if at := strings.Index(line, ": - "); at >= 0 {
		return at + 2
	}
	return findText(line)
}
