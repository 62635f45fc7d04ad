package graph

import (
	"fmt"
	"strings"
)

// style holds the colours: one set for light, one for dark surroundings.
const style = `<style>
.page{fill:#fbfaf8}
text{font-family:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#23272f}
.h1{font-size:24px;font-weight:700}.sub{font-size:13px;fill:#6a7280}
.id{font-size:14px;font-weight:650}.kind{font-size:11px;fill:#8a919e}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12px;fill:#3d4450;white-space:pre}
.card{fill:#fff;stroke:#dfe2e8;stroke-width:1.2}
.bar.run{fill:#5b6cff}.bar.pipeline{fill:#0ea5a4}.bar.workflow{fill:#8b5cf6}
.gate{stroke-width:2}.gate.approval{fill:#fff1d6;stroke:#f0a020}.gate.input{fill:#e3f0ff;stroke:#3b82f6}
.approval+.diamond{fill:#f0a020}.input+.diamond{fill:#3b82f6}
.mark{font-size:15px;font-weight:800;fill:#fff;text-anchor:middle}
.gateid{font-size:11px;fill:#7a6a45}.prompt{font-size:14px;font-weight:600}
.frame{stroke-width:1.4;stroke-dasharray:none}.frame.loop{fill:#eef7f1;stroke:#7cc29a}.frame.parallel{fill:#eef1fb;stroke:#97a4e8}.frame.child{fill:#f5f0fd;stroke:#b79cf0}
.frametitle{font-size:12px;font-weight:650;fill:#515866}
.when{font-size:11.5px;font-style:italic;fill:#6a7280}
.line{fill:none;stroke:#9aa1ad;stroke-width:1.6}.line.skip{stroke-dasharray:4 4;stroke:#b3b9c4}.head{fill:#9aa1ad}.end{fill:#9aa1ad}
.chip{stroke-width:1}.chiptext{font-size:11px;font-weight:600}
.chip.exec{fill:#f1f2f5;stroke:#cfd3db}.chip.net{fill:#e4f1fd;stroke:#8fc3f3}.chip.write{fill:#f2ebfd;stroke:#c3a9f2}.chip.call{fill:#e0f6f4;stroke:#7fd1c9}.chip.send{fill:#fde7e7;stroke:#f19a9a}
.lock{font-size:11px}
@media (prefers-color-scheme:dark){
.page{fill:#15171c}text{fill:#e6e8ec}.sub,.kind,.when{fill:#9aa1ad}.code{fill:#c5cad3}.card{fill:#1f232b;stroke:#343a46}
.gate.approval{fill:#3a2c0d}.gate.input{fill:#10253f}.gateid{fill:#c9b98c}.frame.loop{fill:#16231c}.frame.parallel{fill:#191d30}.frame.child{fill:#211a30}.frametitle{fill:#b9bfca}
.chip.exec{fill:#2a2f39;stroke:#4a5160}.chip.net{fill:#12293d;stroke:#3f78ab}.chip.write{fill:#2a1f40;stroke:#7a5cb8}.chip.call{fill:#0f2e2b;stroke:#3d8d85}.chip.send{fill:#3d1717;stroke:#b05555}
}
</style>`

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escape makes text fit for XML; control characters, which XML cannot hold, become U+FFFD.
func escape(s string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

func text(b *strings.Builder, x, y float64, class, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, escape(s))
}

func textEnd(b *strings.Builder, x, y float64, class, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, class, x, y, escape(s))
}

// fit cuts a text to a number of characters, on one line.
func fit(s string, limit int) string {
	line, _, more := strings.Cut(s, "\n")
	runes := []rune(line)
	if len(runes) > limit {
		runes, more = runes[:limit-1], true
	}
	if more {
		return string(runes) + "…"
	}
	return string(runes)
}

// arrow draws a line downwards with a head.
func arrow(b *strings.Builder, x, from, to float64) {
	fmt.Fprintf(b, `<path class="line" d="M%.1f %.1f V%.1f"/>`, x, from, to-6)
	head(b, x, to)
	b.WriteByte('\n')
}

func head(b *strings.Builder, x, y float64) {
	fmt.Fprintf(b, `<path class="head" d="M%.1f %.1f l-4.5 -8 h9 z"/>`, x, y)
}

// endpoint draws the dot where a run starts or ends.
func (d *drawing) endpoint(b *strings.Builder, x, y float64, what string) {
	if what == "end" {
		fmt.Fprintf(b, `<circle class="line" cx="%.1f" cy="%.1f" r="8"/>`, x, y+8)
		y += 8
	}
	fmt.Fprintf(b, `<circle class="end" cx="%.1f" cy="%.1f" r="5"/>`+"\n", x, y)
}

func chipWidth(c chip) float64 {
	n := float64(len([]rune(c.text)))*7.1 + 16
	if c.gated {
		n += 14
	}
	return n
}

// chipRows breaks chips into rows.
func chipRows(chips []chip, width float64) [][]chip {
	var rows [][]chip
	var used float64
	for _, c := range chips {
		w := chipWidth(c) + 6
		if len(rows) == 0 || used+w > width {
			rows = append(rows, nil)
			used = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], c)
		used += w
	}
	return rows
}

func drawChip(b *strings.Builder, x, y float64, c chip) float64 {
	w := chipWidth(c)
	title := "no approval stands before this"
	if c.gated {
		title = "an approval stands before this on every path"
	}
	fmt.Fprintf(b, `<g><title>%s</title><rect class="chip %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="10"/>`, title, c.class, x, y, w, chipH)
	if c.gated {
		fmt.Fprintf(b, `<path class="lockicon" fill="#3f9b62" d="M%.1f %.1f l3 3.4 l5.4 -6.6 l1.4 1.2 l-6.7 8.2 l-4.5 -5 z"/>`, x+8, y+10)
		x += 14
	}
	text(b, x+8, y+14, "chiptext", c.text)
	b.WriteString("</g>")
	return w
}
