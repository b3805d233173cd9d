package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
)

// TestSides checks round trips of every side of cairn and of the plain libraries, for every codec.
// It needs no C.
func TestSides(t *testing.T) {
	for _, name := range kindNames(0) {
		set := kind(name, 200_000)
		for _, codec := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
			j, err := newJob(codec, "shuffle", 5, 2, set.TypeSize, 64<<10)
			if err != nil {
				t.Fatal(err)
			}
			var all []contender
			for _, workload := range []string{"frames", "chunks"} {
				c, err := cairnSide(workload, j, set.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, c)
			}
			plain, ok, err := plainGo(j, set.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				all = append(all, plain)
			}
			for _, c := range all {
				got, err := c.round(2)
				if err != nil {
					t.Fatalf("%s %s %v: %v", set.Name, c.peer, j, err)
				}
				if got.Size <= 0 || len(got.Seconds) != 2 || got.Seconds[0] <= 0 || got.Seconds[1] <= 0 {
					t.Errorf("%s %s %v: %+v", set.Name, c.peer, j, got)
				}
			}
		}
	}
}

func TestReadNPY(t *testing.T) {
	header := "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 1), }"
	header += strings.Repeat(" ", 118-1-len(header)) + "\n"
	raw := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	raw = append(append(raw, header...), 1, 0, 2, 0, 3, 0)
	path := filepath.Join(t.TempDir(), "three.npy")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := readNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "three" || s.TypeSize != 2 || s.DType != "<i2" || !slices.Equal(s.Shape, []int64{3, 1}) ||
		!bytes.Equal(s.Bytes, []byte{1, 0, 2, 0, 3, 0}) {
		t.Errorf("got %+v", s)
	}
	for _, bad := range [][]byte{nil, raw[:9], raw[:20], raw[:len(raw)-1], append([]byte("x"), raw...)} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readNPY(path); err == nil {
			t.Errorf("a file of %d bytes is taken for an array", len(bad))
		}
	}
}

