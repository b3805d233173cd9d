package format

import (
	"bytes"
	"context"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// farBytes is a file that is read by requests, and counts these.
type farBytes struct {
	*bytes.Reader
	data  []byte
	calls int
}

func (f *farBytes) ReadRanges(_ context.Context, ranges []storage.Range) error {
	f.calls++
	for _, r := range ranges {
		copy(r.Data, f.data[r.Off:])
	}
	return nil
}

func (f *farBytes) Requests() int { return 4 }

func (f *farBytes) Load(context.Context, int64, int64) (func(), error) { return func() {}, nil }

// TestPrefetch loads pages together, after which structures in them take no request.
func TestPrefetch(t *testing.T) {
	data := make([]byte, 40*pageSize+100)
	for i := range data {
		data[i] = byte(i / pageSize)
	}
	far := &farBytes{bytes.NewReader(data), data, 0}
	f := &File{r: far}
	f.size.Store(int64(len(data)))
	r := f.In(t.Context())
	var addresses []int64
	for i := range int64(40) {
		addresses = append(addresses, i*pageSize+7, i*pageSize+9)
	}
	r.Prefetch(append(addresses, None, 1<<60))
	if far.calls != 1 {
		t.Fatalf("%d calls", far.calls)
	}
	for _, at := range addresses {
		b, err := r.Bytes("test", at, 100, 100)
		if err != nil || b[0] != byte(at/pageSize) {
			t.Fatalf("at %d: % x, %v", at, b[:1], err)
		}
	}
	if far.calls != 1 {
		t.Errorf("%d calls", far.calls)
	}
	// across the end of a page that is known
	if b, err := r.Bytes("test", 40*pageSize-50, 100, 100); err != nil || b[0] != 39 || b[99] != 40 || far.calls != 2 {
		t.Errorf("% x, %v, %d calls", b, err, far.calls)
	}
}

// TestPagesAreBounded reads more pages than are kept.
func TestPagesAreBounded(t *testing.T) {
	data := make([]byte, (mostKept+50)*pageSize)
	f := &File{r: bytes.NewReader(data)}
	f.size.Store(int64(len(data)))
	r := f.In(t.Context())
	for at := int64(0); at < int64(len(data)); at += pageSize {
		if _, err := r.Bytes("test", at, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.pages.kept); n != mostKept || len(r.pages.order) != n {
		t.Errorf("%d pages", n)
	}
}
