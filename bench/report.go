package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is what one combination gave on one data set, round by round.
type row struct {
	set      string
	job      job
	size     int
	c, cairn []timing
}

// spread is the median of ratios and the range they fall in.
type spread struct{ median, low, high float64 }

func spreadOf(v []float64) spread {
	s := slices.Clone(v)
	slices.Sort(s)
	mid := s[len(s)/2]
	if len(s)%2 == 0 {
		mid = (s[len(s)/2-1] + mid) / 2
	}
	return spread{mid, s[0], s[len(s)-1]}
}

// ratios returns, per direction, the speed of cairn relative to C within each round.
func (r *row) ratios() (compress, decompress spread) {
	var a, b []float64
	for i := range r.c {
		a = append(a, r.c[i].Compress/r.cairn[i].Compress)
		b = append(b, r.c[i].Decompress/r.cairn[i].Decompress)
	}
	return spreadOf(a), spreadOf(b)
}

// speeds returns the median MB/s of one side.
func (r *row) speeds(side []timing) (compress, decompress float64) {
	var a, b []float64
	for _, t := range side {
		a = append(a, float64(r.size)/t.Compress/1e6)
		b = append(b, float64(r.size)/t.Decompress/1e6)
	}
	return spreadOf(a).median, spreadOf(b).median
}

// sizeRatio returns cairn's compressed size relative to C's.
func (r *row) sizeRatio() float64 { return float64(r.cairn[0].CBytes) / float64(r.c[0].CBytes) }

// factor returns how much C compressed.
func (r *row) factor() float64 { return float64(r.size) / float64(r.c[0].CBytes) }

const heading = "data                 codec    lvl filter     thr | compress: C MB/s  cairn  ratio (range)       | decompress: C MB/s  cairn  ratio (range)     | C x    size ratio"

func (r *row) line() string {
	rc, rd := r.ratios()
	cc, cd := r.speeds(r.c)
	oc, od := r.speeds(r.cairn)
	return fmt.Sprintf("%-20s %-8s %3d %-10s %3d | %14.0f %6.0f  %5.2f (%.2f-%.2f)%6s| %16.0f %6.0f  %5.2f (%.2f-%.2f)%4s| %6.2f %6.3f",
		r.set, r.job.codec, r.job.level, r.job.filterName, r.job.threads, cc, oc, rc.median, rc.low, rc.high, "",
		cd, od, rd.median, rd.low, rd.high, "", r.factor(), r.sizeRatio())
}

// report is a whole run.
type report struct {
	command string
	cblosc2 string
	layer   string
	started time.Time
	load    string // of the machine when the run began
	rounds  int
	rows    []row
}

func (r *report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cairn against C-Blosc2 %s, layer %s, %d rounds of each combination, the two alternating\n", r.cblosc2, r.layer, r.rounds)
	fmt.Fprintf(&b, "date     %s\ncommand  %s\nmachine  %s, %d CPUs, %s/%s, %s\n", r.started.Format("2006-01-02 15:04"), r.command, cpuModel(), runtime.NumCPU(),
		runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Fprintf(&b, "load     %s; with other work on the machine the medians hold better than the ranges\n\n", r.load)
	b.WriteString("A ratio is the speed of cairn divided by that of C within a round: the median, and the lowest and highest round.\n")
	b.WriteString("C x is how much C compressed; size ratio is the size cairn wrote divided by C's.\n\n")
	b.WriteString(heading + "\n")
	for i := range r.rows {
		b.WriteString(r.rows[i].line() + "\n")
	}
	b.WriteString("\nGeometric means of the ratios\n")
	fmt.Fprintf(&b, "%-8s %3s %-10s %3s %9s %11s %6s\n", "codec", "lvl", "filter", "thr", "compress", "decompress", "size")
	for _, g := range r.groups() {
		fmt.Fprintf(&b, "%-8s %3s %-10s %3s %9.2f %11.2f %6.3f\n", g.codec, g.level, g.filter, g.threads, g.compress, g.decompress, g.size)
	}
	return b.String()
}

type group struct {
	codec, level, filter, threads string
	compress, decompress, size    float64
}

// groups averages over data sets, and over filters and threads too for the last lines.
func (r *report) groups() []group {
	var out []group
	index := map[string]int{}
	counts := map[string]int{}
	var order []string
	add := func(codec, level, filter, threads string, row *row) {
		key := strings.Join([]string{codec, level, filter, threads}, "/")
		if _, ok := index[key]; !ok {
			index[key] = len(out)
			order = append(order, key)
			out = append(out, group{codec: codec, level: level, filter: filter, threads: threads})
		}
		g := &out[index[key]]
		c, d := row.ratios()
		g.compress += math.Log(c.median)
		g.decompress += math.Log(d.median)
		g.size += math.Log(row.sizeRatio())
		counts[key]++
	}
	for i := range r.rows {
		j := r.rows[i].job
		add(j.codec.String(), fmt.Sprint(j.level), j.filterName, fmt.Sprint(j.threads), &r.rows[i])
	}
	for i := range r.rows {
		j := r.rows[i].job
		add(j.codec.String(), fmt.Sprint(j.level), "all", "all", &r.rows[i])
	}
	for i, key := range order {
		n := float64(counts[key])
		out[i].compress, out[i].decompress, out[i].size = math.Exp(out[i].compress/n), math.Exp(out[i].decompress/n), math.Exp(out[i].size/n)
	}
	return out
}

func (r *report) csv() string {
	var b strings.Builder
	b.WriteString("data,bytes,codec,level,filter,threads,layer,round,c_compress_s,c_decompress_s,c_bytes,cairn_compress_s,cairn_decompress_s,cairn_bytes\n")
	for i := range r.rows {
		w := &r.rows[i]
		for n := range w.c {
			fmt.Fprintf(&b, "%s,%d,%s,%d,%s,%d,%s,%d,%.9f,%.9f,%d,%.9f,%.9f,%d\n", w.set, w.size, w.job.codec, w.job.level, w.job.filterName, w.job.threads,
				w.job.layer, n, w.c[n].Compress, w.c[n].Decompress, w.c[n].CBytes, w.cairn[n].Compress, w.cairn[n].Decompress, w.cairn[n].CBytes)
		}
	}
	return b.String()
}

// loadAverage returns how many processes wanted to run during the last minute, where the system tells it.
func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(raw), " ")
	return one
}

// cpuModel returns the processor's name where the system tells it.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}
