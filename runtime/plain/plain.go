// Package plain does with little code what every program needs of texts and errors. Package fmt, with the reflection behind it, would
// be a tenth of a small program and most of what its start costs; nothing that a program without network or schemas links imports it.
//
// Its functions are kept from being inlined: a hundred copies of a few instructions are no longer few.
package plain

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Int is n in decimal.
//
//go:noinline
func Int(n int) string { return strconv.Itoa(n) }

// Millis is d in whole milliseconds, such as "1500".
//
//go:noinline
func Millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Quote is s in double quotes, with escapes where they are needed.
func Quote(s string) string { return strconv.Quote(s) }

// Count is "1 step" or "2 steps".
//
//go:noinline
func Count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return strconv.Itoa(n) + " " + word
}

// Pad is s with spaces after it, at least width bytes long.
//
//go:noinline
func Pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-len(s))) }

// Lower is s with the letters A to Z in lower case. (The rest of Unicode's letters are tables of several KB.)
//
//go:noinline
func Lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// Escape replaces single bytes of s: pairs are each a byte and what stands for it. (strings.NewReplacer is 15 KB of a program.)
//
//go:noinline
func Escape(s string, pairs ...string) string {
	var out []byte
	done := 0
	for i := range len(s) {
		for j := 0; j < len(pairs); j += 2 {
			if s[i] == pairs[j][0] {
				out = append(append(out, s[done:i]...), pairs[j+1]...)
				done = i + 1
				break
			}
		}
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// Text grows a text part by part.
type Text []byte

// Add appends parts.
//
//go:noinline
func (t *Text) Add(parts ...string) {
	for _, p := range parts {
		*t = append(*t, p...)
	}
}

// Print writes parts to w, one after the other and in one write. Like fmt.Fprint without a check, it is for texts that
// people read: there is nobody to tell when they cannot be written.
func Print(w io.Writer, parts ...string) {
	var t Text
	t.Add(parts...)
	w.Write(t)
}

// Wrap is err with a text before its own: "message: err".
//
//go:noinline
func Wrap(message string, err error) error { return &wrapped{message + ": ", err} }

// As is the error of type E in err's chain, the zero E when there is none. (errors.As does that by reflection.)
//
//go:noinline
func As[E error](err error) E {
	e, _ := errors.AsType[E](err)
	return e
}

type wrapped struct {
	prefix string
	err    error
}

func (w *wrapped) Error() string { return w.prefix + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }

// ISO is a moment as JavaScript's toISOString writes it: "2006-01-02T15:04:05.000Z". The arithmetic is here because
// time's own brings its layouts and time zones along.
func ISO(t time.Time) string {
	ms := t.UnixMilli()
	days := ms / dayMillis
	if ms %= dayMillis; ms < 0 {
		ms += dayMillis
		days--
	}
	// Years that begin in March end with the leap day, so the month follows from the day of the year; eras have 400 years.
	days += 719468
	era := days / 146097
	day := days % 146097
	year := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*year + year/4 - year/100
	year += 400 * era
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	if month += 3; month > 12 {
		month -= 12
		year++
	}
	b := appendDigits(nil, year, 4)
	b = appendDigits(append(b, '-'), month, 2)
	b = appendDigits(append(b, '-'), day, 2)
	b = appendDigits(append(b, 'T'), ms/3600000, 2)
	b = appendDigits(append(b, ':'), ms/60000%60, 2)
	b = appendDigits(append(b, ':'), ms/1000%60, 2)
	b = appendDigits(append(b, '.'), ms%1000, 3)
	return string(append(b, 'Z'))
}

const dayMillis = 24 * 60 * 60 * 1000

// appendDigits appends the last width digits of n.
//
//go:noinline
func appendDigits(b []byte, n int64, width int) []byte {
	for unit := pow10[width-1]; unit > 0; unit /= 10 {
		b = append(b, '0'+byte(n/unit%10))
	}
	return b
}

var pow10 = [...]int64{1, 10, 100, 1000}

// Mutex is a sync.Mutex whose methods are not copied to where they are called, which takes as much code as what most of the
// functions that it guards do.
type Mutex struct{ mu sync.Mutex }

// Lock locks.
//
//go:noinline
func (m *Mutex) Lock() { m.mu.Lock() }

// Unlock unlocks.
//
//go:noinline
func (m *Mutex) Unlock() { m.mu.Unlock() }
