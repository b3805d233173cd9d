package frame

import (
	"context"

	"github.com/cairn-go/cairn"
)

var (
	noContext = context.Background()
	errClosed = cairn.ErrClosed
)
