package hdf5

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// counting is a far file in memory that counts requests and bytes.
type counting struct {
	data            []byte
	requests, bytes atomic.Int64
	fail            atomic.Bool
}

var errNetwork = errors.New("the network is down")

func (c *counting) Stat(context.Context) (storage.Object, error) {
	return storage.Object{Name: "far.h5", Size: int64(len(c.data))}, nil
}

func (c *counting) ReadRanges(_ context.Context, ranges []storage.Range) error {
	if c.fail.Load() {
		return errNetwork
	}
	for _, r := range ranges {
		c.requests.Add(1)
		c.bytes.Add(int64(len(r.Data)))
		copy(r.Data, c.data[r.Off:])
	}
	return nil
}

func openFar(t *testing.T, data []byte) (*counting, *File) {
	c := &counting{data: data}
	r, err := storage.OpenRanges(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenReader(r, int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, f
}

// TestFarFiles reads all goldens by requests.
func TestFarFiles(t *testing.T) {
	for name, want := range goldens(t) {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		_, f := openFar(t, b)
		for key, w := range want.Datasets {
			d, err := f.Dataset(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			items, err := ndarray.ViewOf(d).Read(t.Context())
			if sum := sha256.Sum256(items); err != nil || hex.EncodeToString(sum[:]) != w.Sum {
				t.Errorf("%s: %s: items differ (%v)", name, key, err)
			}
		}
	}
}

// TestFarReadsFetchWhatIsNeeded reads a small box of a large file, and more of it in few requests.
func TestFarReadsFetchWhatIsNeeded(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "scales-latest.h5"))
	if err != nil {
		t.Fatal(err)
	}
	// a user block of 8 MiB, which is not read
	const front = 8 << 20
	c, f := openFar(t, append(make([]byte, front), b...))
	d, err := f.Dataset(t.Context(), "data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Labels(); err != nil {
		t.Fatal(err)
	}
	items, err := ndarray.ViewOf(d).Read(t.Context())
	if err != nil || !bytes.Equal(items, make([]byte, 3*4*5*4)) {
		t.Errorf("% x, %v", items, err)
	}
	// The search for the signature takes a request for each power of two.
	if n, size := c.requests.Load(), c.bytes.Load(); n > 25 || size > 400<<10 {
		t.Errorf("%d requests for %d bytes", n, size)
	}
	c.fail.Store(true)
	if _, err := f.Dataset(t.Context(), "g/inner"); err != nil && !errors.Is(err, errNetwork) {
		t.Errorf("without a network: %v", err)
	}
}

// TestCanceledReads ends with the context.
func TestCanceledReads(t *testing.T) {
	f := openGolden(t, "chunked-latest.h5")
	d, err := f.Dataset(t.Context(), "gzip")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.ReadBytes(ctx, make([]byte, 20*33*4), []int64{0, 0}, []int64{20, 33}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
	if _, err := f.Children(ctx, "/"); !errors.Is(err, context.Canceled) {
		t.Errorf("children: %v", err)
	}
	if _, err := f.Dataset(ctx, "lzf"); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
}
