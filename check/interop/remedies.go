package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// remedies are ordered by the rows of docs/format/defects.md that concern writers.
var remedies = []remedy{
	{1, "noise with a dictionary", chunks(&frame.Options{TypeSize: 4, BlockSize: 400, Dict: true}, noise(8000), noise(8000))},
	{2, "less than 32 bytes with a dictionary", chunks(&frame.Options{Dict: true, ChunkSize: 8000}, ramp(8000), bytes.Repeat([]byte("abc"), 8))},
	{3, "a block size that is no whole items", chunks(&frame.Options{TypeSize: 4, BlockSize: 1001}, ramp(10_010), ramp(1001))},
	{5, "delta and bytes behind the last word", chunks(&frame.Options{TypeSize: 8, BlockSize: 400, Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.Delta}}, tailed(200))},
	{7, "special chunks between chunks of any size", specialChunks},
	{8, "a sparse frame that shrank", shrunk},
	{9, "a metalayer for a frame of special chunks", lateLayer},
	{10, "sixteen metalayers of variable length", variableLayers},
	{10, "forty of them, by another writer", crowdedTrailer},
	{13, "noise in blocks of any size", blocks(&frame.Options{}, [][]byte{noise(1000), noise(900)}, [][]byte{noise(1)})},
	{14, "a small chunk and a large one", chunks(&frame.Options{TypeSize: 4, Codec: codecs.LZ4, ChunkSize: 40}, ramp(40), ramp(100_000))},
	{16, "trunc_prec and bytes behind the last item", withoutLowBits(&frame.Options{TypeSize: 4, BlockSize: 400, Filters: []shuffle.Spec{shuffle.TruncPrec(9), shuffle.Byte}}, 0xffffc000)},
	{16, "int_trunc and bytes behind the last item", withoutLowBits(&frame.Options{TypeSize: 4, BlockSize: 400, Filters: []shuffle.Spec{shuffle.IntTrunc(28), shuffle.Byte}}, 0xfffffff0)},
	{17, "longer and shorter content of a metalayer", otherLength},
	{18, "sixteen fixed metalayers", fixedLayers},
	{19, "sixteen dimensions", manyDimensions},
	{20, "one chunk appended to an array", appended},
	{21, "three filters over noise", chunks(&frame.Options{TypeSize: 4, Filters: []shuffle.Spec{shuffle.Byte, shuffle.Bit, shuffle.ByteDelta(4)}}, noise(4000), ramp(4000))},
	{21, "three filters, one of them delta", chunks(&frame.Options{TypeSize: 4, BlockSize: 400, Filters: []shuffle.Spec{shuffle.Delta, shuffle.Byte, shuffle.Bit}}, ramp(4000))},
	{22, "chunks behind a single short one", chunks(&frame.Options{ChunkSize: 400}, noise(100), noise(100), noise(100))},
	{23, "a short last chunk that moves", moved},
	{24, "blocks of any size, stored, with BloscLZ", blocks(&frame.Options{Codec: codecs.BloscLZ, Level: chunk.Stored}, [][]byte{noise(1000), noise(999)})},
	{26, "a block that is longer than the chunk", chunks(&frame.Options{TypeSize: 2, BlockSize: 101, Codec: codecs.LZ4}, ramp(75))},
}

// create writes a new frame.
func create(path string, o *frame.Options, fill func(ctx context.Context, f *frame.Frame) error) error {
	f, err := frame.Create(path, o)
	if err != nil {
		return err
	}
	return errors.Join(fill(context.Background(), f), f.Close())
}

// reopened opens a frame for writing and changes it.
func reopened(path string, change func(ctx context.Context, f *frame.Frame) error) error {
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		return err
	}
	return errors.Join(change(context.Background(), f), f.Close())
}

// appending appends chunks one after the other.
func appending(data ...[]byte) func(ctx context.Context, f *frame.Frame) error {
	return func(ctx context.Context, f *frame.Frame) error {
		for i, d := range data {
			if _, err := f.Append(ctx, d); err != nil {
				return fmt.Errorf("append chunk %d: %w", i, err)
			}
		}
		return nil
	}
}

