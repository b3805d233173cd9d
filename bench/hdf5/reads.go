package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/cairn-go/cairn/hdf5"
)

// A part is one or several places of an array, which are read in turn.
type part struct {
	name        string
	start, stop [][]int64
}

// parts returns the whole, a plane along each dimension, a series along the first, and a box.
func parts(shape []int64) []part {
	whole := part{name: "whole"}
	list := []part{}
	box, series := part{name: "box"}, part{name: "series"}
	planes := make([]part, len(shape))
	const places = 4
	for k := range int64(places) {
		start, stop := make([]int64, len(shape)), slices.Clone(shape)
		if k == 0 {
			whole.start, whole.stop = [][]int64{start}, [][]int64{stop}
		}
		bs, be, ss, se := slices.Clone(start), slices.Clone(stop), slices.Clone(start), slices.Clone(stop)
		for d, n := range shape {
			at := n * (2*k + 1) / (2 * places)
			ps, pe := slices.Clone(start), slices.Clone(stop)
			ps[d], pe[d] = at, at+1
			planes[d].name = fmt.Sprintf("plane %d", d)
			planes[d].start, planes[d].stop = append(planes[d].start, ps), append(planes[d].stop, pe)
			bs[d] = max(0, at-50)
			be[d] = min(n, bs[d]+100)
			if d > 0 {
				ss[d], se[d] = at, at+1
			}
		}
		box.start, box.stop = append(box.start, bs), append(box.stop, be)
		series.start, series.stop = append(series.start, ss), append(series.stop, se)
	}
	list = append(list, whole)
	if len(shape) > 1 {
		list = append(append(list, planes...), series)
	}
	return append(list, box)
}

// A row is a part of a file, read with some threads.
type row struct {
	threads int
	ratios  []float64 // to each library: medians
}

var libraries = []string{"h5py", "netCDF4"}

// reads measures all parts of a file, and prints a row for each.
func (c *config) reads(ctx context.Context, p *peer, kind, file, path string, chunks []int64) ([]row, error) {
	f, err := hdf5.Open(path, nil)
	if err != nil {
		return nil, err
	}
	d, err := f.Dataset(ctx, "v")
	if err != nil {
		return nil, err
	}
	fmt.Printf("\n%s %v of %v, %s, chunks %v\n\n| part | threads | cairn, ms | h5py, ms | netCDF4, ms | h5py / cairn | netCDF4 / cairn |\n|---|---|---|---|---|---|---|\n",
		kind, d.Shape(), d.DType(), file, d.Info().Chunks)
	if err := f.Close(); err != nil {
		return nil, err
	}
	var rows []row
	for _, part := range parts(d.Shape()) {
		if c.parts != nil && !slices.Contains(c.parts, part.name) {
			continue
		}
		for _, threads := range []int{1, 2} {
			m := measured{config: c, peer: p, path: path, part: part, threads: threads, item: int64(d.DType().Size())}
			r, err := m.run(ctx)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// measured is the measurement of a row.
type measured struct {
	*config
	peer    *peer
	path    string
	part    part
	threads int
	item    int64
	missing [2]bool // libraries that cannot read the file

	times [3][]float64 // of cairn and each library, by round
}

func (m *measured) run(ctx context.Context) (row, error) {
	runtime.GOMAXPROCS(m.threads)
	defer runtime.GOMAXPROCS(runtime.NumCPU())
	f, err := hdf5.Open(m.path, &hdf5.OpenOptions{Workers: m.threads})
	if err != nil {
		return row{}, err
	}
	defer f.Close()
	d, err := f.Dataset(ctx, "v")
	if err != nil {
		return row{}, err
	}
	for round := range m.rounds + 1 { // the first one does not count
		if err := m.round(ctx, d, round); err != nil {
			return row{}, err
		}
	}
	return m.print(), nil
}

// round lets all read the same part, in an order that changes with the round.
func (m *measured) round(ctx context.Context, d *hdf5.Dataset, round int) error {
	var sums [3]uint32
	for k := range 3 {
		who := (k + round) % 3
		if who > 0 && m.missing[who-1] {
			continue
		}
		best := math.Inf(1)
		for began, n := time.Now(), 0; n == 0 || time.Since(began) < 100*time.Millisecond; n++ {
			seconds, sum, err := m.all(ctx, d, who, round == 0 && n == 0)
			if err != nil && who > 0 {
				fmt.Printf("%s: %v\n", libraries[who-1], err)
				m.missing[who-1] = true
				break
			} else if err != nil {
				return err
			}
			best = min(best, seconds)
			if n == 0 {
				sums[who] = sum
			}
		}
		if round > 0 {
			m.times[who] = append(m.times[who], best)
		}
	}
	for i, sum := range sums[1:] {
		if round == 0 && !m.missing[i] && sum != sums[0] {
			return fmt.Errorf("%s reads other items", libraries[i])
		}
	}
	return nil
}

// all reads a part at all its places in turn, and returns the time of one on average.
func (m *measured) all(ctx context.Context, d *hdf5.Dataset, who int, check bool) (seconds float64, sum uint32, err error) {
	places := len(m.part.start)
	for place := range places {
		took, one, err := m.read(ctx, d, who, place, check)
		if err != nil {
			return 0, 0, err
		}
		seconds, sum = seconds+took, sum^one
	}
	return seconds / float64(places), sum, nil
}

// read reads a part at one of its places.
func (m *measured) read(ctx context.Context, d *hdf5.Dataset, who, place int, check bool) (float64, uint32, error) {
	start, stop := m.part.start[place], m.part.stop[place]
	if who > 0 {
		a, err := m.peer.call(map[string]any{"op": "read", "library": libraries[who-1], "path": m.path, "start": start,
			"stop": stop, "threads": m.threads, "check": check})
		return a.Seconds, a.Sum, err
	}
	n := m.item
	for i := range start {
		n *= stop[i] - start[i]
	}
	if n > 64<<20 {
		runtime.GC() // what the read before has left
	}
	began := time.Now()
	items := make([]byte, n)
	err := d.ReadBytes(ctx, items, start, stop)
	seconds := time.Since(began).Seconds()
	if check {
		return seconds, crc32.ChecksumIEEE(items), err
	}
	return seconds, 0, err
}

func (m *measured) print() row {
	r := row{threads: m.threads}
	fmt.Printf("| %s | %d | %.2f |", m.part.name, m.threads, 1e3*median(m.times[0]))
	var cells string
	for i := range libraries {
		if m.missing[i] {
			fmt.Print(" – |")
			cells += " – |"
			continue
		}
		var ratios []float64
		for k, t := range m.times[i+1] {
			ratios = append(ratios, t/m.times[0][k])
		}
		r.ratios = append(r.ratios, median(ratios))
		fmt.Printf(" %.2f |", 1e3*median(m.times[i+1]))
		cells += fmt.Sprintf(" %.2f (%.2f–%.2f) |", median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	fmt.Println(cells)
	return r
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// printMeans prints the geometric means of all ratios, and the least, by threads.
func printMeans(rows []row) {
	for _, threads := range []int{1, 2} {
		var logs, least, n = 0.0, math.Inf(1), 0.0
		for _, r := range rows {
			if r.threads != threads {
				continue
			}
			for _, ratio := range r.ratios {
				logs, least, n = logs+math.Log(ratio), min(least, ratio), n+1
			}
		}
		fmt.Printf("\n%d threads: mean %.2f, least %.2f, of %.0f ratios\n", threads, math.Exp(logs/n), least, n)
	}
}
