package result

import (
	"math"
	"strings"
	"testing"
)

// oneRun returns made-up rounds of a version: load slows down C and cairn alike, and factor the
// operation decompress of cairn alone.
func oneRun(load, factor float64) []*Measure {
	var out []*Measure
	for i, data := range []string{"walk", "smooth", "ct"} {
		for _, op := range []string{"compress", "decompress"} {
			m := &Measure{Workload: "frames", Op: op, Data: data, Codec: "lz4", Level: 5,
				Filter: "shuffle", Threads: 1, TypeSize: 4, Bytes: 4e6}
			for round := range 3 {
				base := load * float64(1+i) * (1 + 0.3*float64(round))
				ours := base / 2
				if op == "decompress" {
					ours *= factor
				}
				m.Add(C, base, 100)
				m.Add(Cairn, ours, 100)
			}
			out = append(out, m)
		}
	}
	return out
}

func TestChanges(t *testing.T) {
	old := [][]*Measure{oneRun(1, 1), oneRun(3, 1), oneRun(1, 1)}
	now := [][]*Measure{oneRun(2, 1.1), oneRun(1, 1.1), oneRun(5, 1.1)}
	got := Changes(old, now)
	if len(got) != 2 {
		t.Fatalf("%d groups", len(got))
	}
	c := got[0]
	if c.Group != "frames, decompress, lz4, 1 thr" || c.Rows != 3 || !c.Slower() ||
		math.Abs(c.Speed.Median-1/1.1) > 1e-9 || math.Abs(c.Equal-1) > 1e-9 || c.Size != 1 {
		t.Errorf("decompress: %+v", c)
	}
	if c := got[1]; c.Slower() || math.Abs(c.Speed.Median-1) > 1e-9 {
		t.Errorf("compress: %+v", c)
	}
	text := ChangeText(got)
	if !strings.Contains(text, "0.909") || strings.Count(text, "SLOWER") != 1 ||
		!strings.Contains(text, "1 of 2 groups") {
		t.Errorf("the text is\n%s", text)
	}
}

// TestChangesNoise takes no group for slower whose runs differ as much without a change.
func TestChangesNoise(t *testing.T) {
	old := [][]*Measure{oneRun(1, 1), oneRun(1, 1.12), oneRun(1, 1)}
	now := [][]*Measure{oneRun(1, 1.1), oneRun(1, 1.1), oneRun(1, 1.1)}
	got := Changes(old, now)
	if c := got[0]; c.Slower() || c.Speed.Median > 0.92 || math.Abs(c.Equal-1.12) > 1e-9 {
		t.Errorf("got %+v", c)
	}
	if text := ChangeText(got); strings.Contains(text, "SLOWER") ||
		!strings.Contains(text, "within the noise") {
		t.Errorf("the text is\n%s", text)
	}
}

// TestChangesAlone compares the times themselves where C took no part, and leaves out measures that
// one of the runs lacks.
func TestChangesAlone(t *testing.T) {
	alone := func(seconds float64) []*Measure {
		whole := &Measure{Workload: "zarr", Op: "read whole", Data: "walk", Codec: "v3 zstd", Threads: 2}
		whole.Add(Cairn, 2*seconds, 0)
		whole.Add(Cairn, seconds, 0)
		return []*Measure{whole}
	}
	more := &Measure{Workload: "zarr", Op: "a new one", Data: "walk", Codec: "v3 zstd", Threads: 2}
	more.Add(Cairn, 1, 0)
	got := Changes([][]*Measure{alone(3), alone(3)}, [][]*Measure{append(alone(2), more), alone(2)})
	if len(got) != 1 || math.Abs(got[0].Speed.Median-1.5) > 1e-9 || !math.IsNaN(got[0].Size) {
		t.Errorf("got %+v", got)
	}
}

// TestParseCSV reads back what CSV renders.
func TestParseCSV(t *testing.T) {
	r := &Report{Measures: oneRun(1, 1.25)}
	got, err := ParseCSV(strings.NewReader(r.CSV()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(r.Measures) {
		t.Fatalf("%d measures", len(got))
	}
	if back := (&Report{Measures: got}).CSV(); back != r.CSV() {
		t.Errorf("it became\n%s", back)
	}
	for _, bad := range []string{"", "workload,operation\n", strings.Replace(r.CSV(), "lz4,5", "lz4,x", 1),
		strings.Replace(r.CSV(), ",100\n", ",\n", 1)} {
		if _, err := ParseCSV(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %.60q", bad)
		}
	}
}
