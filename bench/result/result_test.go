package result

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"
)

func TestSpreadOf(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want Spread
	}{{[]float64{3, 1, 2}, Spread{2, 1, 3}}, {[]float64{4, 1, 2, 3}, Spread{2.5, 1, 4}}, {[]float64{7}, Spread{7, 7, 7}}, {nil, Spread{}}} {
		if got := SpreadOf(c.in); got != c.want {
			t.Errorf("spread of %v is %v, want %v", c.in, got, c.want)
		}
	}
}

func TestGeoMean(t *testing.T) {
	if got := GeoMean([]float64{0.5, 2, 8}); math.Abs(got-2) > 1e-12 {
		t.Errorf("got %v, want 2", got)
	}
	if !math.IsNaN(GeoMean(nil)) {
		t.Error("no values have a mean")
	}
}

// measure returns a measure in which cairn is twice as fast as C in one round and four times in the
// other.
func measure(op, data string, threads int) *Measure {
	m := &Measure{Workload: "frames", Op: op, Data: data, Codec: "lz4", Level: 5, Filter: "shuffle", Threads: threads, Bytes: 4e6}
	m.Add(C, 1, 100)
	m.Add(Cairn, 0.5, 110)
	m.Add(C, 2, 100)
	m.Add(Cairn, 0.5, 110)
	return m
}

func TestRatio(t *testing.T) {
	m := measure("compress", "walk", 1)
	if got, ok := m.Ratio(Cairn, C); !ok || got != (Spread{3, 2, 4}) {
		t.Errorf("ratio is %v, %v", got, ok)
	}
	if got, ok := m.SizeRatio(Cairn, C); !ok || got != 1.1 {
		t.Errorf("size ratio is %v, %v", got, ok)
	}
	if got, ok := m.Speed(Cairn); !ok || got != 8 {
		t.Errorf("speed is %v, %v", got, ok)
	}
	if _, ok := m.Ratio(Cairn, Zarr); ok {
		t.Error("a ratio to a peer that took no part")
	}
}

func TestMeans(t *testing.T) {
	fast := measure("compress", "smooth", 2)
	for i := range fast.Sides[1].Seconds {
		fast.Sides[1].Seconds[i] /= 9
	}
	means := Means([]*Measure{measure("compress", "walk", 1), measure("compress", "smooth", 1), fast})
	if len(means) != 3 || math.Abs(means[0].Speed.Mean-3) > 1e-9 ||
		math.Abs(means[1].Speed.Mean-27) > 1e-9 || means[2].Samples != 3 {
		t.Fatalf("means are %+v", means)
	}
	if want := math.Cbrt(3 * 3 * 27); math.Abs(means[2].Speed.Mean-want) > 1e-9 {
		t.Errorf("the mean over threads is %v, want %v", means[2].Speed.Mean, want)
	}
	if s := means[2].Speed; s.On != "walk" || math.Abs(s.Worst-3) > 1e-9 {
		t.Errorf("the worst array is %+v", s)
	}
}

func TestUserRows(t *testing.T) {
	all := []*Measure{measure("point", "walk", 1), measure("point", "smooth", 1), measure("read box", "walk", 1)}
	rows := UserRows(all)
	if len(rows) != 3 || rows[0][4] != "× "+C || rows[1][4] != "3.00 (3.00)" ||
		rows[2][4] != "3.00" || rows[1][3] != "8 MB/s" {
		t.Errorf("rows are %q", rows)
	}
}

func TestText(t *testing.T) {
	r := &Report{Command: "bench/run -x", Rounds: 2, Measures: []*Measure{measure("compress", "walk", 1), measure("decompress", "walk", 1)},
		Missing: []string{"zarr-python: not installed"}, Figures: []Figure{{"allocations", "lz4", 0, "per chunk"}},
		Targets: []Outcome{{"compress, lz4", "1.5", "1.40", 3, true, false}, {"B2ND", "2", "not measured", 0, false, false}}}
	text := r.Text()
	for _, want := range []string{"bench/run -x", "walk", "lz4-5 shuffle 1 thr", "3.00", "2.00-4.00", "1.100", "8 MB/s", "zarr-python: not installed", "allocations", "MISSED", "not measured"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the text:\n%s", want, text)
		}
	}
	if strings.Contains(text, "where") {
		t.Error("an empty column is shown")
	}
}

func TestCSV(t *testing.T) {
	m := measure("compress", "odd, name", 1)
	rows, err := csv.NewReader(strings.NewReader((&Report{Measures: []*Measure{m}}).CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+4 || rows[1][2] != "odd, name" || rows[4][13] != "0.500000000" {
		t.Errorf("got %q", rows)
	}
}

func TestFrontiers(t *testing.T) {
	level := func(level int, seconds, cSeconds float64, size, cSize int64) *Measure {
		m := &Measure{Workload: "levels", Op: "compress", Data: "walk", Codec: "zstd", Filter: "shuffle", Level: level, Bytes: 1e6}
		m.Add(C, cSeconds, cSize)
		m.Add(Cairn, seconds, size)
		return m
	}
	// C's level 1 can be replaced by cairn's level 2 or, faster, level 3; levels 2 and 3 only by
	// level 3; nothing is as small as level 4.
	all := []*Measure{level(1, 1, 1, 1100, 1000), level(2, 4, 2, 1000, 900), level(3, 2, 8, 700, 800), level(4, 9, 9, 690, 600)}
	got := Frontiers(all)
	if len(got) != 1 || len(got[0].Ratios) != 3 || got[0].Levels[1] != 2 || got[0].Ratios[0] != 0.5 || got[0].Ratios[1] != 1 || got[0].Ratios[2] != 4 {
		t.Fatalf("%+v", got)
	}
	rows := frontierRows(got)
	if row := strings.Join(rows[1], " "); row != "walk zstd shuffle compress 1.26 0.50 1 4" {
		t.Errorf("row is %q", row)
	}
	if row := strings.Join(sizeRows(all)[1], " "); row != "walk zstd shuffle 1.100 1.111 0.875 1.150     " {
		t.Errorf("row is %q", row)
	}
}

func TestDistribution(t *testing.T) {
	slow := measure("compress", "smooth", 1)
	slow.Sides[1].Seconds = []float64{4, 4} // half and a quarter of C's speed
	d := DistributionOf("compress", []*Measure{measure("compress", "walk", 1), slow}, C)
	if len(d.Arrays) != 2 || d.Arrays[0] != "smooth" || math.Abs(d.Ratios[0]-0.375) > 1e-9 || math.Abs(d.Ratios[1]-3) > 1e-9 {
		t.Fatalf("got %+v", d)
	}
	if d.Quartile(0) != d.Ratios[0] || d.Quartile(1) != d.Ratios[1] {
		t.Errorf("the quartiles are %v and %v", d.Quartile(0), d.Quartile(1))
	}
	if got := DistributionOf("compress", []*Measure{slow}, ""); math.Abs(got.Ratios[0]-0.375) > 1e-9 {
		t.Errorf("against the fastest other: %+v", got)
	}
	want := "| compress | 1.06 | 0.38 | smooth | 0.38 | 3.00 | 3.00 | 3.00 | 2 |\n"
	if text := DistributionTable([]Distribution{d}); !strings.HasSuffix(text, want) {
		t.Errorf("the table is\n%s", text)
	}
}
