package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunners checks that both layers give back what they got, for every codec; it needs no C.
func TestRunners(t *testing.T) {
	for _, set := range generated(200_000) {
		for _, layer := range []string{"frame", "chunk"} {
			for _, codec := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
				j, err := newJob(layer, codec, "shuffle", 5, 2, set.typeSize, 64<<10)
				if err != nil {
					t.Fatal(err)
				}
				r, err := newRunner(j, set.data)
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.run(2)
				if err != nil {
					t.Fatalf("%s %s %v: %v", set.name, layer, j, err)
				}
				if got.CBytes <= 0 || got.Compress <= 0 || got.Decompress <= 0 {
					t.Errorf("%s %s %v: %+v", set.name, layer, j, got)
				}
			}
		}
	}
}

func TestReadNPY(t *testing.T) {
	header := "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }"
	header += strings.Repeat(" ", 118-1-len(header)) + "\n"
	raw := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	raw = append(append(raw, header...), 1, 0, 2, 0, 3, 0)
	path := filepath.Join(t.TempDir(), "three.npy")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := readNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	if w.name != "three" || w.typeSize != 2 || !bytes.Equal(w.data, []byte{1, 0, 2, 0, 3, 0}) {
		t.Errorf("got %+v", w)
	}
	for _, bad := range [][]byte{nil, raw[:9], raw[:20], append([]byte("x"), raw...)} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readNPY(path); err == nil {
			t.Errorf("a file of %d bytes is taken for an array", len(bad))
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want spread
	}{{[]float64{3, 1, 2}, spread{2, 1, 3}}, {[]float64{4, 1, 2, 3}, spread{2.5, 1, 4}}, {[]float64{7}, spread{7, 7, 7}}} {
		if got := spreadOf(c.in); got != c.want {
			t.Errorf("spread of %v is %v, want %v", c.in, got, c.want)
		}
	}
}

// TestGroups checks that ratios are averaged geometrically and that a ratio above one means that cairn is faster.
func TestGroups(t *testing.T) {
	j, err := newJob("chunk", "lz4", "shuffle", 5, 1, 4, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{}
	for _, speed := range []float64{1, 4} {
		r.rows = append(r.rows, row{set: fmt.Sprint(speed), job: j, size: 100,
			c: []timing{{speed, 1, 10}}, cairn: []timing{{1, 2, 20}}})
	}
	g := r.groups()
	if len(g) != 2 || math.Abs(g[0].compress-2) > 1e-9 || math.Abs(g[0].decompress-0.5) > 1e-9 || math.Abs(g[0].size-2) > 1e-9 {
		t.Errorf("groups are %+v", g)
	}
	if lines := strings.Count(r.csv(), "\n"); lines != 3 {
		t.Errorf("the CSV has %d lines, want a heading and two rounds", lines)
	}
}

func TestGeneratedIsDeterministic(t *testing.T) {
	a, b := generated(10_000), generated(10_000)
	for i := range a {
		if !bytes.Equal(a[i].data, b[i].data) {
			t.Errorf("%s differs from run to run", a[i].name)
		}
	}
	if binary.LittleEndian.Uint64(a[0].data[8:]) != 1 {
		t.Error("the counter does not count")
	}
}
