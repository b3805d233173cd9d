package ndarray

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/shuffle"
)

// TestInvalidArgumentsAreOfAKind tells arguments that make no sense from faults, as servers do.
func TestInvalidArgumentsAreOfAKind(t *testing.T) {
	made := func(shape Shape, o *Options) error {
		_, err := New[int32](shape, o)
		return err
	}
	copied := func(o *CopyOptions) error {
		_, err := Copy(t.Context(), Items([]int32{1, 2}, Shape{2}), o)
		return err
	}
	parsed := func(text string) error {
		_, err := Parse(text)
		return err
	}
	opened := func(o *OpenOptions) error {
		_, err := Open("nothing", o)
		return err
	}
	for what, err := range map[string]error{
		"level":            made(Shape{4}, &Options{Level: 10}),
		"workers":          made(Shape{4}, &Options{Workers: -1}),
		"rank":             made(make(Shape, 17), nil),
		"negative extent":  made(Shape{-1}, nil),
		"rank of chunks":   made(Shape{4}, &Options{ChunkShape: Shape{2, 2}}),
		"block of nothing": made(Shape{4}, &Options{ChunkShape: Shape{4}, BlockShape: Shape{0}}),
		"limits":           made(Shape{4}, &Options{Engine: chunk.Engine{Limits: cairn.Limits{MaxChunk: -1}}}),
		"filters":          made(Shape{4}, &Options{Filters: make([]shuffle.Spec, 7)}),
		"fill and uninit":  made(Shape{4}, &Options{Fill: 1, Uninit: true}),
		"level of a copy":  copied(&CopyOptions{Level: 11}),
		"memory of a copy": copied(&CopyOptions{Memory: -1}),
		"words":            parsed("a:b"),
		"step":             parsed("::0"),
		"bracket":          parsed("[1, 2"),
		"mode":             opened(&OpenOptions{Mode: 7}),
		"offset":           opened(&OpenOptions{Offset: -1}),
		"frame":            (&frame.Options{ChunkSize: -1}).Validate(),
		"limits of open":   opened(&OpenOptions{Engine: chunk.Engine{Limits: cairn.Limits{MaxMeta: -3}}}),
		"no path":          func() error { _, err := Create[int8]("", Shape{1}, nil); return err }(),
	} {
		if !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
