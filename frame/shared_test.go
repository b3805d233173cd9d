package frame

import (
	"context"
	"testing"

	"github.com/cairn-go/cairn"
)

var (
	noContext = context.Background()
	errClosed = cairn.ErrClosed
)

// must is for calls that cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func entryAt(t testing.TB, x index, i int) int64 {
	t.Helper()
	e, err := x.at(i)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
