package result

import (
	"testing"
)

// convert returns a measure of two rounds with the times of cairn and of two others.
func convert(data string, threads int, cairn, python, xarray float64) *Measure {
	m := &Measure{Workload: "verbs", Op: "npy to b2nd", Data: data, Codec: "lz4", Level: 5, Filter: "shuffle",
		Threads: threads, TypeSize: 4, Bytes: 4e6}
	for range 2 {
		m.Add(Cairn, cairn, 10)
		m.Add(Python, python, 10)
		m.Add(XArray, xarray, 0)
	}
	return m
}

func TestFastest(t *testing.T) {
	if peer, ratio, ok := convert("walk", 1, 0.5, 2, 1).Fastest(); peer != XArray || ratio != 2 || !ok {
		t.Errorf("got %s, %v, %v", peer, ratio, ok)
	}
	alone := &Measure{}
	alone.Add(Cairn, 1, 0)
	if _, _, ok := alone.Fastest(); ok {
		t.Error("a fastest other without others")
	}
}

func TestFastestTable(t *testing.T) {
	got := FastestTable([]*Measure{convert("walk", 1, 0.5, 2, 1), convert("sparse", 1, 1, 8, 9),
		convert("walk", 2, 1, 0.5, 2)})
	want := `|  | lz4, 1 thr | lz4, 2 thr | fastest others |
| --- | ---: | ---: | --- |
| npy to b2nd | 4.00 (2.00) | 0.50 (0.50) | xarray, python-blosc2 |
| all | 4.00 (2.00) | 0.50 (0.50) |  |

- 0.50 npy to b2nd, walk, lz4, 2 thr: python-blosc2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
