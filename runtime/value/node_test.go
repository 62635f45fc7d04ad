package value

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	nodeCases  = flag.Int("node-cases", 5000, "how many random texts TestLikeNode compares with Node")
	nodeSeed   = flag.Uint64("node-seed", 1, "seed of TestLikeNode")
	nodeRecord = flag.Bool("node-record", false, "write testdata/node.txt, which TestLikeNode uses where there is no Node")
)

// TestLikeNode compares what is read and written, and the messages about what is refused, with Node.
func TestLikeNode(t *testing.T) {
	r := rand.New(rand.NewPCG(*nodeSeed, 2))
	texts := classes()
	for i := range *nodeCases {
		if i%4 == 3 {
			texts = append(texts, brokenJSON(r))
		} else {
			texts = append(texts, randomJSON(r))
		}
	}
	answers := askNode(t, texts)
	if answers == nil {
		texts, answers = recorded(t)
		t.Logf("there is no node on PATH: %d recorded cases are compared", len(texts))
	}
	if *nodeRecord {
		record(t, texts, answers)
	}
	if len(answers) != len(texts) || len(texts) < 300 {
		t.Fatalf("%d answers to %d texts", len(answers), len(texts))
	}
	failed := 0
	for i, text := range texts {
		if !likeNode(t, text, answers[i]) {
			if failed++; failed > 4 {
				t.Fatal("too many differences")
			}
		}
	}
}

// likeNode compares one text with Node's answer to it.
func likeNode(t *testing.T, text, answer string) bool {
	want := mustParse(t, answer[1:])
	v, err := Parse([]byte(text))
	if answer[0] == '!' {
		if err == nil {
			t.Errorf("%.200q is accepted, Node says %s", text, want.Str())
			return false
		}
		got := err.Error()
		if strings.HasPrefix(got, "Expected ':'") && strings.HasPrefix(want.Str(), "Unexpected ") {
			return true // Node before 22, after the second property name
		}
		if at := strings.LastIndex(got, " (line "); at > 0 && !strings.HasSuffix(want.Str(), ")") {
			got = got[:at] // Node before 22 does not name the line
		}
		if ToUTF8(got) != ToUTF8(want.Str()) {
			t.Errorf("%.200q:\n got %.300s\nnode %.300s", text, got, want.Str())
		}
		return ToUTF8(got) == ToUTF8(want.Str())
	}
	if err != nil {
		t.Errorf("%.200q is refused: %v", text, err)
		return false
	}
	same := true
	if hasDigits(v) {
		return true // here JavaScript would print another integer
	}
	for _, x := range []Value{v, rebuilt(v), v.Compact()} {
		for i, got := range []string{x.JSON(), x.Indent(), x.JSString(), NumberText(x.JSNumber())} {
			if got != want.At(i).Str() {
				t.Errorf("%.200q, text %d:\n got %.300q\nnode %.300q", text, i, got, want.At(i).Str())
				same = false
			}
		}
		if !StrictEqual(x, v) {
			t.Errorf("%.200q: the copy differs: %.300s", text, x.JSON())
		}
	}
	return same
}

// hasDigits reports whether v holds an integer that a double cannot.
func hasDigits(v Value) bool {
	for x := range v.All() {
		if hasDigits(x) {
			return true
		}
	}
	for _, x := range v.Members() {
		if hasDigits(x) {
			return true
		}
	}
	return v.is(repDigits)
}

// rebuilt makes v anew with the constructors.
func rebuilt(v Value) Value {
	switch v.Kind() {
	case ArrayKind:
		var items []Value
		for x := range v.All() {
			items = append(items, rebuilt(x))
		}
		return Array(items...)
	case ObjectKind:
		var members []Member
		for k, x := range v.Members() {
			members = append(members, M(k, rebuilt(x)))
		}
		return Object(members...)
	case StringKind:
		return String(v.Str())
	}
	return v
}

// askNode gives Node's answers, or nil when there is no Node.
func askNode(t *testing.T, texts []string) []string {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	var data []byte
	for _, s := range texts {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(s)))
		data = append(data, s...)
	}
	file := filepath.Join(t.TempDir(), "texts")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join("testdata", "node.js"), file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

