package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// The arrays are 128 MiB, once as a Blosc2 file and once as a Zarr store whose chunks are those
// that the server shows of the file.
var (
	shape  = ndarray.Shape{128, 512, 512}
	chunks = ndarray.Shape{8, 256, 512}
	blocks = ndarray.Shape{1, 128, 512}
	shown  = ndarray.Shape{2, 256, 512}
)

// The cube is 64 MiB, of chunks that series cut across, also in both forms.
const edge = 256

var (
	cubeChunks = ndarray.Shape{64, 128, 128}
	cubeBlocks = ndarray.Shape{16, 32, 32}
)

// A maker draws the path and query of a request.
type maker func(r *rand.Rand) string

// A row is a kind of read. url returns nil if a server has none of it.
type row struct {
	name string
	url  func(server string) maker
}

var rows = []row{
	{"Zarr chunk, 1 MiB", chunkURL},
	{"metadata", metadataURL},
	{"64 KiB of a file", rangeURL},
	{"64 × 64 items", func(server string) maker { return sliceURL(server, "raw", 64) }},
	{"512 × 512 items", func(server string) maker { return sliceURL(server, "raw", 512) }},
	{"64 × 64 as a frame", func(server string) maker { return sliceURL(server, "b2nd", 64) }},
	{"512 × 512 as a frame", func(server string) maker { return sliceURL(server, "b2nd", 512) }},
	{"series of 256 items", seriesURL},
}

func chunkURL(server string) maker {
	prefix := map[string]string{"cairn": "/zarr/data/a/c/", "aiohttp": "/a.zarr/c/"}[server]
	if prefix == "" {
		return nil
	}
	return func(r *rand.Rand) string {
		return fmt.Sprintf("%s%d/%d/0", prefix, r.Int64N(shape[0]/shown[0]), r.IntN(2))
	}
}

func metadataURL(server string) maker {
	path := map[string]string{"cairn": "/zarr/data/a/zarr.json", "aiohttp": "/a.zarr/zarr.json"}[server]
	if path == "" {
		return nil
	}
	return func(*rand.Rand) string { return path }
}

// rangeURL asks for a range, which comes behind a hash.
func rangeURL(server string) maker {
	path := map[string]string{"cairn": "/files/data/a.b2nd", "aiohttp": "/a.b2nd"}[server]
	if path == "" {
		return nil
	}
	return func(r *rand.Rand) string {
		first := r.IntN(32 << 20)
		return fmt.Sprintf("%s#bytes=%d-%d", path, first, first+64<<10-1)
	}
}

// sliceURL asks for items that the server decodes, as they are or as a Blosc2 frame, which is what
// Caterva2 answers with.
func sliceURL(server, format string, edge int64) maker {
	form := map[string]string{
		"cairn raw":     "/api/v1/slice/data/a.b2nd?format=raw&s=%d,%d:%d,%d:%d",
		"cairn b2nd":    "/api/v1/slice/data/a.b2nd?format=b2nd&s=%d,%d:%d,%d:%d",
		"aiohttp raw":   "/slice?s=%d,%d:%d,%d:%d",
		"caterva2 b2nd": "/api/fetch/@public/a.b2nd?slice_=%d,%d:%d,%d:%d",
	}[server+" "+format]
	if form == "" {
		return nil
	}
	return func(r *rand.Rand) string {
		y := r.Int64N(shape[1] - edge + 1)
		x := r.Int64N(shape[2] - edge + 1)
		return fmt.Sprintf(form, r.Int64N(shape[0]), y, y+edge, x, x+edge)
	}
}

// seriesURL asks for all items along the first axis of the cube.
func seriesURL(server string) maker {
	form := map[string]string{
		"cairn":   "/api/v1/slice/data/cube.b2nd?format=raw&s=:,%d,%d",
		"aiohttp": "/series?y=%d&x=%d",
	}[server]
	if form == "" {
		return nil
	}
	return func(r *rand.Rand) string { return fmt.Sprintf(form, r.Int64N(edge), r.Int64N(edge)) }
}

// all mixes all kinds of reads.
func all(server string) maker {
	var makers []maker
	for _, row := range rows[:5] { // which all but Caterva2 have
		makers = append(makers, row.url(server))
	}
	return func(r *rand.Rand) string { return makers[r.IntN(len(makers))](r) }
}

// produce writes the arrays.
func produce(ctx context.Context, dir string) error {
	err := produceOne(ctx, filepath.Join(dir, "a"), shape, shown, &ndarray.Options{ChunkShape: chunks, BlockShape: blocks,
		Codec: codecs.LZ4, Level: 5})
	if err != nil {
		return err
	}
	return produceOne(ctx, filepath.Join(dir, "cube"), ndarray.Shape{edge, edge, edge}, cubeChunks,
		&ndarray.Options{ChunkShape: cubeChunks, BlockShape: cubeBlocks, Codec: codecs.LZ4, Level: 5})
}

// produceOne writes an array: waves with some noise in the lower bits.
func produceOne(ctx context.Context, name string, shape, shown ndarray.Shape, o *ndarray.Options) error {
	a, err := ndarray.Create[float32](name+".b2nd", shape, o)
	if err != nil {
		return err
	}

	r := rand.New(rand.NewPCG(1, 1))
	plane := make([]float32, shape[1]*shape[2])
	for z := range shape[0] {
		for i := range plane {
			y := float64(i / int(shape[2]))
			x := float64(i % int(shape[2]))
			v := 280 + 20*math.Sin(x/40+float64(z)/9)*math.Cos(y/60) + float64(r.IntN(64))/256
			plane[i] = float32(math.Round(v*256) / 256)
		}
		if err := a.Write(ctx, plane, ndarray.Index(z)); err != nil {
			return err
		}
	}

	if err := zarr.Save(ctx, name+".zarr", a, &zarr.SaveOptions{Chunks: shown, NoShards: true,
		Codec: codecs.LZ4, Level: 5}); err != nil {
		return err
	}
	return a.Close()
}
