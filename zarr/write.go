package zarr

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A writing writes the chunks of one array. Boxes of whole shards are read and encoded one after
// the other, each by all workers.
type writing struct {
	*metadata
	src     ndarray.Source
	sink    sink
	key     string // of the array, "" for the root
	all     bool   // write chunks of the fill value too
	memory  int64
	encoder func() (*encoder, error)
	checked bool // decode what has been encoded, and compare it
	workers []*writeWorker
	shards  map[string]*newShard // that are not complete yet
	report  func(bytes int64)
}

// A writeWorker is the state of one goroutine.
type writeWorker struct {
	*encoder
	check   *worker // decodes what has been encoded; nil if nothing is checked
	scratch grid.Scratch
	chunk   []byte
}

// encode returns an encoded chunk in memory of its own.
func (w *writeWorker) encode(items []byte) ([]byte, error) {
	encoded, err := w.encoder.encode(items)
	if err != nil || w.check == nil {
		return encoded, err
	}

	back, err := w.check.decode(nil, encoded)
	if err == nil && !bytes.Equal(back, items) {
		err = corruptChunk("it decodes to other items")
	}
	if err != nil {
		return nil, fmt.Errorf("check of an encoded chunk: %w", err)
	}
	return encoded, nil
}

// A newShard collects the inner chunks of a shard.
type newShard struct {
	inner [][]byte // nil for one of fill values
	left  int      // inner chunks to come
}

func (w *writing) run(ctx context.Context, workers int) error {
	for range parallel.Workers(workers) {
		e, err := w.encoder()
		if err != nil {
			return err
		}
		worker := &writeWorker{encoder: e, chunk: fresh.Make[byte](w.part.ChunkSize)}
		if w.checked {
			if worker.check, err = w.chain.worker(); err != nil {
				return err
			}
		}
		w.workers = append(w.workers, worker)
	}

	item := int64(w.dtype.Size())
	dims := w.part.Dims
	ahead := 0
	if ndarray.ViewOf(w.src).Inside().Requests() > 0 { // the next box is fetched meanwhile
		ahead = 1
	}

	memory := max(1, w.memory/int64(1+ahead))
	edge := slab.Chunked(w.shape, w.chunk, item, memory)
	inner := slab.Chunked(w.shape, w.part.Chunk[:dims], item, memory)

	boxes := func(yield func(slab.Box) bool) {
		for outer := range slab.Walk(make([]int64, dims), w.shape, edge) {
			within := edge
			if outer.Items() > memory/item { // a single shard that is too large
				within = inner
			}
			for b := range slab.Walk(outer.Start, outer.Stop, within) {
				if !yield(b) {
					return
				}
			}
		}
	}

	buffers := make([][]byte, 1+ahead)
	return readahead.Boxes(ctx, ahead, boxes, func(ctx context.Context, slot int, b slab.Box) ([]byte, error) {
		buffers[slot] = slab.Resize(buffers[slot], b.Items()*item)
		return buffers[slot], w.src.ReadBytes(ctx, buffers[slot], b.Start, b.Stop)
	}, func(b slab.Box, items []byte) error {
		err := w.box(ctx, items, b)
		if err != nil {
			return err
		}

		w.report(int64(len(items)))
		return nil
	})
}

// box encodes the chunks of a box.
func (w *writing) box(ctx context.Context, items []byte, b slab.Box) error {
	var plan grid.Box
	if err := plan.Set(w.part, b.Start, b.Stop); err != nil {
		return err
	}

	encoded := make([][]byte, plan.Pieces)
	places := make([]int64, plan.Pieces)
	err := parallel.For(ctx, len(w.workers), plan.Pieces, func(k, i int) (err error) {
		worker := w.workers[k]
		piece := plan.Take(i, &worker.scratch)
		places[i] = piece.Chunk
		full := piece.Direct(items, 0)
		if full == nil {
			full = worker.chunk
			if !piece.Covers(0) {
				repeat(full, w.fill)
			}
			piece.Gather(full, 0, items)
		}

		if !w.all && constant(full, w.fill) {
			return nil
		}

		if encoded[i], err = worker.encode(full); err == nil && w.shard == nil {
			at := w.coordinates(piece.Chunk)
			err = w.sink.put(w.name(at), encoded[i])
			encoded[i] = nil
		}
		return err
	})

	if err != nil || w.shard == nil {
		return err
	}
	return w.collect(ctx, encoded, places)
}

// repeat fills a chunk with an item.
func repeat(chunk, item []byte) {
	copy(chunk, item)
	for done := len(item); done < len(chunk); done *= 2 {
		copy(chunk[done:], chunk[:done])
	}
}

// coordinates returns the place of a chunk in the grid of what is encoded on its own.
func (w *writing) coordinates(chunk int64) []int64 {
	at := make([]int64, w.part.Dims)
	for d := len(at) - 1; d >= 0; d-- {
		at[d] = chunk % w.part.ChunkGrid[d]
		chunk /= w.part.ChunkGrid[d]
	}
	return at
}

// name returns the key of the chunk or shard at coordinates.
func (w *writing) name(at []int64) string {
	var b []byte
	if w.key != "" {
		b = append([]byte(w.key), '/')
	}
	return string(w.appendKey(b, at))
}

// collect adds inner chunks to their shards, and writes those that are complete.
func (w *writing) collect(ctx context.Context, encoded [][]byte, places []int64) error {
	type complete struct {
		name string
		*newShard
	}
	var done []complete

	for i, place := range places {
		at := w.coordinates(place)
		entry := int64(0)
		total := int64(1)
		inside := int64(1)
		for d := range at {
			per := w.shard.part.ChunkGrid[d]
			entry = entry*per + at[d]%per
			total *= per
			at[d] /= per
			inside *= min(per, w.part.ChunkGrid[d]-at[d]*per)
		}

		name := w.name(at)
		s := w.shards[name]
		if s == nil {
			s = &newShard{make([][]byte, total), int(inside)}
			w.shards[name] = s
		}

		s.inner[entry] = encoded[i]
		if s.left--; s.left == 0 {
			done = append(done, complete{name, s})
			delete(w.shards, name)
		}
	}

	return parallel.For(ctx, len(w.workers), len(done), func(_, i int) error {
		if !slices.ContainsFunc(done[i].inner, func(b []byte) bool { return b != nil }) {
			return nil
		}
		return w.sink.put(done[i].name, done[i].bytes()...)
	})
}

// bytes returns the parts of a shard: inner chunks in C order, then the index.
func (s *newShard) bytes() [][]byte {
	var parts [][]byte
	index := make([]byte, 0, len(s.inner)*indexEntry+checksumSize)
	at := uint64(0)

	for _, b := range s.inner {
		if b == nil {
			index = binary.LittleEndian.AppendUint64(index, math.MaxUint64)
			index = binary.LittleEndian.AppendUint64(index, math.MaxUint64)
			continue
		}
		index = binary.LittleEndian.AppendUint64(index, at)
		index = binary.LittleEndian.AppendUint64(index, uint64(len(b)))
		at += uint64(len(b))
		parts = append(parts, b)
	}

	index = binary.LittleEndian.AppendUint32(index, crc32c.Update(0, index))
	return append(parts, index)
}

// progress returns a function that reports bytes of items.
func progress(tell func(done, total int64), total int64) func(bytes int64) {
	done := int64(0)
	return func(bytes int64) {
		done += bytes
		if tell != nil {
			tell(done, total)
		}
	}
}

// inArray adds the key of an array to an error.
func inArray(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("array %q: %w", "/"+key, err)
}
