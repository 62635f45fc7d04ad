package filter

import (
	"strings"
	"time"
)

// parseDate reads a date as JavaScript engines do: the ISO format of ECMAScript first (a date alone is UTC, with a time it
// is local), and else the loose format that mail and people write, which is local unless it names a zone. The loose reader takes
// numbers, month and zone names, and signs in any order that makes sense, and ignores words in front and anything in parentheses.
func parseDate(s string, local *time.Location) (ms float64, ok bool) {
	d := date{local: local}
	if !d.iso(s) {
		d = date{local: local}
		if !d.loose(s) {
			return 0, false
		}
	}
	return d.millis()
}

// date is what has been read of a date.
type date struct {
	local  *time.Location
	parts  []int // numbers of the day in the order in which they stood; year, month, day after the end
	month  int   // named month, 0 = none
	clock  []int // hour, minute, second, millisecond
	half   int   // 0 = 24 hours, 1 = AM, 2 = PM
	strict bool  // it came in the ISO format
	zoned  bool  // a zone is known
	sign   int   // of the zone
	hours  int
	mins   int // of the zone; -1 = still expected
}

// iso reads ±YYYYYY or YYYY, -MM, -DD, THH:mm, :ss, .sss, and Z or ±HH:mm.
func (d *date) iso(s string) bool {
	year, rest, ok := isoYearPart(s)
	if !ok {
		return false
	}
	d.strict = true
	d.parts = []int{year, 1, 1}
	for i := 1; i < 3 && strings.HasPrefix(rest, "-"); i++ {
		if d.parts[i], rest, ok = digits(rest[1:], 2); !ok {
			return false
		}
	}
	if rest == "" {
		d.zoned = true
		return d.isoDay()
	}
	if rest[0] != 'T' && rest[0] != 't' {
		return false
	}
	return d.isoClock(rest[1:]) && d.isoDay()
}

func (d *date) isoDay() bool { return isMonth(d.parts[1]) && isDay(d.parts[2]) }

// isoYearPart reads the year.
func isoYearPart(s string) (year int, rest string, ok bool) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		year, rest, ok = digits(s[1:], 6)
		if s[0] == '-' {
			return -year, rest, ok && year != 0
		}
		return year, rest, ok
	}
	return digits(s, 4)
}

// isoClock reads what follows the T.
func (d *date) isoClock(s string) bool {
	hour, rest, ok := digits(s, 2)
	if !ok || !strings.HasPrefix(rest, ":") {
		return false
	}
	minute, rest, ok := digits(rest[1:], 2)
	if !ok {
		return false
	}
	d.clock = []int{hour, minute, 0, 0}
	if strings.HasPrefix(rest, ":") {
		if d.clock[2], rest, ok = digits(rest[1:], 2); !ok {
			return false
		}
		if strings.HasPrefix(rest, ".") {
			n := len(rest) - len(strings.TrimLeft(rest[1:], "0123456789")) - 1
			if n == 0 {
				return false
			}
			d.clock[3] = thousandths(rest[1 : 1+n])
			rest = rest[1+n:]
		}
	}
	return d.isoZone(rest)
}

// isoZone reads the zone at the end of a time.
func (d *date) isoZone(s string) bool {
	switch {
	case s == "":
		return true
	case s == "Z" || s == "z":
		d.zoned = true
		return true
	case s[0] != '+' && s[0] != '-':
		return false
	}
	d.setSign(s[0])
	hours, rest, ok := digits(s[1:], 2)
	if !ok {
		return false
	}
	mins, rest, ok := digits(strings.TrimPrefix(rest, ":"), 2)
	d.hours, d.mins = hours, mins
	return ok && rest == ""
}

// digits reads exactly n digits.
func digits(s string, n int) (v int, rest string, ok bool) {
	if len(s) < n || !isDigits(s[:n]) {
		return 0, s, false
	}
	for _, c := range s[:n] {
		v = v*10 + int(c-'0')
	}
	return v, s[n:], true
}

// thousandths gives the milliseconds of a fraction of a second; more digits are cut.
func thousandths(s string) int {
	v, _, _ := digits((s + "00")[:3], 3)
	return v
}

func isMonth(n int) bool { return n >= 1 && n <= 12 }
func isDay(n int) bool   { return n >= 1 && n <= 31 }

// setSign starts a zone.
func (d *date) setSign(c byte) {
	d.zoned, d.sign = true, 1
	if c == '-' {
		d.sign = -1
	}
}

// millis puts the parts together.
func (d *date) millis() (ms float64, ok bool) {
	hour, ok := d.hour()
	if !ok {
		return 0, false
	}
	year, month, day, ok := d.day()
	if !ok {
		return 0, false
	}
	c := append(d.clock, 0, 0, 0, 0)
	loc := d.local
	if d.zoned {
		loc = time.UTC
	}
	const farthest = 300_000 // years; beyond them JavaScript has no time, and ours would overflow
	if year < -farthest || year > farthest {
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, hour, c[1], c[2], c[3]*int(time.Millisecond), loc)
	zone := d.sign * (d.hours*60 + max(0, d.mins)) * 60_000
	return float64(t.UnixMilli() - int64(zone)), true
}

// hour checks the clock and gives its hour.
func (d *date) hour() (int, bool) {
	c := append(d.clock, 0, 0, 0, 0)
	hour := c[0]
	if d.half > 0 {
		if hour < 1 || hour > 12 {
			return 0, false
		}
		hour = hour%12 + 12*(d.half-1)
	}
	late := hour == 24 && c[1] == 0 && c[2] == 0 && c[3] == 0
	return hour, (hour < 24 || late) && c[1] < 60 && c[2] < 60
}

// day tells the numbers of the day apart: a number that cannot be a day of a month is a year.
func (d *date) day() (year, month, day int, ok bool) {
	if len(d.parts) == 0 {
		return 0, 0, 0, false
	}
	p := append(d.parts, 1, 1)
	switch {
	case d.month > 0 && isDay(p[0]):
		year, month, day = p[1], d.month, p[0]
	case d.month > 0:
		year, month, day = p[0], d.month, p[1]
	case !isDay(p[0]) || d.strict:
		year, month, day = p[0], p[1], p[2]
	default:
		year, month, day = p[2], p[0], p[1]
	}
	if !d.strict {
		switch {
		case year >= 0 && year < 50:
			year += 2000
		case year >= 50 && year < 100:
			year += 1900
		}
	}
	return year, month, day, isMonth(month) && isDay(day)
}
