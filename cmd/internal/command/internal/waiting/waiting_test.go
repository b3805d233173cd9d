package waiting

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

func TestReadersReturnWhileTheirSourceBlocks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := Reader(ctx, r).Read(make([]byte, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}
