package diskcache_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage/diskcache"
	"github.com/cairn-go/cairn/storage/httprange"
)

// printItem prints an item of the array at a URL. What it reads is kept in a directory.
func printItem(ctx context.Context, link, dir string) error {
	cache, err := diskcache.Open(dir, nil) // 1 GiB at most
	if err != nil {
		return err
	}
	defer cache.Close()
	files, err := httprange.NewFS(ctx, &httprange.Options{Cache: cache})
	if err != nil {
		return err
	}
	defer files.Close()
	a, err := ndarray.OpenAs[int32](link, &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole})
	if err != nil {
		return err
	}
	defer a.Close()
	item, err := a.Read(ctx, ndarray.Index(500), ndarray.Index(7))
	fmt.Println(item)
	return err
}

func ExampleOpen() {
	ctx := context.Background()
	a, err := ndarray.Arange[int32](ctx, "", 0, 1_000_000, 1, ndarray.Shape{1000, 1000}, nil)
	if err != nil {
		panic(err)
	}
	file, err := a.Bytes()
	if err != nil {
		panic(err)
	}
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.ServeContent(w, r, "a.b2nd", time.Unix(1e9, 0), bytes.NewReader(file))
	}))
	defer server.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	for range 2 { // as two runs of a program would
		requests.Store(0)
		if err := printItem(ctx, server.URL+"/a.b2nd", dir); err != nil {
			panic(err)
		}
	}
	fmt.Println(requests.Load(), "request the second time")
	// Output:
	// [500007]
	// [500007]
	// 1 request the second time
}
