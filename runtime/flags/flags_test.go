package flags

import (
	"slices"
	"strings"
	"testing"
)

type values struct {
	quiet, verbose bool
	mode, resume   string
	most           int64
	list           []string
}

func (v *values) flags() []Flag {
	return []Flag{
		{Name: "mode", Arg: "MODE", Help: "how to print: human or tool", To: &v.mode},
		{Name: "resume", Arg: "TOKEN", Help: "go on", To: &v.resume, Optional: " ", Takes: func(w string) bool { return !strings.HasPrefix(w, "-") }},
		{Name: "most", Arg: "N", Help: "at most N", To: &v.most},
		{Name: "arg", Arg: "NAME=VALUE", Help: "an argument, which can be given more than once and has a long help that needs more than one line", To: &v.list},
		{Name: "quiet", Short: 'q', Help: "say less", To: &v.quiet},
		{Name: "verbose", Short: 'v', Help: "say more", To: &v.verbose},
		{Name: "hidden", To: &v.mode},
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		line string
		want values
		rest string
		err  string
	}{
		{line: "--mode tool --most=0x10 -qv", want: values{mode: "tool", most: 16, quiet: true, verbose: true}},
		{line: "--arg a=1 --arg=b=2 --arg -x", want: values{list: []string{"a=1", "b=2", "-x"}}},
		{line: "--resume", want: values{resume: " "}},
		{line: "--resume -q", want: values{resume: " ", quiet: true}},
		{line: "--resume abc -q", want: values{resume: "abc", quiet: true}},
		{line: "--resume=-x", want: values{resume: "-x"}},
		{line: "--quiet=false --verbose=1", want: values{verbose: true}},
		{line: "--mode= --hidden x", want: values{mode: "x"}},
		{line: "a --mode tool b -- --quiet", want: values{mode: "tool"}, rest: "a b --quiet"},
		{line: "-", rest: "-"},
		{line: "--mode", err: "flag needs an argument: --mode"},
		{line: "--most x", err: `invalid argument "x" for "--most" flag`},
		{line: "--quiet=maybe", err: `invalid argument "maybe" for "--quiet" flag`},
		{line: "--modus tool", err: "unknown flag: --modus (did you mean --mode?)"},
		{line: "--resum", err: "unknown flag: --resum (did you mean --resume?)"},
		{line: "--zzz", err: "unknown flag: --zzz"},
		{line: "-qx", want: values{quiet: true}, err: "unknown shorthand flag: 'x' in -qx"},
	}
	for _, tt := range tests {
		var got values
		rest, err := Parse(got.flags(), strings.Fields(tt.line))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != tt.err || strings.Join(rest, " ") != tt.rest {
			t.Errorf("%s: rest %q, error %q", tt.line, rest, text)
		}
		if tt.err == "" && (got.mode != tt.want.mode || got.resume != tt.want.resume || got.most != tt.want.most || got.quiet != tt.want.quiet ||
			got.verbose != tt.want.verbose || !slices.Equal(got.list, tt.want.list)) {
			t.Errorf("%s: got %+v", tt.line, got)
		}
	}
}

func TestGiven(t *testing.T) {
	list := new(values).flags()
	if _, err := Parse(list, []string{"--resume", "--mode="}); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if f := &list[i]; f.Given != (f.Name == "resume" || f.Name == "mode") {
			t.Errorf("--%s: given %v", f.Name, f.Given)
		}
	}
}

func TestHelp(t *testing.T) {
	want := `      --mode MODE        how to print: human or tool
      --resume[=TOKEN]   go on
      --most N           at most N
      --arg NAME=VALUE   an argument, which can be given
                         more than once and has a long help
                         that needs more than one line
  -q, --quiet            say less
  -v, --verbose          say more
`
	if got := Help(new(values).flags(), 60); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"mode", "mode", 0}, {"modus", "mode", 2}, {"kitten", "sitting", 3}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%s, %s: got %d", tt.a, tt.b, got)
		}
	}
}