func TestConfig(t *testing.T) {
	c, command, err := parseFlags([]string{"-driver", "/home/me/driver", "-data", "/home/me/data", "-quick", "-rounds", "9", "-codecs", "lz4", "-workloads", "frames,levels"})
	if err != nil {
		t.Fatal(err)
	}
	if c.rounds != 9 || len(c.threads) != 1 || len(c.workloads) != 2 || len(c.codecs) != 1 {
		t.Errorf("got %+v", c)
	}
	if want := "bench/run -codecs lz4 -data DIR -quick -rounds 9 -workloads frames,levels"; command != want {
		t.Errorf("the command is %q, want %q", command, want)
	}
	for _, bad := range [][]string{{"-workloads", "nothing"}, {"-levels", "x"}, {"rest"}} {
		if _, _, err := parseFlags(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestPassedFlags checks what a comparison of two commits makes of the command line.
func TestPassedFlags(t *testing.T) {
	c, command, err := parseFlags([]string{"-home", "/home/me/bench", "-out", "/home/me/out", "-against",
		"HEAD~1", "-quick", "-kinds", "ct.u2", "-pairs", "3"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-filters=shuffle", "-kinds=ct.u2", "-peers=none", "-quick=true", "-rounds=2",
		"-roundtime=0.01", "-size=2097152", "-threads=1", "-workloads=frames,users"}
	if !slices.Equal(c.passed, want) {
		t.Errorf("got %q", c.passed)
	}
	if want := "bench/run -against HEAD~1 -kinds ct.u2 -pairs 3 -quick"; command != want {
		t.Errorf("the command is %q, want %q", command, want)
	}
	if c, _, err = parseFlags([]string{"-against", "HEAD", "-seed", "3"}); err != nil {
		t.Fatal(err)
	}
	if len(c.kinds) != len(data.Drawn(3)) || c.size != 2<<20 ||
		strings.Contains(strings.Join(c.passed, " "), "seed") {
		t.Errorf("with a seed: %v, %d, %q", c.kinds, c.size, c.passed)
	}
	if err := compareCommits(&config{home: ".", driver: "driver", pairs: 1}); err == nil {
		t.Error("a single pair is taken, which does not say how much equal versions differ")
	}
}

func TestRegions(t *testing.T) {
	all := regions([]int64{10, 200, 7})
	if len(all) != 8 || all[0].bytes(4) != 10*200*7*4 || all[2].bytes(1) != 70 || all[4].bytes(2) != 2 ||
		!all[6].put || !all[7].commit || all[6].bytes(1) != 10*50*7 {
		t.Errorf("regions are %+v", all)
	}
}

// TestWriteSets writes kinds and reads them back, and draws others from a seed.
func TestWriteSets(t *testing.T) {
	dir := t.TempDir()
	c, _, err := parseFlags([]string{"-write", dir, "-size", "5000", "-kinds", "ct.u2,photo.u1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.writeSets(); err != nil {
		t.Fatal(err)
	}
	sets, err := readDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"ct.u2", "photo.u1"} {
		made, got := kind(want, 5000), sets[i]
		if got.Name != want || got.DType != made.DType ||
			!slices.Equal(got.Shape, made.Shape) || !bytes.Equal(got.Bytes, made.Bytes) {
			t.Errorf("%s came back as %s %s %v", want, got.Name, got.DType, got.Shape)
		}
	}
	if _, _, err := parseFlags([]string{"-seed", "3", "-kinds", "ct.u2"}); err == nil {
		t.Error("a kind is taken that is not drawn from a seed")
	}
	if c, _, err = parseFlags([]string{"-seed", "3", "-size", "20000"}); err != nil {
		t.Fatal(err)
	}
	if sets, err = c.dataSets(); err != nil || len(sets) != len(data.Drawn(3)) ||
		!bytes.Equal(sets[0].Bytes, data.Drawn(3)[0].Make(20000).Bytes) {
		t.Errorf("drew %d kinds, %v", len(sets), err)
	}
}

// TestSpread reads parts of a small array at several places.
func TestSpread(t *testing.T) {
	set := &data.Set{TypeSize: 2, Shape: []int64{3, 4}, Bytes: make([]byte, 24)}
	for i := range set.Bytes {
		set.Bytes[i] = byte(i)
	}
	r := region{op: "point", start: []int64{1, 2}, stop: []int64{3, 3}}
	if got := r.of(set); !bytes.Equal(got, []byte{12, 13, 20, 21}) {
		t.Errorf("the part is %v", got)
	}
	places := r.spread(set.Shape)
	if len(places) != spots || !slices.Equal(places[0].start, []int64{0, 0}) ||
		!slices.Equal(places[3].stop, []int64{2, 3}) {
		t.Errorf("places are %+v", places)
	}
	if r.put = true; len(r.spread(set.Shape)) != 1 {
		t.Error("a write is spread")
	}
	if part := middle(set, 7); !bytes.Equal(part.Bytes, set.Bytes[8:14]) {
		t.Errorf("the middle is %v", part.Bytes)
	}
}

// TestSummary writes the table and the chart of two runs.
func TestSummary(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, op := range []string{"compress", "decompress"} {
		m := &result.Measure{Workload: "frames", Op: op, Data: "rain", Codec: "zlib", Threads: 1}
		m.Add(result.C, 3, 100)
		m.Add(result.Cairn, 2, 100)
		path := filepath.Join(dir, op+".csv")
		text := (&result.Report{Measures: []*result.Measure{m}}).CSV()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(i, err)
		}
		paths = append(paths, path)
	}
	if err := summarizeFiles(paths, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "out", "summary.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := "| decompress, zlib | 1.50 | 1.50 | rain | 1.50 | 1.50 | 1.50 | 1.50 | 1 |\n"
	if !strings.HasSuffix(string(table), want) || !strings.Contains(string(table), "| compress, zlib |") {
		t.Errorf("the table is\n%s", table)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "summary.svg")); err != nil {
		t.Error(err)
	}
}
