package frame

import (
	"context"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/index"
)

var (
	noContext = context.Background()
	errClosed = cairn.ErrClosed
)

// must returns the result of a call that cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func entryAt(t testing.TB, x index.Index, i int) int64 {
	t.Helper()
	e, err := x.At(i)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
