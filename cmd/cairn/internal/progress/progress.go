// Package progress draws a one-line progress bar, but only for work that takes long.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	delay    = time.Second            // before the bar appears
	interval = 100 * time.Millisecond // between two drawings of it
)

// Bar counts bytes towards a total. A nil *Bar does nothing. Its methods may be called
// concurrently.
type Bar struct {
	mu      sync.Mutex
	w       io.Writer
	label   string
	total   int64
	width   func() int // of the terminal, in characters
	now     func() time.Time
	begin   time.Time
	drawn   time.Time
	done    int64
	visible bool
}

// New returns a bar on w, a terminal whose width the function reports. The label comes before the
// bar; total is in bytes.
func New(w io.Writer, width func() int, label string, total int64) *Bar {
	return newBar(w, width, label, total, time.Now)
}

func newBar(w io.Writer, width func() int, label string, total int64, now func() time.Time) *Bar {
	return &Bar{w: w, width: width, label: label, total: total, now: now, begin: now()}
}

// Add counts n more bytes as done.
func (b *Bar) Add(n int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	now := b.now()
	if now.Sub(b.begin) < delay || now.Sub(b.drawn) < interval {
		return
	}
	b.drawn = now
	b.visible = true
	line := b.line(now.Sub(b.begin))
	fmt.Fprintf(b.w, "\r%s\x1b[K", line)
}

// Close wipes the bar off the terminal.
func (b *Bar) Close() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.visible {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.visible = false
	}
}

// line returns the text of the bar after the given time.
func (b *Bar) line(elapsed time.Duration) string {
	share := 1.0
	if b.total > 0 {
		share = min(1, float64(b.done)/float64(b.total))
	}
	rate := float64(b.done) / elapsed.Seconds()
	tail := fmt.Sprintf(" %3.0f%%  %s/s", 100*share, Size(int64(rate)))
	if share > 0 && share < 1 {
		left := time.Duration(float64(elapsed) * (1 - share) / share)
		tail += "  " + left.Round(time.Second).String() + " left"
	}
	room := b.width() - 1 - len(b.label) - len(" []") - len(tail)
	if room < 10 {
		return strings.TrimSpace(tail)
	}
	room = min(room, 40)
	filled := int(share * float64(room))
	return b.label + " [" + strings.Repeat("=", filled) + strings.Repeat(" ", room-filled) + "]" + tail
}

// Size formats a number of bytes: "512 B", "1.5 MiB".
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/1024, 0
	const units = "KMGTPE"
	for v >= 1023.95 && unit < len(units)-1 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", v, units[unit])
}
