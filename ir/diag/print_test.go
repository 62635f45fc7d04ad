package diag

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

var file = strings.Split("steps:\n  - id: a\n    stdin: $colect.stdout\n    run: 日本 x\n\tlast", "\n")

func line(_ string, n int) string {
	if n < 1 || n > len(file) {
		return ""
	}
	return file[n-1]
}

func at(l, c int) Pos { return Pos{"dir/f.lobster", l, c} }

func sample() List {
	return List{
		{Code: UnknownStep, Span: Span{at(3, 12), at(3, 26)}, Message: `unknown step "colect"`, Hint: `did you mean "collect"?`,
			Notes: []Note{{Span{at(2, 9), at(2, 10)}, "it stands here"}}, Edits: []Edit{{Span: Span{at(3, 13), at(3, 19)}, NewText: "collect", Safe: true}}},
		{Code: UnknownKey, Severity: Warning, Span: Span{Start: at(4, 13)}, Message: "50% off, a:b"},
		{Code: NoFile, Message: "workflow file not found: x", Hint: "look again"},
	}
}

func TestText(t *testing.T) {
	want := `dir/f.lobster:3:12: error[E0203]: unknown step "colect"
  3 |     stdin: $colect.stdout
    |            ^^^^^^^^^^^^^^ did you mean "collect"?
  dir/f.lobster:2:9: note: it stands here
  2 |   - id: a
    |         ^
dir/f.lobster:4:13: warning[W0310]: 50% off, a:b
  4 |     run: 日本 x
    |               ^
error[E0101]: workflow file not found: x
    look again
`
	var b strings.Builder
	if err := Text(&b, sample(), line, false); err != nil || b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := Text(&b, sample()[:1], line, true); err != nil || !strings.Contains(b.String(), "\x1b[1;31merror[E0203]:\x1b[0m") {
		t.Errorf("%q", b.String())
	}
}

// TestTextLongLine: a place far to the right is still shown, and no line is wider than the window.
func TestTextLongLine(t *testing.T) {
	long := strings.Repeat("abcdefghij", 1000)
	var b strings.Builder
	list := List{{Code: BadSyntax, Span: Span{at(1, 5001), at(1, 5006)}, Message: "m"}}
	if err := Text(&b, list, func(string, int) string { return long }, false); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(b.String(), "\n")
	column := strings.Index(rows[2], "^^^^^")
	shown, marked := []rune(rows[1]), []rune(rows[2])
	if column < 0 || len(shown) > window+10 || string(shown[len(marked)-5:len(marked)]) != "abcde" {
		t.Errorf("%s", b.String())
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := JSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	v, err := value.ParseString(b.String())
	if err != nil {
		t.Fatal(err)
	}
	first := v.Get("diagnostics").At(0).JSON()
	want := `{"code":"E0203","severity":"error","message":"unknown step \"colect\"","hint":"did you mean \"collect\"?","file":"dir/f.lobster","line":3,"column":12,"endLine":3,"endColumn":26,` +
		`"notes":[{"message":"it stands here","file":"dir/f.lobster","line":2,"column":9,"endLine":2,"endColumn":10}],` +
		`"edits":[{"file":"dir/f.lobster","line":3,"column":13,"endLine":3,"endColumn":19,"newText":"collect","safe":true}]}`
	if first != want || v.Get("errors").Float() != 2 || v.Get("warnings").Float() != 1 {
		t.Errorf("got\n%s", b.String())
	}
}

func TestGitHub(t *testing.T) {
	want := `::error file=dir/f.lobster,line=3,col=12,endLine=3,endColumn=26,title=E0203::unknown step "colect"%0Adid you mean "collect"?
::warning file=dir/f.lobster,line=4,col=13,title=W0310::50%25 off, a:b
::error title=E0101::workflow file not found: x%0Alook again
`
	var b strings.Builder
	if err := GitHub(&b, sample()); err != nil || b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// TestSARIF reads the log back and looks at what consumers rely on.
func TestSARIF(t *testing.T) {
	var b strings.Builder
	if err := SARIF(&b, sample(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndColumn int }
					}
				}
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct{ InsertedContent struct{ Text string } }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	first := run.Results[0]
	place := first.Locations[0].PhysicalLocation
	if log.Version != "2.1.0" || len(run.Results) != 3 || first.Level != "error" || place.ArtifactLocation.URI != "dir/f.lobster" ||
		place.Region.StartLine != 3 || place.Region.StartColumn != 12 || place.Region.EndColumn != 26 ||
		first.Fixes[0].ArtifactChanges[0].Replacements[0].InsertedContent.Text != "collect" || len(run.Results[2].Locations) != 0 {
		t.Errorf("%s", b.String())
	}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s points to rule %d", r.RuleID, r.RuleIndex)
		}
	}
}

func TestFix(t *testing.T) {
	text := "\ufeffa: é # c\r\n  b: $colect.x\r\n"
	edit := func(l, c, end int, s string, safe bool) Diagnostic {
		e := Edit{Span: Span{Start: at(l, c)}, NewText: s, Safe: safe}
		if end > 0 {
			e.Span.End = at(l, end)
		}
		return Diagnostic{Edits: []Edit{e}}
	}
	list := List{edit(2, 7, 13, "collect", true), edit(1, 4, 5, "e", true), edit(1, 1, 2, "no", false), edit(2, 8, 9, "overlap", true), edit(2, 3, 0, "x", true), edit(9, 1, 2, "nowhere", true)}
	got, n := Fix([]byte(text), "dir/f.lobster", list)
	if want := "\ufeffa: e # c\r\n  xb: $collect.x\r\n"; string(got) != want || n != 3 {
		t.Errorf("%d: %q", n, got)
	}
	if got, n := Fix([]byte(text), "other", list); string(got) != text || n != 0 {
		t.Errorf("%d: %q", n, got)
	}
}

// TestCodes: each code is explained once, in the group that its letter says.
func TestCodes(t *testing.T) {
	seen := map[Code]bool{}
	for _, info := range Infos() {
		if seen[info.Code] || info.Title == "" || info.Text == "" || !strings.HasPrefix(string(info.Code), "E") && !strings.HasPrefix(string(info.Code), "W") {
			t.Errorf("%+v", info)
		}
		if info.Compilable && info.Code[0] == 'W' {
			t.Errorf("%s is a warning and cannot be turned into one", info.Code)
		}
		seen[info.Code] = true
	}
}

// TestCodesDeclared: no constant was declared without an explanation.
func TestCodesDeclared(t *testing.T) {
	files, err := filepath.Glob("codes*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			if _, ok := Explain(Code(m[1])); !ok {
				t.Errorf("%s is not explained", m[1])
			}
		}
	}
}
