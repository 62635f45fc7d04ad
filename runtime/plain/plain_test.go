package plain

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestTexts(t *testing.T) {
	for _, tt := range [][2]string{
		{Int(-12), "-12"},
		{Millis(1500 * time.Microsecond), "1"},
		{Millis(2 * time.Second), "2000"},
		{Count(0, "run") + Count(1, "run"), "0 runs1 run"},
		{Escape("a/%b/", "%", "%25", "/", "%2F") + Escape("x", "y", "z"), "a%2F%25b%2Fx"},
		{Lower("yes") + Lower("aBZ[@É"), "yesabz[@É"},
		{Pad("ab", 4) + "|" + Pad("abc", 2), "ab  |abc"},
		{Quote("a\"b\n"), `"a\"b\n"`},
		{Wrap("cannot read", io.EOF).Error(), "cannot read: EOF"},
	} {
		if tt[0] != tt[1] {
			t.Errorf("got %s, want %s", tt[0], tt[1])
		}
	}
	if e := As[*wrapped](Wrap("a", io.EOF)); e == nil || As[*wrapped](io.EOF) != nil {
		t.Error("As finds what is not there, or not what is")
	}
	if !errors.Is(Wrap("a", Wrap("b", io.EOF)), io.EOF) {
		t.Error("a wrapped error is not found")
	}
}

func TestPrintWritesOnce(t *testing.T) {
	var b strings.Builder
	n := 0
	Print(counter{&n, &b}, "a", "", "b\n")
	if n != 1 || b.String() != "ab\n" {
		t.Errorf("%d writes, %q", n, b.String())
	}
}

type counter struct {
	n *int
	w io.Writer
}

func (c counter) Write(p []byte) (int, error) {
	*c.n++
	return c.w.Write(p)
}

func TestISO(t *testing.T) {
	check := func(at time.Time) {
		t.Helper()
		if got, want := ISO(at), at.UTC().Format("2006-01-02T15:04:05.000Z"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for s := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix(); s < 250e9; s += 17_000_003 {
		check(time.Unix(s, s%1000*1e6))
	}
	for day := time.Date(1896, 2, 27, 23, 59, 59, 999e6, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
		check(day)
	}
}
