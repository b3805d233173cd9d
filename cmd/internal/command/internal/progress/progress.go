// Package progress shows how far work is, but only if it takes long: as a bar on a terminal, as
// lines in a log, or as JSON for a program.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	delay    = time.Second            // before the bar appears
	interval = 100 * time.Millisecond // between two drawings of it
	// logged is the time before the first line in a log, and between two of them.
	logged = 10 * time.Second
)

// A Kind is a way to show progress.
type Kind uint8

// Kinds of progress.
const (
	Auto  Kind = iota // lines, or what the caller decides
	Draw              // a bar on a terminal
	Lines             // a line every ten seconds
	JSON              // a line of JSON every second
	None
)

// Parse returns the kind with a name, as in flags.
func Parse(name string) (kind Kind, ok bool) {
	kind, ok = map[string]Kind{"auto": Auto, "lines": Lines, "json": JSON, "none": None}[name]
	return kind, ok
}

// Bar counts bytes towards a total. A nil *Bar does nothing. Its methods may be called
// concurrently.
type Bar struct {
	mu     sync.Mutex
	w      io.Writer
	kind   Kind
	label  string
	total  int64
	width  func() int // of the terminal, in characters
	now    func() time.Time
	begin  time.Time
	drawn  time.Time
	done   int64
	steps  bool // done and total are no bytes
	shown  bool
	closed bool
}

// New returns a bar on w. If it is drawn, w is a terminal, whose width the function reports. The
// label comes before the bar; total is in bytes.
func New(w io.Writer, kind Kind, width func() int, label string, total int64) *Bar {
	return newBar(w, kind, width, label, total, time.Now)
}

func newBar(w io.Writer, kind Kind, width func() int, label string, total int64, now func() time.Time) *Bar {
	return &Bar{w: w, kind: kind, width: width, label: label, total: total, now: now, begin: now()}
}

// Add counts n more bytes as done.
func (b *Bar) Add(n int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	b.show()
}

// Set says how many steps of how many are done, for work that is not counted in bytes.
func (b *Bar) Set(done, total int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps = true
	b.done = done
	b.total = total
	b.show()
}

// Follow returns a function that sets how much is done, or nil if there is no bar.
func (b *Bar) Follow() func(done, total int64) {
	if b == nil {
		return nil
	}

	var before int64
	return func(done, _ int64) {
		b.Add(done - before)
		before = done
	}
}

// show shows the progress if it is time.
func (b *Bar) show() {
	first := logged
	between := logged
	switch b.kind {
	case Draw:
		first = delay
		between = interval
	case JSON:
		first = delay
		between = delay
	}

	now := b.now()
	if b.closed || now.Sub(b.begin) < first || now.Sub(b.drawn) < between {
		return
	}
	b.drawn = now
	b.shown = true

	switch b.kind {
	case Draw:
		fmt.Fprintf(b.w, "\r%s\x1b[K", b.line(now.Sub(b.begin)))
	case JSON:
		b.report(now, false)
	default:
		fmt.Fprintf(b.w, "%s:%s\n", b.label, b.tail(now.Sub(b.begin)))
	}
}

// Close wipes the bar off the terminal, or ends the report.
func (b *Bar) Close() {
	if b == nil {
		return
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true

	switch {
	case b.kind == Draw && b.shown:
		fmt.Fprint(b.w, "\r\x1b[K")
	case b.kind == JSON:
		b.report(b.now(), true)
	}
}

// Shown reports whether the work took so long that progress was shown.
func (b *Bar) Shown() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shown
}

// Total returns the bytes that were to be done.
func (b *Bar) Total() int64 { return b.total }

// Elapsed returns the time since the work began.
func (b *Bar) Elapsed() time.Duration { return b.now().Sub(b.begin) }

// report prints a line of JSON.
func (b *Bar) report(now time.Time, ended bool) {
	line, err := json.Marshal(struct {
		Label   string  `json:"label"`
		Done    int64   `json:"done"`
		Total   int64   `json:"total"`
		Seconds float64 `json:"seconds"`
		Ended   bool    `json:"ended"`
	}{b.label, b.done, b.total, now.Sub(b.begin).Round(time.Millisecond).Seconds(), ended})
	if err != nil {
		return // not with numbers and a string
	}
	fmt.Fprintf(b.w, "%s\n", line)
}

// line returns the text of the bar after the given time.
func (b *Bar) line(elapsed time.Duration) string {
	share := b.share()
	tail := b.tail(elapsed)
	room := b.width() - 1 - len(b.label) - len(" []") - len(tail)
	switch {
	case room < 0:
		return strings.TrimSpace(tail)
	case room < 10:
		return b.label + tail
	}
	room = min(room, 40)
	filled := int(share * float64(room))
	return b.label + " [" + strings.Repeat("=", filled) + strings.Repeat(" ", room-filled) + "]" + tail
}

// share returns how much of the total is done.
func (b *Bar) share() float64 {
	if b.total > 0 {
		return min(1, float64(b.done)/float64(b.total))
	}
	return 1
}

// tail returns the figures: " 50%  1.5 MiB/s  2s left".
func (b *Bar) tail(elapsed time.Duration) string {
	share := b.share()
	rate := float64(b.done) / elapsed.Seconds()
	tail := fmt.Sprintf(" %3.0f%%", 100*share)
	if !b.steps {
		tail += fmt.Sprintf("  %s/s", Size(int64(rate)))
	}
	if share > 0 && share < 1 {
		left := time.Duration(float64(elapsed) * (1 - share) / share)
		tail += "  " + left.Round(time.Second).String() + " left"
	}
	return tail
}

// Size formats a number of bytes: "512 B", "1.5 MiB".
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v := float64(n) / 1024
	unit := 0
	const units = "KMGTPE"
	for v >= 1023.95 && unit < len(units)-1 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", v, units[unit])
}
