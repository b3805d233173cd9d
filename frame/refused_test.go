package frame

import (
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/shuffle"
)

func TestCreationRefusesImpossibleChunks(t *testing.T) {
	for _, o := range []Options{
		{TypeSize: 2, Filters: []shuffle.Spec{shuffle.TruncPrec(10)}},
		{TypeSize: 4, Filters: []shuffle.Spec{shuffle.TruncPrec(30)}},
		{TypeSize: 3, Filters: []shuffle.Spec{shuffle.IntTrunc(10)}},
		{TypeSize: 4, Filters: []shuffle.Spec{shuffle.NDCell(4)}}, // blocks without a shape
		{TypeSize: 4, ChunkSize: 400, Engine: chunk.Engine{Limits: cairn.Limits{MaxChunk: 399}}},
	} {
		if f, err := New(&o); err == nil {
			f.Abort()
			t.Errorf("%+v is accepted", o)
		}
	}
}
