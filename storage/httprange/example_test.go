package httprange_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage/httprange"
)

// printCorner prints some items of the array at a URL.
func printCorner(ctx context.Context, link string) error {
	files, err := httprange.NewFS(ctx, nil)
	if err != nil {
		return err
	}
	defer files.Close()
	a, err := ndarray.Open(link, &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole})
	if err != nil {
		return err
	}
	defer a.Close()
	items, err := ndarray.As[int32](a)
	if err != nil {
		return err
	}
	corner, err := items.Read(ctx, ndarray.To(2), ndarray.To(3))
	fmt.Println(a.Shape(), corner)
	return err
}

func ExampleNewFS() {
	ctx := context.Background()
	a, err := ndarray.Arange[int32](ctx, "", 0, 1_000_000, 1, ndarray.Shape{1000, 1000}, nil)
	if err != nil {
		panic(err)
	}
	file, err := a.Bytes()
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "a.b2nd", time.Unix(1e9, 0), bytes.NewReader(file))
	}))
	defer server.Close()

	if err := printCorner(ctx, server.URL+"/a.b2nd"); err != nil {
		panic(err)
	}
	// Output: [1000 1000] [0 1 2 1000 1001 1002]
}
