package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/frame"
)

// Flush puts the writes that wait in memory into the frame; see [Untyped.Flush].
func (a Array[T]) Flush(ctx context.Context) error { return a.own().Flush(ctx) }

// Savepoint returns the state of the array as one to go back to; see [Untyped.Savepoint].
func (a Array[T]) Savepoint(ctx context.Context) (frame.Savepoint, error) {
	return a.own().Savepoint(ctx)
}

// RollbackTo drops everything that was staged since s; see [Untyped.RollbackTo].
func (a Array[T]) RollbackTo(s frame.Savepoint) error { return a.own().RollbackTo(s) }
