package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/codecs"
)

// standIn returns a driver that answers like the C side, with a time of half a millisecond for
// everything.
func standIn(t *testing.T) *driver {
	var loaded []byte
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	go func() {
		for lines := bufio.NewScanner(requests); lines.Scan(); {
			words := strings.Fields(lines.Text())
			seconds := "0.0005"
			switch words[0] {
			case "load":
				var err error
				if loaded, err = os.ReadFile(words[1]); err != nil {
					t.Error(err)
				}
				fmt.Fprintf(answers, "{\"size\": %d}\n", len(loaded))
				continue
			case "frame-write":
				j := job{codec: codecs.LZ4, typeSize: 1, chunkSize: 1 << 16}
				if err := writeFrame(words[1], &data.Set{Bytes: loaded}, j, 0); err != nil {
					t.Error(err)
				}
			case "frames", "chunks", "codec", "filter", "memcpy", "append", "frame-read":
				seconds = "0.0005, 0.0005"
			}
			fmt.Fprintf(answers, "{\"seconds\": [%s], \"size\": 1000000}\n", seconds)
		}
	}()
	t.Cleanup(func() { in.Close() })
	return &driver{&process{name: "stand-in", in: in, out: bufio.NewReader(out)}}
}

// byPython are the workloads whose files Python writes.
var byPython = []string{"hdf5", "reads"}

// TestWorkloads runs all workloads at a small size, with a stand-in for the C side, and checks that
// every target finds its measures and that all charts can be drawn.
func TestWorkloads(t *testing.T) {
	c, command, err := parseFlags([]string{"-quick", "-roundtime", "0", "-appended", "20000",
		"-size", "300000", "-chunk", "65536", "-rounds", "2", "-codecs", "blosclz,lz4,zstd",
		"-threads", "1,2",
		"-filters", "shuffle,bitshuffle", "-kinds", "arange.i8,walk.f8,smooth.f4,field.f4"})
	if err != nil {
		t.Fatal(err)
	}
	c.command = filepath.Join(t.TempDir(), "cairn")
	if text, err := exec.Command("go", "build", "-o", c.command, "../cmd/cairn").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v: %s", err, text)
	}
	s := &contest{config: c, c: standIn(t), has: map[string]bool{"plain": true},
		report: &result.Report{Command: command, Started: time.Now(), Rounds: c.rounds}}
	for _, w := range workloads() {
		if err := w.run(s); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if len(s.report.Of(w.name)) == 0 && !slices.Contains(byPython, w.name) {
			t.Errorf("%s measured nothing", w.name)
		}
	}
	for _, o := range judge(s.report) {
		missing := strings.Contains(o.Target, "lz4hc") || strings.Contains(o.Target, "zlib") ||
			strings.Contains(o.Target, "1 000 000") ||
			// not part of -quick
			strings.Contains(o.Target, "disk") || strings.Contains(o.Target, "mapped") ||
			strings.HasPrefix(o.Target, "TensorStore") || strings.HasPrefix(o.Target, "Zarr,") ||
			strings.HasPrefix(o.Target, "verbs,") || strings.HasPrefix(o.Target, "reads,")
		if o.Measured == missing {
			t.Errorf("target %q: measured is %v", o.Target, o.Measured)
		}
	}
	dir := t.TempDir()
	if err := drawAll(s.report, dir); err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads() {
		if _, err := os.Stat(filepath.Join(dir, w.name+".svg")); err != nil && !slices.Contains(byPython, w.name) {
			t.Error(err)
		}
	}
}

func TestJudge(t *testing.T) {
	measure := func(codec, data string, seconds float64, size int64) *result.Measure {
		m := &result.Measure{Workload: "frames", Op: "compress", Data: data, Codec: codec, Threads: 1}
		m.Add(result.C, 1, 1000)
		m.Add(result.Cairn, seconds, size)
		return m
	}
	copied := &result.Measure{Workload: "arrays", Op: "read whole", Place: "memory", Codec: "zstd", Data: "walk"}
	for peer, seconds := range map[string]float64{result.C: 1, result.Cairn: 1, result.Memcpy: 0.9} {
		copied.Add(peer, seconds, 0)
	}
	r := &result.Report{Measures: []*result.Measure{copied,
		measure("lz4", "walk", 0.5, 1000), measure("lz4", "counter", 0.5, 1040),
		measure("blosclz", "walk", 0.5, 1000), measure("lz4hc", "walk", 2, 1000),
		measure("zlib", "walk", 1/1.7, 1000), measure("zlib", "counter", 1.25, 1000)}}
	want := map[string]bool{
		"compress, lz4, 1 thr": true, "size, lz4": false, // the worst array is too large
		"compress, blosclz, 1 thr": true, "size, blosclz": true,
		"compress, lz4hc, 1 thr": false, "size, lz4hc": true,
		"compress, zlib, 1 thr": false, "size, zlib": true,
		"array, memory, zstd, read whole": true, // near memcpy
	}
	for _, o := range judge(r) {
		reached, measured := want[o.Target]
		if o.Measured != measured || o.Reached != reached {
			t.Errorf("%q: %+v", o.Target, o)
		}
	}
}
