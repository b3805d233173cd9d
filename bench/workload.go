package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// A workload is bytes to compress.
type workload struct {
	name     string
	typeSize int
	data     []byte
}

// workloads reads the .npy files of the data directory, or makes data up.
func workloads(c *config) ([]*workload, error) {
	if c.data == "" {
		return generated(c.size), nil
	}
	paths, err := filepath.Glob(filepath.Join(c.data, "*.npy"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no .npy files in %s", c.data)
	}
	sort.Strings(paths)
	var out []*workload
	for _, p := range paths {
		w, err := readNPY(p)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

var descr = regexp.MustCompile(`'descr': '[<>|=]?[a-zA-Z](\d+)'`)

// readNPY takes the elements of an array file in the order they are stored.
func readNPY(path string) (*workload, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(raw) < 12 || !bytes.HasPrefix(raw, []byte("\x93NUMPY")) {
		return nil, fmt.Errorf("%s is no .npy file", path)
	}
	start, size := 10, int(binary.LittleEndian.Uint16(raw[8:]))
	if raw[6] > 1 {
		start, size = 12, int(binary.LittleEndian.Uint32(raw[8:]))
	}
	if len(raw)-start < size {
		return nil, fmt.Errorf("%s ends within its header", path)
	}
	m := descr.FindSubmatch(raw[start : start+size])
	if m == nil {
		return nil, fmt.Errorf("%s: unsupported dtype in %q", path, raw[start:start+size])
	}
	item, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return nil, err
	}
	return &workload{strings.TrimSuffix(filepath.Base(path), ".npy"), item, raw[start+size:]}, nil
}

// generated makes five data sets of size bytes each: a counter, a random walk, a smooth field, photon counts, and mostly zeros.
func generated(size int) []*workload {
	rng := rand.New(rand.NewPCG(1, 2))
	arange := fill(size, 8, func(i int, b []byte) { binary.LittleEndian.PutUint64(b, uint64(i)) })
	level := 0.0
	walk := fill(size, 8, func(i int, b []byte) {
		level += rng.NormFloat64()
		binary.LittleEndian.PutUint64(b, math.Float64bits(level))
	})
	smooth := fill(size, 4, func(i int, b []byte) {
		x, y := float64(i%1024), float64(i/1024)
		v := 280 + 10*math.Sin(x/97)*math.Cos(y/151) + rng.NormFloat64()/200
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	})
	photon := fill(size, 2, func(i int, b []byte) {
		n, p := 0, rng.Float64()
		for limit := math.Exp(-1.5); p > limit; n++ {
			p *= rng.Float64()
		}
		binary.LittleEndian.PutUint16(b, uint16(n))
	})
	sparse := fill(size, 8, func(i int, b []byte) {
		if rng.IntN(100) == 0 {
			binary.LittleEndian.PutUint64(b, math.Float64bits(rng.NormFloat64()))
		}
	})
	return []*workload{{"arange.i8", 8, arange}, {"walk.f8", 8, walk}, {"smooth.f4", 4, smooth}, {"photon.u2", 2, photon}, {"sparse.f8", 8, sparse}}
}

// fill makes size bytes of items.
func fill(size, item int, put func(i int, b []byte)) []byte {
	out := make([]byte, size/item*item)
	for i := range size / item {
		put(i, out[i*item:][:item])
	}
	return out
}