func chunks(o *frame.Options, data ...[]byte) func(path string) (*content, error) {
	return func(path string) (*content, error) {
		return &content{chunks: data}, create(path, o, appending(data...))
	}
}

func blocks(o *frame.Options, data ...[][]byte) func(path string) (*content, error) {
	return func(path string) (*content, error) {
		return &content{blocks: data}, create(path, o, func(ctx context.Context, f *frame.Frame) error {
			for _, d := range data {
				if _, err := f.AppendBlocks(ctx, d); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// withoutLowBits writes items whose low bits a filter clears, and three further bytes, less than an
// item.
func withoutLowBits(o *frame.Options, mask uint32) func(path string) (*content, error) {
	return func(path string) (*content, error) {
		data := tailed(200)
		for i := range len(data) - 3 {
			if i%4 > 1 {
				data[i] = 0 // otherwise the chunk would be stored uncompressed
			}
		}
		want := slices.Clone(data)
		for i := 0; i+4 <= len(want); i += 4 {
			binary.LittleEndian.PutUint32(want[i:], binary.LittleEndian.Uint32(want[i:])&mask)
		}
		return &content{chunks: [][]byte{want}}, create(path, o, appending(data))
	}
}

// tailed returns ten equal blocks of 400 bytes, n more bytes, and xyz.
func tailed(n int) []byte {
	return append(append(bytes.Repeat(noise(400), 10), noise(n)...), "xyz"...)
}

func specialChunks(path string) (*content, error) {
	nan := bytes.Repeat([]byte{0, 0, 0xc0, 0x7f}, 30)
	c := &content{chunks: [][]byte{noise(400), noise(200), noise(800), make([]byte, 120), nan, make([]byte, 120), noise(40)}}
	return c, create(path, &frame.Options{TypeSize: 4}, func(ctx context.Context, f *frame.Frame) error {
		err := appending(c.chunks[:3]...)(ctx, f)
		for _, kind := range []chunk.Special{chunk.SpecialZeros, chunk.SpecialNaN, chunk.SpecialUninit} {
			err = errors.Join(err, f.AppendSpecial(ctx, kind, 120))
		}
		return errors.Join(err, appending(c.chunks[6])(ctx, f))
	})
}

func shrunk(path string) (*content, error) {
	parts := make([][]byte, 100)
	for i := range parts {
		parts[i] = append(bytes.Repeat([]byte{byte(i)}, 399), 'x')
	}
	err := create(path, &frame.Options{TypeSize: 4, Sparse: true}, appending(parts...))
	return &content{chunks: parts[97:]}, errors.Join(err, reopened(path, func(ctx context.Context, f *frame.Frame) error {
		for range 97 {
			if err := f.Delete(ctx, 0); err != nil {
				return err
			}
		}
		return nil
	}))
}

func lateLayer(path string) (*content, error) {
	c := &content{fixed: map[string][]byte{"late": []byte("hello")}}
	for range 10 {
		c.chunks = append(c.chunks, make([]byte, 400))
	}
	err := create(path, &frame.Options{TypeSize: 4, ChunkSize: 400}, func(ctx context.Context, f *frame.Frame) error {
		return f.AppendSpecial(ctx, chunk.SpecialZeros, 4000)
	})
	return c, errors.Join(err, reopened(path, func(_ context.Context, f *frame.Frame) error { return f.SetMeta("late", []byte("hello")) }))
}

func variableLayers(path string) (*content, error) {
	c := &content{chunks: [][]byte{ramp(400)}, vl: map[string][]byte{}}
	return c, create(path, nil, func(ctx context.Context, f *frame.Frame) error {
		err := appending(c.chunks...)(ctx, f)
		for i := range metalist.MaxVLLayersPortable {
			name := fmt.Sprint("layer", i)
			c.vl[name] = ramp(100 * i)
			err = errors.Join(err, f.SetVL(name, c.vl[name]))
		}
		return err
	})
}

// crowdedTrailer puts more metalayers into a trailer than either side writes, as the format allows.
func crowdedTrailer(path string) (*content, error) {
	c := &content{chunks: [][]byte{ramp(400)}, vl: map[string][]byte{}}
	f, err := frame.New(&frame.Options{Commits: frame.Commits{Deterministic: true}})
	if err != nil {
		return nil, err
	}
	if err := appending(c.chunks...)(context.Background(), f); err != nil {
		return nil, err
	}
	raw, err := f.Bytes()
	if err != nil {
		return nil, err
	}

	e, err := chunk.NewEncoder(nil)
	if err != nil {
		return nil, err
	}

	layers := make([]meta.Layer, 40)
	for i := range layers {
		name := fmt.Sprint("layer", i)
		c.vl[name] = ramp(i)
		if layers[i].Content, err = e.Append(nil, c.vl[name]); err != nil {
			return nil, err
		}
		layers[i].Name = name
	}

	raw = metalist.AppendTrailer(raw[:int64(len(raw))-metalist.TrailerSize(nil)], layers)
	// length of the frame in the header
	binary.BigEndian.PutUint64(raw[0x10:], uint64(len(raw)))
	return c, errors.Join(f.Close(), os.WriteFile(path, raw, 0o666))
}

func otherLength(path string) (*content, error) {
	c := &content{chunks: [][]byte{ramp(400)}, fixed: map[string][]byte{"longer": []byte("0123456789"), "shorter": []byte("ABC")}}
	o := &frame.Options{Meta: []meta.Layer{{Name: "longer", Content: []byte("ABC")}, {Name: "shorter", Content: []byte("0123456789")}}}
	err := create(path, o, appending(c.chunks...))
	return c, errors.Join(err, reopened(path, func(_ context.Context, f *frame.Frame) error {
		return errors.Join(f.SetMeta("longer", c.fixed["longer"]), f.SetMeta("shorter", c.fixed["shorter"]))
	}))
}

func fixedLayers(path string) (*content, error) {
	c := &content{chunks: [][]byte{ramp(400)}, fixed: map[string][]byte{}}
	o := &frame.Options{}
	for i := range metalist.MaxLayers {
		l := meta.Layer{Name: fmt.Sprint("layer", i), Content: ramp(50 * i)}
		c.fixed[l.Name] = l.Content
		o.Meta = append(o.Meta, l)
	}
	return c, create(path, o, appending(c.chunks...))
}

func manyDimensions(path string) (*content, error) {
	shape := slices.Repeat(ndarray.Shape{1}, 16)
	shape[3] = 3
	shape[9] = 4
	shape[15] = 5
	u, err := ndarray.CreateUntyped(path, "<i2", shape, nil)
	if err != nil {
		return nil, err
	}
	c := &content{array: noise(120)}
	return c, errors.Join(u.Write(context.Background(), c.array), u.Close())
}

// appended appends as many items as a chunk has, at a position that is not a chunk boundary.
func appended(path string) (*content, error) {
	u, err := ndarray.CreateUntyped(path, "|u1", ndarray.Shape{4, 8}, &ndarray.Options{ChunkShape: ndarray.Shape{4, 4}, BlockShape: ndarray.Shape{4, 4}})
	if err != nil {
		return nil, err
	}
	c := &content{array: noise(48)}
	ctx := context.Background()
	return c, errors.Join(u.Write(ctx, c.array[:32]), u.Append(ctx, 0, c.array[32:]), u.Close())
}

func moved(path string) (*content, error) {
	c := &content{chunks: [][]byte{noise(100), noise(400), make([]byte, 400), noise(50)}}
	return c, create(path, &frame.Options{ChunkSize: 400}, func(ctx context.Context, f *frame.Frame) error {
		return errors.Join(appending(c.chunks[1], c.chunks[2], c.chunks[0])(ctx, f), f.Reorder(ctx, []int{2, 0, 1}), appending(c.chunks[3])(ctx, f))
	})
}

// noise returns n bytes that do not compress, always the same.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// ramp returns n bytes that compress well.
func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i / 40)
	}
	return b
}
