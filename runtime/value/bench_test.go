package value

import (
	"bytes"
	"io"
	"strconv"
	"testing"
)

// records is a JSON array of n objects of about 290 bytes, like mail or calendar items.
func records(n int, pretty bool) []byte {
	b := []byte("[")
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		k := i * 7919 % n
		v := Object(M("id", Int(int64(k))), M("subject", String("Meeting "+strconv.Itoa(k)+" about the état of things")),
			M("minutes", Int(int64(k*31%97))), M("from", Object(M("name", String("Alex Example")), M("email", String("alex"+strconv.Itoa(k)+"@example.com")))),
			M("labels", Strings("INBOX", "IMPORTANT", "work")), M("unread", Bool(k%3 == 0)), M("score", Number(float64(k)/8)),
			M("snippet", String("Hello,\nplease find attached the \"report\" that we talked about yesterday. Regards")))
		if pretty {
			b = v.AppendIndentAt(append(b, '\n'), "  ", 1)
		} else {
			b = v.AppendJSON(b)
		}
	}
	return append(b, ']')
}

func benchInput(b *testing.B, pretty bool) []byte {
	data := records(40_000, pretty)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	b.ResetTimer()
	return data
}

func BenchmarkScan(b *testing.B) {
	data := benchInput(b, false)
	for b.Loop() {
		if err := NewDecoder(bytes.NewReader(data)).Drain(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanPretty(b *testing.B) {
	data := benchInput(b, true)
	for b.Loop() {
		if err := NewDecoder(bytes.NewReader(data)).Drain(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWhere decodes, looks at one member, and takes two of the items that match.
func BenchmarkWhere(b *testing.B) {
	data := benchInput(b, false)
	limit := Int(90)
	for b.Loop() {
		n := 0
		d := NewDecoder(bytes.NewReader(data))
		for v, err := range d.All() {
			if err != nil {
				b.Fatal(err)
			}
			if LooseLessEqual(limit, v.Get("minutes")) {
				n += Object(M("id", v.Get("id")), M("subject", v.Get("subject"))).Len()
			}
		}
		if n == 0 {
			b.Fatal("nothing found")
		}
	}
}

// BenchmarkRoundTrip decodes the whole into a list and writes it.
func BenchmarkRoundTrip(b *testing.B) { benchRoundTrip(b, false) }

func BenchmarkRoundTripPretty(b *testing.B) { benchRoundTrip(b, true) }

func benchRoundTrip(b *testing.B, pretty bool) {
	data := benchInput(b, pretty)
	for b.Loop() {
		var items []Value
		for v, err := range NewDecoder(bytes.NewReader(data)).All() {
			if err != nil {
				b.Fatal(err)
			}
			items = append(items, v)
		}
		if out := Array(items...).AppendJSON(nil); !pretty && len(out) != len(data) {
			b.Fatalf("%d bytes became %d", len(data), len(out))
		}
	}
}

// BenchmarkParseDeep makes all values, nothing raw.
func BenchmarkParseDeep(b *testing.B) {
	data := benchInput(b, false)
	for b.Loop() {
		for v, err := range NewDecoder(bytes.NewReader(data)).All() {
			if err != nil || v.full().Len() != 8 {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkIndent(b *testing.B) {
	data := benchInput(b, false)
	v, err := Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	for b.Loop() {
		buf = v.AppendIndent(buf[:0], "  ")
	}
}

func BenchmarkLines(b *testing.B) {
	data := bytes.ReplaceAll(records(40_000, false), []byte("},{"), []byte("}\n{"))
	data = bytes.Trim(data, "[]")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d := NewLineDecoder(bytes.NewReader(data))
		for n := 0; ; n++ {
			if _, err := d.Next(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}