func record(t *testing.T, texts, answers []string) {
	var b strings.Builder
	for i, s := range texts {
		if len(s)+len(answers[i]) > 3000 {
			continue // the repository stays small
		}
		b.WriteString(strconv.QuoteToASCII(s) + "\t" + answers[i] + "\n")
	}
	if err := os.WriteFile(filepath.Join("testdata", "node.txt"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func recorded(t *testing.T) (texts, answers []string) {
	data, err := os.ReadFile(filepath.Join("testdata", "node.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		quoted, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		texts, answers = append(texts, text), append(answers, answer)
	}
	return texts, answers
}

// classes are the kinds of text that JSON test suites try.
func classes() []string {
	list := []string{
		"", " ", "\ufeff1", "\ufeff", "[1]\u00a0", "\u00a0[1]", "\x00", "[\x00]", "1\x00", "\f1", "\v1",
		"[1,]", "[,1]", "[1,,2]", "[,]", "[1 2]", "[1", "[", "]", "{", "}", "[}", "{]", "[[]", "[]]", `{"a":1`, `{"a":`, `{"a"`, `{"a`,
		`{"a":1,}`, `{,}`, `{a:1}`, `{'a':1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1,,"b":2}`, `{1:1}`, `{null:1}`, `{"a":}`, `{:1}`, `{"a"::1}`,
		"1", "-1", "-0", "0", "00", "01", "-01", "+1", ".5", "5.", "-.5", "1.e1", "1e", "1e+", "1e-", "1E", "1e1.5", "1e1e1", "0x1", "1_0",
		"--1", "-", "- 1", "1 000", "1.2.3", "0e0", "0E+0", "-0.0", "-0e5", "1e00001", "0.1", "1e9999", "-1e9999", "1e-9999",
		"Infinity", "-Infinity", "NaN", "-NaN", "nan", "undefined", "True", "TRUE", "nul", "nulll", "tru", "truee", "fals", "[object Object]",
		`"`, `"a`, `"\`, `"\"`, `"\a"`, `"\x41"`, `"\0"`, `"\'"`, `'a'`, `"\u"`, `"\u1"`, `"\u12"`, `"\u123"`, `"\u123g"`, `"\U0041"`, `"\ 1"`,
		"\"\n\"", "\"\t\"", "\"\x1f\"", "\"\x7f\"", "\"\x00\"", "\"\u2028\u2029\"", "\"\\\n\"", "\"a\x00b\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"",
		"\"\xf0\x9f\"", "\"\xe2\x82", "\xff", "[\xff]", "{\"\xff\":1,\"\xfe\":2}", "\"\xf4\x90\x80\x80\"", "\"\xc0\x80\"", "\"\xf8\x88\x80\x80\x80\"",
		`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\ud83d\u0041"`, `"\ud83dx\ude00"`,
		`"\ud83d\n"`, `"\uDFFF\uD800"`, `["\ud800","\udc00"]`, `{"\ud800":1,"\udc00":2,"\ud800":3}`,
		`{"a":1,"a":2}`, `{"a":{"b":1,"b":2},"a":3}`, `{"__proto__":1}`, `{"__proto__":{"x":1},"x":2}`, `{"2":0,"1":0,"a":0,"0":0}`,
		`{"":""}`, `{"a":1}x`, `[1]x`, `"a"x`, "1x", "truex", "[1]//c", "/**/1", "#1", ",\"\xed\xa0\x80", "[1]\n\n  x", "<html>", "\xef\xbb\xbf\xef\xbb\xbf1", "\ufffe",
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000), strings.Repeat("[", 1000), strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000),
		strings.Repeat("[[],", 1500) + "1" + strings.Repeat("]", 1500), strings.Repeat("]", 100), strings.Repeat(" ", 5000) + "1",
		"1" + strings.Repeat("0", 400) + ".0", "0." + strings.Repeat("0", 400) + "1", `"` + strings.Repeat("é", 5000) + `"`,
		`"` + strings.Repeat(`\u00e9`, 3000) + `"`, `{"` + strings.Repeat("k", 5000) + `":1}`,
	}
	return list
}
