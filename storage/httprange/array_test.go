package httprange

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

// extent is a range of bytes of a file.
type extent struct{ from, to int64 }

// The limits of groups of ranges, as docs/remote.md states them.
const (
	gap  = 64 << 10
	most = 8 << 20
)

// grouped returns how many requests extents take, and the bytes between them in a request.
func grouped(all []extent) (requests int, between int64) {
	slices.SortFunc(all, func(a, b extent) int { return int(a.from - b.from) })
	var begin, end int64
	for i, e := range all {
		if i > 0 && e.from-end <= gap && e.to-begin <= most {
			between += max(0, e.from-end)
			end = max(end, e.to)
			continue
		}
		requests += int((e.to-e.from-1)/most) + 1
		begin, end = e.from, e.to
	}
	return requests, between
}

// allowed returns the requests and bytes that a read of a box may take: for headers with offset
// tables, and for the blocks that the box touches.
func allowed(t *testing.T, a *ndarray.Untyped, start, stop []int64) (requests int, size int64) {
	t.Helper()
	f := a.Frame()
	chunks, blocks := a.Grid()
	var heads, parts []extent
	for i := range f.NumChunks() {
		info, err := f.Peek(i)
		check(t, err)
		raw, err := f.EncodedChunk(nil, i)
		check(t, err)
		count := int64(1)
		for d := range chunks {
			count *= (chunks[d]-1)/blocks[d] + 1
		}
		offsets := make([]int64, count+1)
		for b := range count {
			offsets[b] = int64(binary.LittleEndian.Uint32(raw[chunk.HeaderSize+4*b:]))
		}
		offsets[count] = int64(len(raw))
		sorted := slices.Sorted(slices.Values(offsets))
		touched := false
		for b := range count {
			if !meets(a, int64(i), b, start, stop) {
				continue
			}
			touched = true
			next := sorted[slices.Index(sorted, offsets[b])+1]
			parts = append(parts, extent{info.Offset + offsets[b], info.Offset + next})
		}
		if touched {
			heads = append(heads, extent{info.Offset, info.Offset + chunk.HeaderSize + 4*count})
		}
	}
	size = 64 << 10
	for _, list := range [][]extent{heads, parts} {
		for _, e := range list {
			size += (e.to - e.from) * 11 / 10
		}
	}
	n1, between1 := grouped(heads)
	n2, between2 := grouped(parts)
	_, together := grouped(append(heads, parts...))
	return n1 + n2, size + max(between1+between2, together)
}

// meets reports whether block b of chunk i has items of a box.
func meets(a *ndarray.Untyped, i, b int64, start, stop []int64) bool {
	shape := a.Shape()
	chunks, blocks := a.Grid()
	for d := len(shape) - 1; d >= 0; d-- {
		perArray, perChunk := (shape[d]-1)/chunks[d]+1, (chunks[d]-1)/blocks[d]+1
		from := i%perArray*chunks[d] + b%perChunk*blocks[d]
		if from >= stop[d] || from+blocks[d] <= start[d] {
			return false
		}
		i, b = i/perArray, b/perChunk
	}
	return true
}

// TestReadsOfArrays counts requests and bytes of typical reads of arrays of 64 MiB.
func TestReadsOfArrays(t *testing.T) {
	shape := ndarray.Shape{128, 256, 512}
	for _, blocks := range []struct{ chunk, block ndarray.Shape }{
		{ndarray.Shape{16, 128, 512}, ndarray.Shape{1, 128, 256}}, // 512 of 128 KiB
		{ndarray.Shape{8, 64, 64}, ndarray.Shape{2, 32, 64}},      // 4096 of 16 KiB
		{ndarray.Shape{1, 32, 128}, ndarray.Shape{1, 32, 128}},    // 4096, each a chunk
	} {
		t.Run(fmt.Sprint(blocks.block), func(t *testing.T) { countReads(t, shape, blocks.chunk, blocks.block) })
	}
}

