package progress

import (
	"strings"
	"testing"
	"time"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestBarAppearsOnlyForLongWorkAndIsWipedOff(t *testing.T) {
	var out strings.Builder
	c := &clock{time.Unix(1000, 0)}
	b := newBar(&out, Draw, func() int { return 80 }, "importing", 1000, c.now)
	c.t = c.t.Add(900 * time.Millisecond)
	b.Add(100)
	if out.Len() > 0 {
		t.Fatalf("after 0.9 s there is %q", out.String())
	}
	c.t = c.t.Add(1100 * time.Millisecond)
	b.Add(400)
	got := out.String()
	if !strings.HasPrefix(got, "\rimporting [====") || !strings.Contains(got, " 50%  250 B/s  2s left") {
		t.Fatalf("after 2 s there is %q", got)
	}
	c.t = c.t.Add(interval / 2)
	b.Add(1)
	if out.String() != got {
		t.Error("drawn again within the interval")
	}
	b.Close()
	b.Close()
	if out.String() != got+"\r\x1b[K" {
		t.Errorf("closing left %q", out.String())
	}
}

func TestShortWorkDrawsNothing(t *testing.T) {
	var out strings.Builder
	c := &clock{time.Unix(1000, 0)}
	b := newBar(&out, Draw, func() int { return 80 }, "exporting", 10, c.now)
	b.Add(10)
	b.Close()
	if out.Len() > 0 {
		t.Errorf("short work drew %q", out.String())
	}
	var none *Bar
	none.Add(1)
	none.Close()
}

func TestBarFitsTheTerminal(t *testing.T) {
	for width := 1; width < 200; width++ {
		c := &clock{time.Unix(1000, 0)}
		b := newBar(nil, Draw, func() int { return width }, "verifying", 1<<40, c.now)
		b.done = 1 << 38
		if line := b.line(time.Hour); len(line) >= width && strings.Contains(line, "[") {
			t.Errorf("width %d: line of %d characters", width, len(line))
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB",
		1<<20 - 1: "1.0 MiB", 5 << 30: "5.0 GiB", 1<<63 - 1: "8.0 EiB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestLinesInALog(t *testing.T) {
	var out strings.Builder
	c := &clock{time.Unix(1000, 0)}
	b := newBar(&out, Auto, nil, "copying", 100, c.now)
	for range 25 {
		c.t = c.t.Add(time.Second)
		b.Add(2)
	}
	b.Close()
	if want := "copying:  20%  2 B/s  40s left\ncopying:  40%  2 B/s  30s left\n"; out.String() != want || !b.Shown() {
		t.Errorf("the log holds %q, want %q", out.String(), want)
	}
}

func TestJSONForAProgram(t *testing.T) {
	var out strings.Builder
	c := &clock{time.Unix(1000, 0)}
	b := newBar(&out, JSON, nil, "copying", 100, c.now)
	c.t = c.t.Add(1500 * time.Millisecond)
	b.Add(50)
	b.Add(50)
	b.Close()
	b.Close()
	want := `{"label":"copying","done":50,"total":100,"seconds":1.5,"ended":false}
{"label":"copying","done":100,"total":100,"seconds":1.5,"ended":true}
`
	if out.String() != want {
		t.Errorf("it says %s", out.String())
	}
}

func TestParse(t *testing.T) {
	if kind, ok := Parse("json"); !ok || kind != JSON {
		t.Errorf("json is %v, %t", kind, ok)
	}
	if _, ok := Parse("draw"); ok {
		t.Error("draw is a name")
	}
}
