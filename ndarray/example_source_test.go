package ndarray_test

import (
	"bytes"
	"compress/lzw"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// distances is an array of computed bytes: the distance of each item from the first one.
type distances struct{ rows, columns int64 }

func (d distances) Shape() ndarray.Shape                 { return ndarray.Shape{d.rows, d.columns} }
func (d distances) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (d distances) DType() meta.DType {
	t, _ := meta.ParseDType("uint8")
	return t
}

func (d distances) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	for i := start[0]; i < stop[0]; i++ {
		for j := start[1]; j < stop[1]; j++ {
			dst[0] = byte(i + j)
			dst = dst[1:]
		}
	}
	return nil
}

// A type that can fill boxes is read, sliced, joined, computed with and saved like an array.
func ExampleSource() {
	v, err := ndarray.ViewAs[uint8](distances{3, 4})
	must(err)
	items, err := v.Transpose().Read(ctx, ndarray.Range(1, 3))
	must(err)
	fmt.Println(items)

	copied, err := ndarray.Copy(ctx, ndarray.Concat(0, distances{1, 4}, v.Flip(1)), nil)
	must(err)
	defer copied.Close()
	all, err := copied.Read(ctx)
	must(err)
	fmt.Println(copied.Shape(), all)
	// Output:
	// [1 2 3 2 3 4]
	// [4 4] [0 1 2 3 3 2 1 0 4 3 2 1 5 4 3 2]
}

// remote is a file at a URL, read in ranges.
type remote struct{ url string }

func (r remote) do(ctx context.Context, method, ranges string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url, nil)
	if err != nil {
		return nil, err
	}
	if ranges != "" {
		req.Header.Set("Range", ranges)
	}
	res, err := http.DefaultClient.Do(req)
	if err == nil && res.StatusCode >= 300 {
		err = errors.Join(fmt.Errorf("%s %s: %s", method, r.url, res.Status), res.Body.Close())
	}
	return res, err
}

func (r remote) Stat(ctx context.Context) (storage.Object, error) {
	res, err := r.do(ctx, http.MethodHead, "")
	if err != nil {
		return storage.Object{}, err
	}
	return storage.Object{Name: r.url, Size: res.ContentLength, Version: res.Header.Get("ETag")}, res.Body.Close()
}

func (r remote) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	for _, part := range ranges { // a real program would fetch them concurrently, and compare ETags
		res, err := r.do(ctx, http.MethodGet, fmt.Sprintf("bytes=%d-%d", part.Off, part.Off+int64(len(part.Data))-1))
		if err != nil {
			return err
		}
		_, err = io.ReadFull(res.Body, part.Data)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Opening an array on a web server takes three requests, and reads take as few as possible.
func ExampleOpenReader_http() {
	a, err := ndarray.Arange[int32](ctx, "", 0, 4_000_000, 1, ndarray.Shape{2000, 2000},
		&ndarray.Options{Level: chunk.Stored})
	must(err)
	file, err := a.Bytes()
	must(err)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.ServeContent(w, r, "a.b2nd", time.Time{}, bytes.NewReader(file))
	}))
	defer server.Close()

	f, err := storage.OpenRanges(ctx, remote{server.URL}, nil)
	must(err)
	size, err := f.Size()
	must(err)
	u, err := ndarray.OpenReader(f, size, nil)
	must(err)
	defer u.Close()
	b, err := ndarray.As[int32](u)
	must(err)
	fmt.Println(b.Shape(), requests.Swap(0), "requests")
	row, err := b.Read(ctx, ndarray.Index(999), ndarray.To(3))
	must(err)
	fmt.Println(row, requests.Swap(0) <= 3)
	// Output:
	// [2000 2000] 3 requests
	// [1998000 1998001 1998002] true
}

// lzwCodec is the LZW of the standard library.
type lzwCodec struct{ buf bytes.Buffer }

func (c *lzwCodec) Encode(dst, src []byte) (int, error) {
	c.buf.Reset()
	w := lzw.NewWriter(&c.buf, lzw.LSB, 8)
	_, err := w.Write(src)
	if err := errors.Join(err, w.Close()); err != nil || c.buf.Len() > len(dst) {
		return 0, err // 0: it does not fit
	}
	return copy(dst, c.buf.Bytes()), nil
}

func (c *lzwCodec) Decode(dst, src []byte) error {
	r := lzw.NewReader(bytes.NewReader(src), lzw.LSB, 8)
	if _, err := io.ReadFull(r, dst); err != nil {
		return cairn.Corruptf("lzw", -1, "%v", err)
	}
	if n, _ := r.Read(make([]byte, 1)); n > 0 {
		return cairn.Corruptf("lzw", -1, "more than %d bytes", len(dst))
	}
	return nil
}

// Your own codecs and filters have ids from 160 to 255. Writers and readers pass them in their
// options.
func ExampleOptions_engine() {
	xor := func(dst, src []byte, mask uint8, _ *shuffle.Context) error {
		for i, b := range src {
			dst[i] = b ^ mask
		}
		return nil
	}
	engine := chunk.Engine{Codecs: new(codecs.Registry), Filters: new(shuffle.Registry)}
	must(engine.Codecs.Add(codecs.Row{
		ID: 200, Name: "lzw",
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return new(lzwCodec), nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return new(lzwCodec), nil },
	}))
	must(engine.Filters.Add(shuffle.Row{ID: 201, Name: "xor", Forward: xor, Backward: xor}))

	a, err := ndarray.Arange[int64](ctx, "", 0, 10_000, 1, nil, &ndarray.Options{
		Engine: engine, Codec: codecs.Codec(200), Filters: []shuffle.Spec{{ID: 201, Meta: 0x55}, shuffle.Byte},
	})
	must(err)
	file, err := a.Bytes()
	must(err)

	u, err := ndarray.FromBytes(file, &ndarray.OpenOptions{Engine: engine})
	must(err)
	defer u.Close()
	b, err := ndarray.As[int64](u)
	must(err)
	fmt.Println(b.At(777))

	u, err = ndarray.FromBytes(file, nil) // without them
	must(err)
	defer u.Close()
	_, err = u.Read(ctx)
	fmt.Println(errors.Is(err, cairn.ErrUnsupported))
	// Output:
	// 777 <nil>
	// true
}

// In Python, attributes are in a.vlmeta.
func ExampleUntyped_SetAttribute() {
	a := table()
	must(a.SetAttribute("units", "m/s"))
	must(a.SetAttribute("valid_range", []float64{0, 120}))

	l, err := a.Labels()
	must(err)
	fmt.Println(l.Attributes)
	// Output: [{units m/s} {valid_range [0 120]}]
}
