package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
)

// counted runs cases, none of which may fail.
func counted(t *testing.T, cfg *config) (c counts) {
	t.Helper()
	var out bytes.Buffer
	ok, err := run(cfg, &out)
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &c)
	}
	if err != nil || !ok {
		t.Fatalf("%v, %+v", err, c.Failures)
	}
	return c
}

// TestHostileFiles runs some thousand cases; the gate and longer runs have more (docs/testing.md).
func TestHostileFiles(t *testing.T) {
	n := 6000
	if testing.Short() { // emulation and the race detector make it ten times slower
		n = 300
	}
	c := counted(t, &config{n: n, seed: 1, one: -1, procs: 1})
	if c.Cases != n || c.Opened < n/10 || c.Calls < 4*n { // HDF5 and NetCDF files are only read
		t.Fatalf("the damage is not what it should be: %+v", c)
	}
	for _, m := range methods() {
		if c.Damage[m.name] < n/400 { // few seeds have metalayers or are archives
			t.Errorf("%s was done %d times", m.name, c.Damage[m.name])
		}
	}
}

// TestSampleOfEveryCase runs a part of the cases of -every.
func TestSampleOfEveryCase(t *testing.T) {
	stride := 1499
	if testing.Short() {
		stride *= 20
	}
	c := counted(t, &config{every: true, stride: stride, seed: 1, one: -1, procs: 1})
	if n := c.Cases; n < 3_000_000/stride || c.Damage["cut"] < n/4 || c.Damage["byte inverted"] < n/4 || c.Damage["bit"] < n/4 {
		t.Fatalf("not every place is damaged: %+v", c)
	}
}

func TestSeedsMatchTheirNames(t *testing.T) {
	seeds, err := loadSeeds(&config{})
	if err != nil {
		t.Fatal(err)
	}
	chunks, indexes := 0, 0
	for _, s := range seeds {
		for name, a := range s.parts {
			chunks += len(a.chunks)
			if a.index.to > 0 {
				indexes++
			}
			for _, f := range append(append(a.big, a.small...), a.inside...) {
				if f.at < 0 || f.at+f.width > len(s.files[name]) {
					t.Fatalf("%s: field %+v in %d bytes", s.name, f, len(s.files[name]))
				}
				b := bytes.Clone(s.files[name])
				if f.put(b, f.get(b)); !bytes.Equal(b, s.files[name]) {
					t.Fatalf("%s: field %+v does not read as it writes", s.name, f)
				}
			}
		}
	}
	if len(seeds) < 350 || chunks < 1000 || indexes < 250 {
		t.Fatalf("%d seeds, %d chunks, %d indexes", len(seeds), chunks, indexes)
	}
}

func TestFixedChecksumsAreRight(t *testing.T) {
	b, err := smallFrame(&frame.Options{TypeSize: 4, BlockSize: 128})
	if err != nil {
		t.Fatal(err)
	}
	a := examine(b)
	// In a metalayer: the frame opens with another value once the checksums are corrected.
	at := bytes.Index(b, []byte("\xa5value"))
	b[at+1] ^= 0x20
	if f, err := frame.FromBytes(bytes.Clone(b), nil); err == nil && !f.Info().Healed {
		t.Fatal("the checksum of the header says nothing")
	}
	fixSums(a, b)
	f, err := frame.FromBytes(b, nil)
	if err != nil || f.Info().Verdict != frame.Verified || f.Info().Healed {
		t.Fatalf("%v", err)
	}
	if v, err := f.Layer("fixed"); err != nil || string(v) != "\xa5Value" {
		t.Fatalf("%q, %v", v, err)
	}
	// In a chunk: the checksum matches now, but the chunk cannot be decoded.
	info, err := f.Chunk(0)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Clone(b)
	b[info.Offset+3] = 0
	fixSums(a, b)
	if f, err = frame.FromBytes(b, nil); err != nil {
		t.Fatal(err)
	}
	_, err = f.EncodedChunk(nil, 0)
	if !errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum) {
		t.Fatal(err)
	}
}
