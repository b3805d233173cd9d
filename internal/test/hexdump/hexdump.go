// Package hexdump prints bytes next to their meaning, for tests that compare a format with a
// readable text.
package hexdump

import (
	"fmt"
	"strings"
)

// bytesPerLine keeps a line short enough to stand beside its meaning.
const bytesPerLine = 16

// Part is a run of bytes with one meaning.
type Part struct {
	Len     int
	Meaning string
}

// Annotate returns one line per part, "offset bytes # meaning", and continues long parts on further
// lines. Bytes outside of all parts, and parts beyond the end of b, are shown too, so that a wrong
// description is visible.
func Annotate(b []byte, parts []Part) string {
	var out strings.Builder
	at := 0
	for _, p := range parts {
		n := p.Len
		meaning := p.Meaning
		if n < 0 || n > len(b)-at {
			n = len(b) - at
			meaning = fmt.Sprintf("%s (%d bytes, %d left)", meaning, p.Len, n)
		}
		write(&out, b, at, n, meaning)
		at += n
	}

	if at < len(b) {
		write(&out, b, at, len(b)-at, "not described")
	}
	return out.String()
}

// write writes the lines of one part; a part without bytes has a line too.
func write(out *strings.Builder, b []byte, at, n int, meaning string) {
	for first := true; first || n > 0; first = false {
		k := min(n, bytesPerLine)
		line := fmt.Sprintf("%04x  %-*s", at, 3*bytesPerLine, fmt.Sprintf("% x", b[at:at+k]))
		if first {
			line += " # " + meaning
		}
		out.WriteString(strings.TrimRight(line, " "))
		out.WriteByte('\n')
		at += k
		n -= k
	}
}
