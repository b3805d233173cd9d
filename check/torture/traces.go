package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A trace of a writer that never syncs shows how often a crash loses its data, and that this
// program notices.

// share counts crashes, and those after which the frame has neither the state before the action nor
// the one after it.
type share struct {
	Points  int     `json:"points"`
	Lost    int     `json:"lost"`
	Percent float64 `json:"percent"`
}

func (s *share) count(lost bool) {
	s.Points++
	if lost {
		s.Lost++
	}
	s.Percent = 100 * float64(s.Lost) / float64(s.Points)
}

// shares are the losses of a writer under each model of crashes.
type shares struct {
	Trace   string `json:"trace"`
	Kind    string `json:"kind"`
	Actions int    `json:"actions"`
	A       share  `json:"a"`
	B       share  `json:"b"`
	C       share  `json:"c"`
}

func (s shares) String() string {
	return fmt.Sprintf("%s: %d actions; lost A %d of %d (%.1f %%), B %d of %d (%.1f %%), C %d of %d (%.1f %%)",
		s.Trace, s.Actions, s.A.Lost, s.A.Points, s.A.Percent, s.B.Lost, s.B.Points, s.B.Percent, s.C.Lost, s.C.Points, s.C.Percent)
}

// measured are the known shares of traces in percent. Those of the traces in testdata were measured
// with this program, the others by a harness that opened the states with the C library.
var measured = map[string][3]float64{
	"cblosc2-cframe": {60.8, 99.3, 76.0},
	"cblosc2-sframe": {31.4, 46.7, 58.0},
	"cblosc2-b2nd":   {91.9, 96.5, 85.5},

	"cblosc2-3.3.3dev-cframe": {58.7, 95.7, 77.1},
	"cblosc2-3.3.3dev-sframe": {31.4, 48.8, 59.5},
	"cblosc2-3.3.3dev-b2nd":   {88.2, 100, 66.0},
}

// unexpected describes how the shares differ from the known ones of the trace.
func (s shares) unexpected() string {
	want, known := measured[s.Trace]
	if !known {
		return ""
	}
	for i, got := range []share{s.A, s.B, s.C} {
		if math.Abs(got.Percent-want[i]) > 3 {
			return fmt.Sprintf("%v; model %c should lose %.1f %%", s, 'A'+i, want[i])
		}
	}
	return ""
}

// traceFrame is the name of the frame in traces.
const traceFrame = "f.b2frame"

// replayTrace counts the losses of the writer of a trace.
func replayTrace(r io.Reader, kind string, seed uint64, samples int) (shares, error) {
	log, marks, err := storagetest.ReadTrace(r)
	if err != nil {
		return shares{}, err
	}

	out := shares{Kind: kind}
	look := func(fsys storage.FS) (content, error) { return lookAtForeign(fsys, traceFrame, kind == "b2nd") }
	rng := rand.New(rand.NewPCG(seed, 0x7ace))
	for i, m := range marks {
		if i == 0 {
			continue // the first action creates the frame, so there is nothing to lose
		}
		out.Actions++

		before, err := look(log.Before(m))
		if err != nil {
			return shares{}, fmt.Errorf("before %s (action %d): %w", m.Name, i, err)
		}
		after, err := look(log.After(m))
		if err != nil {
			return shares{}, fmt.Errorf("after %s (action %d): %w", m.Name, i, err)
		}

		lost := func(c storagetest.Crash) bool {
			got, err := look(log.Image(c))
			return err != nil || got != before && got != after
		}

		for at := m.From + 1; at < m.To; at++ {
			out.A.count(lost(storagetest.Crash{Model: storagetest.Kill, At: at, From: m.From}))
		}
		for at := m.From + 1; at <= m.To; at++ {
			for _, cut := range sectorCuts(log.Ops[at-1]) {
				out.B.count(lost(storagetest.Crash{Model: storagetest.Torn, At: at, From: m.From, Cut: cut}))
			}
		}
		for k := range samples {
			out.C.count(lost(storagetest.Crash{
				Model: storagetest.PowerLoss, At: m.From + 1 + rng.IntN(m.To-m.From), From: m.From,
				Seed: rng.Uint64() | 1, Unit: []int64{storagetest.Page, storagetest.Sector}[k%2], Sizes: true,
			}))
		}
	}
	return out, nil
}

// sectorCuts returns the lengths of a write that are possible if its last sectors are lost.
func sectorCuts(op storagetest.Op) []int64 {
	if op.Kind != storagetest.OpWrite {
		return nil
	}
	var cuts []int64
	end := op.Offset + int64(len(op.Data))
	for p := op.Offset - op.Offset%storagetest.Sector + storagetest.Sector; p < end; p += storagetest.Sector {
		cuts = append(cuts, p-op.Offset)
	}
	return cuts
}

// replayTraces replays every trace in a directory.
func replayTraces(dir string, seed uint64, samples int) ([]shares, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.trace.gz"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no *.trace.gz in %s", dir)
	}
	var out []shares
	for _, name := range names {
		s, err := replayFile(name, seed, samples)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func replayFile(name string, seed uint64, samples int) (shares, error) {
	f, err := os.Open(name)
	if err != nil {
		return shares{}, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return shares{}, err
	}
	base := strings.TrimSuffix(filepath.Base(name), ".trace.gz")
	s, err := replayTrace(z, base[strings.LastIndexByte(base, '-')+1:], seed, samples)
	s.Trace = base
	return s, errors.Join(err, z.Close())
}
