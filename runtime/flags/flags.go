// Package flags reads the command lines of compiled programs. It knows what they need and no more: long flags
// (--name, --name=value, --name value), short ones (-q, -qv), optional values, repeated flags, and -- before words that
// are no flags. pflag, which lobsterc itself uses, and fmt, which it needs, made a small program 0.36 MB larger (3.14 MB, now 2.78).
package flags

import (
	"errors"
	"strconv"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/plain"
)

// Flag is one flag.
type Flag struct {
	Name  string
	Short byte // 0 = none
	// Arg names the flag's value in the help ("" for flags that are only there or not); Help says what the flag does. A flag
	// without Help is not shown.
	Arg, Help string
	// To takes the value: *bool, *string, *int64, or *[]string for a flag that can be repeated.
	To any
	// Optional is the value when none is given; "" when one must be. The next word is the value only if Takes accepts it.
	Optional string
	Takes    func(word string) bool
	// Given tells that the flag was on the command line.
	Given bool
}

// Parse reads words into the flags and gives the words that are no flags.
func Parse(flags []Flag, words []string) (rest []string, err error) {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			return append(rest, words...), nil
		case strings.HasPrefix(word, "--"):
			words, err = long(flags, word[2:], words)
		case len(word) > 1 && word[0] == '-':
			err = short(flags, word[1:])
		default:
			rest = append(rest, word)
		}
		if err != nil {
			return rest, err
		}
	}
	return rest, nil
}

// long reads --name, --name=value or --name value, and gives the words after it.
func long(flags []Flag, text string, words []string) ([]string, error) {
	name, val, joined := strings.Cut(text, "=")
	f := Find(flags, name)
	if f == nil {
		return words, unknown(flags, name)
	}
	_, isBool := f.To.(*bool)
	switch {
	case joined:
	case isBool:
		val = "true"
	case f.Optional != "":
		val = f.Optional
		if len(words) > 0 && f.Takes(words[0]) {
			val, words = words[0], words[1:]
		}
	case len(words) == 0:
		return words, errors.New("flag needs an argument: --" + name)
	default:
		val, words = words[0], words[1:]
	}
	return words, f.set(val)
}

// short reads the letters after one dash. Only flags without a value have letters.
func short(flags []Flag, letters string) error {
next:
	for i := range len(letters) {
		for j := range flags {
			if flags[j].Short == letters[i] {
				if err := flags[j].set("true"); err != nil {
					return err
				}
				continue next
			}
		}
		return errors.New("unknown shorthand flag: '" + letters[i:i+1] + "' in -" + letters)
	}
	return nil
}

func (f *Flag) set(text string) (err error) {
	f.Given = true
	switch to := f.To.(type) {
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *int64:
		*to, err = strconv.ParseInt(text, 0, 64)
	case *string:
		*to = text
	case *[]string:
		*to = append(*to, text)
	}
	if err != nil {
		return errors.New("invalid argument " + strconv.Quote(text) + " for \"--" + f.Name + "\" flag")
	}
	return nil
}

// Find gives the flag of that name, or nil.
func Find(flags []Flag, name string) *Flag {
	for i := range flags {
		if flags[i].Name == name {
			return &flags[i]
		}
	}
	return nil
}

// unknown is the error about a name that no flag has; it names the nearest one that could have been meant.
func unknown(flags []Flag, name string) error {
	message := "unknown flag: --" + name
	best, least := "", 1+len(name)/3
	for i := range flags {
		if d := distance(name, flags[i].Name); d <= least && (best == "" || d < least) {
			best, least = flags[i].Name, d
		}
	}
	if best != "" {
		message += " (did you mean --" + best + "?)"
	}
	return errors.New(message)
}

// distance is how many letters must change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := left
			if a[i] != b[j] {
				d = 1 + min(left, row[j], row[j+1])
			}
			left, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// Help lists the flags, one to a line, wrapped to width columns.
func Help(flags []Flag, width int) string {
	var t plain.Text
	column := 0
	for i := range flags {
		column = max(column, len(flags[i].head())+3)
	}
	for i := range flags {
		f := &flags[i]
		if f.Help == "" {
			continue
		}
		line := plain.Pad(f.head(), column-1)
		for _, word := range strings.Split(f.Help, " ") {
			if len(line)+1+len(word) > width {
				t.Add(line, "\n")
				line = plain.Pad("", column-1)
			}
			line += " " + word
		}
		t.Add(line, "\n")
	}
	return string(t)
}

// head is the flag as the help shows it.
func (f *Flag) head() string {
	s := "      --" + f.Name
	if f.Short != 0 {
		s = "  -" + string(rune(f.Short)) + ", --" + f.Name
	}
	switch {
	case f.Arg == "":
	case f.Optional != "":
		s += "[=" + f.Arg + "]"
	default:
		s += " " + f.Arg
	}
	return s
}
