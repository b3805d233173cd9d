package advise

import (
	"testing"
	"time"
)

// TestPassesKeepTheShortest takes measurements of a setting, one of which was disturbed while
// writing and another while reading.
func TestPassesKeepTheShortest(t *testing.T) {
	r := &run{Options: Options{Goal: Balanced}}
	measured := func(writing, reading time.Duration, read int64) Trial {
		return Trial{Bytes: 1000, Stored: 100, Writing: writing, Reading: reading, ReadBytes: read, touched: 1}
	}
	first := measured(90*time.Millisecond, 10*time.Millisecond, 1000)
	second := measured(20*time.Millisecond, 30*time.Millisecond, 1000)
	// Fewer boxes were read in less time, but each took longer.
	third := measured(25*time.Millisecond, 8*time.Millisecond, 500)
	for _, again := range []Trial{second, third} {
		first.take(&again)
		r.judge(&first)
	}
	if first.Writing != 20*time.Millisecond || first.Reading != 10*time.Millisecond || first.ReadBytes != 1000 {
		t.Errorf("kept %v and %v for %d bytes", first.Writing, first.Reading, first.ReadBytes)
	}
	best := measured(20*time.Millisecond, 10*time.Millisecond, 1000)
	if r.judge(&best); first.Behind(&best) != 0 {
		t.Errorf("%v behind the same times", first.Behind(&best))
	}
}
