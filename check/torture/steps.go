package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Steps are numbered changes, so the number of the last one determines the expected content. A
// metalayer holds it.

// stepLayer is the metalayer that holds the number of the last change.
const stepLayer = "step"

// killChunks is the number of chunks that a frame grows to.
const killChunks = 12

// A way is the kind of file that a process changes until it is killed.
type way struct {
	// "frame"; "compact", which compacts the frame with every third commit; "array", of which boxes
	// change; or "rows", an array that grows.
	kind   string
	sparse bool
	size   int // bytes of a chunk of a frame
}

var ways = []way{
	{"frame", false, 1 << 10}, {"frame", false, 256 << 10}, {"frame", true, 1 << 10}, {"frame", true, 256 << 10},
	{"compact", false, 16 << 10}, {"compact", true, 16 << 10}, {"array", false, 0}, {"array", true, 0},
	{"rows", false, 0}, {"rows", true, 0},
}

func (w way) String() string {
	layout := "contiguous"
	if w.sparse {
		layout = "sparse"
	}
	if w.size == 0 {
		return layout + " " + w.kind
	}
	return fmt.Sprintf("%s %s, %d KiB", layout, w.kind, w.size>>10)
}

// want returns the expected content after the given number of steps.
func (w way) want(steps int) content {
	s, number := newSummer(), []meta.Layer{{Name: stepLayer, Content: strconv.AppendInt(nil, int64(steps), 10)}}
	if w.isArray() {
		items := w.items(steps)
		s.add(items)
		s.layers(number)
		return content{1, int64(len(items)), s.sum()}
	}
	chunks := stepState(steps)
	for _, n := range chunks {
		s.add(stepChunk(n, w.size))
	}
	s.layers(nil)
	s.layers(number)
	return content{len(chunks), int64(len(chunks) * w.size), s.sum()}
}

func (w way) isArray() bool { return w.kind == "array" || w.kind == "rows" }

// items returns the expected items of an array after the given number of steps.
func (w way) items(steps int) []byte {
	if w.kind == "rows" {
		return grownRows(rowsAfter(steps))
	}
	a := dense.New([]int64{stepRows, stepColumns}, 2, nil)
	for n := 1; n <= steps; n++ {
		b := boxOfStep(n)
		a.SetBox([]int64{int64(b.top), int64(b.left)}, []int64{int64(b.bottom), int64(b.right)}, b.items())
	}
	return a.Data
}

// look reads the content.
func (w way) look(name string) (content, error) {
	if w.isArray() {
		return lookAtArray(storage.OS(), name)
	}
	return lookAtFrame(storage.OS(), name)
}

// stepState returns, for every chunk of a frame after the given number of changes, the number of
// the change that wrote it.
func stepState(steps int) []int {
	var chunks []int
	for n := 1; n <= steps; n++ {
		if len(chunks) < killChunks {
			chunks = append(chunks, n)
		} else if n%5 == 0 {
			chunks = slices.Delete(chunks, n%killChunks, n%killChunks+1)
		} else {
			chunks[n%killChunks] = n
		}
	}
	return chunks
}

// stepChunk returns the chunk that change n writes.
func stepChunk(n, size int) []byte {
	b := make([]byte, size)
	rng := rand.NewPCG(uint64(n), 6)
	for i := 0; i+8 <= size/2; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
	}
	binary.LittleEndian.PutUint64(b, uint64(n))
	return b
}

// The array of steps: items of two bytes.
const (
	stepRows    = 61
	stepColumns = 44
)

// stepBox is the box that a step writes to the array.
type stepBox struct {
	top, bottom, left, right int
	fill                     bool // the same value everywhere
	value                    uint16
}

func boxOfStep(n int) stepBox {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	b := stepBox{top: rng.IntN(stepRows), left: rng.IntN(stepColumns), fill: n%3 == 0, value: uint16(n)}
	b.bottom, b.right = b.top+1+rng.IntN(stepRows-b.top), b.left+1+rng.IntN(stepColumns-b.left)
	return b
}

// items returns the box in C order.
func (b stepBox) items() []byte {
	var out []byte
	for k := range (b.bottom - b.top) * (b.right - b.left) {
		v := b.value
		if !b.fill {
			v += uint16(k * k)
		}
		out = binary.LittleEndian.AppendUint16(out, v)
	}
	return out
}

// A stepper runs steps. It is never closed, because its process is killed.
type stepper struct {
	way
	f *frame.Frame
	a *ndarray.Untyped // of an array
}

// open opens or creates the file, and returns its number of steps.
func (s *stepper) open(name string) (int, error) {
	var err error
	switch s.kind {
	case "rows":
		s.a, err = ndarray.Open(name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, WriteBehind: mayWait})
		if errors.Is(err, fs.ErrNotExist) {
			s.a, err = createGrowing(name, s.sparse)
		}
	case "array":
		s.a, err = ndarray.Open(name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
		if errors.Is(err, fs.ErrNotExist) {
			s.a, err = ndarray.CreateUntyped(name, "<u2", ndarray.Shape{stepRows, stepColumns}, &ndarray.Options{
				ChunkShape: ndarray.Shape{16, 15}, BlockShape: ndarray.Shape{8, 15}, Codec: codecs.LZ4, Sparse: s.sparse,
			})
		}
	default:
		s.f, err = frame.Open(name, &frame.OpenOptions{Mode: frame.ReadWrite})
		if errors.Is(err, fs.ErrNotExist) {
			s.f, err = frame.Create(name, &frame.Options{Codec: codecs.LZ4, Sparse: s.sparse})
		}
	}
	if err != nil {
		return 0, err
	}
	if s.a != nil {
		s.f = s.a.Frame()
	}
	return stepsOf(s.f)
}

// stepsOf returns the number of steps in a frame.
func stepsOf(f *frame.Frame) (int, error) {
	if len(f.VLNames()) == 0 {
		return 0, nil
	}
	b, err := f.VL(stepLayer)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

// step runs step n and commits it.
func (s *stepper) step(n int) (err error) {
	ctx := context.Background()
	was := 0
	if s.a == nil {
		was = len(stepState(n - 1))
	}
	switch {
	case s.kind == "rows":
		err = grow(s.a, n)
	case s.a != nil:
		b := boxOfStep(n)
		rows, columns := ndarray.Range(int64(b.top), int64(b.bottom)), ndarray.Range(int64(b.left), int64(b.right))
		if b.fill {
			err = s.a.Fill(ctx, b.value, rows, columns)
		} else {
			err = s.a.Write(ctx, b.items(), rows, columns)
		}
	case was < killChunks:
		_, err = s.f.Append(ctx, stepChunk(n, s.size))
	case n%5 == 0:
		err = s.f.Delete(ctx, n%killChunks)
	default:
		err = s.f.Update(ctx, n%killChunks, stepChunk(n, s.size))
	}
	if err == nil {
		err = s.f.SetVL(stepLayer, strconv.AppendInt(nil, int64(n), 10))
	}
	if err != nil {
		return err
	}
	if s.kind == "compact" && n%3 == 0 || s.a != nil && n%7 == 0 {
		_, err = s.f.Compact(ctx)
		return err
	}
	return s.f.Commit(ctx)
}
