//go:build unix

package proc

import (
	"slices"
	"testing"
)

func TestShell(t *testing.T) {
	tests := []struct {
		env   []string
		login bool
		want  []string
	}{
		{nil, false, []string{"/bin/sh", "-c", "x"}},
		{nil, true, []string{"/bin/sh", "-lc", "x"}},
		{[]string{"LOBSTER_LOGIN_SHELL=1"}, false, []string{"/bin/sh", "-lc", "x"}},
		{[]string{"LOBSTER_LOGIN_SHELL=0"}, false, []string{"/bin/sh", "-c", "x"}},
		{[]string{"LOBSTER_SHELL=a", "LOBSTER_SHELL= bash "}, false, []string{"bash", "-c", "x"}},
		{[]string{"LOBSTER_SHELL= "}, false, []string{"/bin/sh", "-c", "x"}},
		{[]string{"LOBSTER_SHELL=/x/pwsh"}, true, []string{"/x/pwsh", "-NoProfile", "-Command", "x"}},
		{[]string{"LOBSTER_SHELL=PowerShell.EXE"}, false, []string{"PowerShell.EXE", "-NoProfile", "-Command", "x"}},
		{[]string{"LOBSTER_SHELL=cmd"}, false, []string{"cmd", "/d", "/s", "/c", "x"}},
		{[]string{"LOBSTER_SHELL=/x/CMD.EXE"}, false, []string{"/x/CMD.EXE", "/d", "/s", "/c", "x"}},
	}
	for _, tt := range tests {
		if got := Shell(tt.env, "x", tt.login); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q", tt.env, got)
		}
	}
}

func TestMaxOutput(t *testing.T) {
	for in, want := range map[string]int64{
		"": 0, "5": 5, " 5 ": 5, "007": 7, "9007199254740991": 1<<53 - 1,
		"0": -1, "-1": -1, "abc": -1, "1e3": -1, "1.5": -1, "9007199254740992": -1, "0x10": -1, "+5": -1,
	} {
		got, err := MaxOutput([]string{"LOBSTER_MAX_OUTPUT_BYTES=" + in})
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, %v", in, got, err)
		}
	}
}

func TestDecodeUTF8(t *testing.T) {
	const r = "\uFFFD"
	for in, want := range map[string]string{
		"":                 "",
		"aé€😀":             "aé€😀",
		"\xff\xfe":         r + r,
		"\xc3":             r,
		"\xe2\x82":         r,
		"\xe2\x82a":        r + "a",
		"\xf0\x9f\x98":     r,
		"\xf0\x9f\x98\xe2": r + r,
		"\xed\xa0\x80":     r + r + r,
		"\xe0\x80\x80":     r + r + r,
		"\xf4\x90\x80\x80": r + r + r + r,
		"\xc0\x80":         r + r,
		"x\x80y":           "x" + r + "y",
	} {
		if got := DecodeUTF8([]byte(in)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