func countReads(t *testing.T, shape, chunks, blocks ndarray.Shape) {
	typed, err := ndarray.FromFunc(t.Context(), "", shape, func(i []int64) int32 {
		n := uint32(i[0]*131_072 + i[1]*512 + i[2])
		return int32(n*2654435761) >> 4
	}, &ndarray.Options{ChunkShape: chunks, BlockShape: blocks, Codec: codecs.LZ4, Level: 1})
	check(t, err)
	local := typed.Untyped
	file, err := local.Bytes()
	check(t, err)
	s := serve(t, map[string]served{"/a": {data: file, tag: `"1"`}})
	var sent atomic.Int64
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(&counter{w, &sent}, r, "", time.Time{}, bytes.NewReader(file))
		return true
	})
	files, err := NewFS(t.Context(), nil)
	check(t, err)
	defer files.Close()
	for _, c := range []struct {
		name        string
		start, stop []int64
	}{
		{"point", []int64{70, 100, 200}, []int64{71, 101, 201}},
		{"plane", []int64{70, 0, 0}, []int64{71, 256, 512}},
		{"box", []int64{30, 50, 60}, []int64{60, 120, 170}},
		{"series", []int64{0, 100, 200}, []int64{128, 101, 201}},
		{"whole", []int64{0, 0, 0}, shape},
	} {
		a, err := ndarray.Open(s.URL+"/a", &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole, Workers: 2})
		check(t, err)
		opened, openedBytes := len(s.since()), sent.Swap(0)
		if opened > 3 || openedBytes > 80<<10+int64(a.Frame().NumChunks()*8) {
			t.Errorf("opening: %d requests, %d bytes", opened, openedBytes)
		}
		n := int64(4)
		for d := range c.start {
			n *= c.stop[d] - c.start[d]
		}
		got, want := make([]byte, n), make([]byte, n)
		check(t, a.ReadBytes(t.Context(), got, c.start, c.stop), local.ReadBytes(t.Context(), want, c.start, c.stop))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: other items", c.name)
		}
		requests, size := len(s.since()), sent.Swap(0)
		mostRequests, mostBytes := allowed(t, local, c.start, c.stop)
		t.Logf("%-6s open %d (%d bytes), %3d requests of %3d, %8d bytes of %8d", c.name, opened, openedBytes,
			requests, mostRequests, size, mostBytes)
		if requests > mostRequests || size > mostBytes {
			t.Errorf("%s: %d requests and %d bytes, want %d and %d at most", c.name, requests, size, mostRequests,
				mostBytes)
		}
		check(t, a.ReadBytes(t.Context(), got[:4], []int64{70, 100, 201}, []int64{71, 101, 202}))
		sent.Store(0)
		if again := len(s.since()); c.name == "point" && again > 1 {
			t.Errorf("a second point: %d requests", again)
		}
		check(t, a.Close())
	}
}

// A counter counts the bytes of bodies.
type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.sent.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// TestFormats reads the same items over HTTP from all that holds them.
func TestFormats(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	src, err := ndarray.Arange[int32](ctx, "", 0, 60_000, 1, ndarray.Shape{30, 40, 50}, nil)
	check(t, err)
	e, err := store.Create(dir+"/s.b2z", nil)
	check(t, err)
	check(t, e.Put(ctx, "/x", src, nil), e.Close())
	check(t, npy.Save(ctx, dir+"/a.npy", src, nil))
	check(t, npy.SaveArchive(ctx, dir+"/a.npz", func(put npy.PutFunc) error { return put("x", src) }, nil))
	check(t, zarr.Save(ctx, dir+"/a.zarr", src, nil))
	check(t, ndarray.Save(ctx, dir+"/a.b2nd", src, nil))
	web := http.FileServer(http.Dir(dir))
	s := serve(t, nil)
	s.instead(func(w http.ResponseWriter, r *http.Request) bool { web.ServeHTTP(w, r); return true })
	files, err := NewFS(ctx, nil)
	check(t, err)
	defer files.Close()
	for name, open := range map[string]func(link string) (ndarray.Source, io.Closer, error){
		"/s.b2z": func(link string) (ndarray.Source, io.Closer, error) {
			st, err := store.Open(link, &store.OpenOptions{FS: files})
			if err != nil {
				return nil, nil, err
			}
			a, err := st.Array(t.Context(), "/x")
			return a, st, err
		},
		"/a.npy": func(link string) (ndarray.Source, io.Closer, error) {
			a, err := npy.Open(link, &npy.OpenOptions{FS: files})
			return a, a, err
		},
		"/a.npz": func(link string) (ndarray.Source, io.Closer, error) {
			z, err := npy.OpenArchive(link, &npy.OpenOptions{FS: files})
			if err != nil {
				return nil, nil, err
			}
			a, err := z.Array(t.Context(), "x")
			return a, z, err
		},
		"/a.zarr/": func(link string) (ndarray.Source, io.Closer, error) {
			st, err := zarr.Open(link, &zarr.OpenOptions{FS: files})
			if err != nil {
				return nil, nil, err
			}
			a, err := st.Array(t.Context(), "")
			return a, st, err
		},
		"/a.b2nd": func(link string) (ndarray.Source, io.Closer, error) {
			a, err := ndarray.Open(link, &ndarray.OpenOptions{FS: files})
			return a, a, err
		},
	} {
		a, closer, err := open(s.URL + name)
		check(t, err)
		want, got := make([]byte, 5*40*7*4), make([]byte, 5*40*7*4)
		start, stop := []int64{3, 0, 20}, []int64{8, 40, 27}
		check(t, a.ReadBytes(ctx, got, start, stop), src.ReadBytes(ctx, want, start, stop))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: other items", name)
		}
		check(t, closer.Close())
	}
}
