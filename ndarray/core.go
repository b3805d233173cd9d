package ndarray

import (
	"fmt"
	"reflect"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/meta"
)

// core has what never changes about an open array: its snapshots and its workers share it.
type core struct {
	frame     *frame.Frame
	name      string // for errors; may be empty
	place     string // what String says instead of an empty name; "" is memory
	readOnly  bool
	locking   bool
	part      *grid.Partition // at opening; a state has its own, for its shape
	dtypeText string
	dtype     meta.DType
	dtypeErr  error // why the text does not describe the items
	without   error // why items cannot be read, or nil
	engine    chunk.Engine
	workers   int
	requests  int   // in flight at most when chunks are read remotely; 0 for local files
	memory    int64 // bytes for chunks that are being made
	encode    chunk.Options
	decode    chunk.DecodeOptions
	keep      *decoded.Owner // of blocks; nil if none are kept
	loop      *grid.Loop
	rounder   *rounder // of items that are written, or nil
	total     *sharedStats
	bytes     *govalue.Layout // layout of items as bytes
	unhold    func() error    // see hold; nil if chunks that are read cannot be removed
}

// inArray puts the name of the array before an error.
func (c *core) inArray(err error) error { return naming.In(c.name, err) }

// noItems returns the error for an array without readable items, or nil.
func (c *core) noItems() error { return c.inArray(c.without) }

func (c *core) vec(v grid.Vec) Shape { return shapeOf(c.part, v) }

func (c *core) chunkShape() Shape { return c.vec(c.part.Chunk) }

func (c *core) blockShape() Shape { return c.vec(c.part.Block) }

func (c *core) dims() int { return c.part.Dims }

// typeSize returns the bytes per item.
func (c *core) typeSize() int { return int(c.part.ItemSize) }

// item encodes a value that options or calls give for an item.
func (c *core) item(value any) ([]byte, error) {
	return govalue.EncodeItem(c.dtype, c.typeSize(), value)
}

// refuse adds the array and the call to an error about an argument.
func (c *core) refuse(call string, err error) error {
	if err == nil {
		return nil
	}
	return c.inArray(fmt.Errorf("%s: %w", call, err))
}

// noteFailure remembers a change that has failed: see [Untyped.Close].
func (c *core) noteFailure(err *error) {
	if *err != nil {
		_ = c.failed(*err)
	}
}

// failed is noteFailure, and returns the error.
func (c *core) failed(err error) error {
	if !c.readOnly {
		c.frame.Inside().Fail(err)
	}
	return err
}

// layout returns the mapping between values of a Go type and the items of the array.
func (c *core) layout(t reflect.Type) (*govalue.Layout, error) {
	if c.dtypeErr != nil {
		return nil, c.inArray(c.dtypeErr)
	}
	l, err := govalue.Of(t, c.dtype, c.typeSize())
	return l, c.inArray(err)
}
