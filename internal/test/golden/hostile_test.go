package golden_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/test/golden"
)

// The number of damaged copies of each golden, and the permitted cost of reading one.
const (
	truncations = 200
	byteFlips   = 2000
	// bytes allocated beyond four times the size that the sound file declares
	maxExtra = 64 << 20
	maxTime  = 10 * time.Second
)

// A victim is a golden to damage, and a way to read the damaged file.
type victim struct {
	name string
	raw  []byte
	size int64 // decoded size that the undamaged file declares
	// read decodes as much as possible and returns a digest of it, or the first error. Several
	// goroutines call it concurrently.
	read func(raw []byte) ([32]byte, error)
}

// toDamage returns the goldens of the given kinds to damage. Most files of the families early and
// every are similar, so only the marked ones are included.
func toDamage(t *testing.T, kinds ...golden.Kind) []*golden.Case {
	t.Helper()
	return slices.DeleteFunc(cases(t, kinds...), func(c *golden.Case) bool {
		family, _, _ := strings.Cut(c.Name, "-")
		return !c.Hostile && (family == "early" || family == "every")
	})
}

// alone is locked for writing while one case is measured alone.
var alone sync.RWMutex

// damage checks that every truncation gives an error or the correct result, and that flipped bytes
// cause neither a panic nor excessive use of time or memory.
func damage(t *testing.T, v victim) {
	t.Helper()
	cuts, flips := truncations, byteFlips
	if testing.Short() { // under emulation and the race detector everything takes ten times as long
		cuts, flips = cuts/20, flips/20
	}
	want, wantErr := v.read(v.raw)
	for i := range cuts {
		n := len(v.raw) * i / cuts
		got, cost, err := v.measure(bytes.Clone(v.raw[:n]))
		if cost != "" {
			t.Fatalf("cut to %d bytes: %s", n, cost)
		}
		if err == nil && (wantErr != nil || got != want) {
			t.Fatalf("cut to %d of %d bytes: a wrong answer without an error", n, len(v.raw))
		}
	}
	rng := rand.New(rand.NewPCG(7, uint64(len(v.raw))))
	work := bytes.Clone(v.raw)
	for i := range flips {
		copy(work, v.raw)
		what := ""
		for range 1 + i%3 {
			at := rng.IntN(len(work))
			if i%2 == 0 { // headers hold most of what can go wrong
				at = rng.IntN(min(len(work), 200))
			}
			value := byte(rng.Uint32())
			if i%5 == 0 {
				value = []byte{0, 0xff, 0x7f, 0x80}[rng.IntN(4)]
			}
			what += fmt.Sprintf(" byte %d = %#02x", at, value)
			work[at] = value
		}
		if _, cost, _ := v.measure(work); cost != "" {
			t.Fatalf("with%s: %s", what, cost)
		}
	}
}

// measure reads damaged bytes and describes any failure other than an error: a panic, or too much
// time or memory. Other goroutines allocate too, so a result that exceeds the limits is measured
// again alone.
func (v *victim) measure(raw []byte) (digest [32]byte, cost string, err error) {
	alone.RLock()
	digest, cost, err = v.once(raw)
	alone.RUnlock()
	if cost == "" {
		return digest, "", err
	}
	alone.Lock()
	defer alone.Unlock()
	return v.once(raw)
}

func (v *victim) once(raw []byte) (digest [32]byte, cost string, err error) {
	defer func() {
		if r := recover(); r != nil {
			cost = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	before, start := allocated(), time.Now()
	digest, err = v.read(raw)
	if took := time.Since(start); took > maxTime {
		cost = fmt.Sprintf("took %v", took)
	}
	if bytes := allocated() - before; bytes > 4*uint64(v.size)+maxExtra {
		cost = fmt.Sprintf("allocated %d bytes for %d declared ones", bytes, v.size)
	}
	return digest, cost, err
}

// allocated returns the number of bytes that the process has allocated so far, including freed
// ones.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// buffers is a pool of buffers for decoded bytes, so that the test's own buffers do not count.
var buffers = sync.Pool{New: func() any { b := make([]byte, 1<<20); return &b }}

func TestHostileChunks(t *testing.T) {
	for _, c := range toDamage(t, golden.Chunk) {
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			damage(t, victim{c.Name, raw, c.DecodedSize, readChunk})
		})
	}
}

func readChunk(raw []byte) ([32]byte, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	n, err := chunk.NewDecoder(nil).Decode(*buf, raw)
	if err != nil {
		return [32]byte{}, err
	}
	return sha256.Sum256((*buf)[:n]), nil
}
