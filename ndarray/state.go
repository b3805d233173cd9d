package ndarray

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// A state is an immutable state of an array: its geometry, and the chunks that belong to it. Shape
// and items read through one state always fit together, whatever others do to the array.
type state struct {
	part    *grid.Partition
	base    *grid.Partition // the frame's geometry: part, unless a new shape is pending
	layer   []byte          // the metalayer that describes base
	view    *frame.Snapshot
	pending *pendingWrites // nil if nothing is: see pending.go
	proxy   *fetchedBlocks // nil if the array is not a proxy
}

// updateState fills in what a newer view says about the array.
func (c *core) updateState(now, last *state) error {
	content, err := layerContent(now.view)
	if err != nil {
		return err
	}
	if last.proxy != nil {
		now.proxy, err = fetchedOf(now.view)
		if err != nil {
			return err
		}
	}
	if bytes.Equal(content, last.layer) {
		return nil
	}

	base, err := c.parseReshaped(content)
	if err != nil {
		return err
	}
	if *base == *last.part {
		base = last.part // the shape that was pending
	}
	now.layer = content
	now.base = base
	return nil
}

// parseReshaped returns the partition that a metalayer describes. It fails if this differs in more
// than the shape from the partition at opening.
func (c *core) parseReshaped(content []byte) (*grid.Partition, error) {
	part, dtype, err := parseLayer(content, c.frame.TypeSize())
	if err != nil {
		return nil, err
	}

	if p := c.part; part.Dims != p.Dims || part.Chunk != p.Chunk || part.Block != p.Block ||
		part.ItemSize != p.ItemSize || dtype != c.dtypeText {
		return nil, fmt.Errorf("the array was replaced by one of other chunks, blocks or items: %w",
			cairn.ErrConflict)
	}
	return part, nil
}

// withPartition returns the state with another partition, which must have the same chunks in the
// same order.
func (at *state) withPartition(part *grid.Partition) *state {
	now := *at
	now.part = part
	return &now
}

// within returns a state for one call, all of whose requests end with ctx, if there are any.
func (c *core) within(ctx context.Context, at *state) *state {
	if c.requests == 0 {
		return at
	}

	now := *at
	now.view = at.view.Inside().Within(ctx)
	return &now
}

// pendingChunk returns the pending blocks of a chunk, or nil.
func (at *state) pendingChunk(number int64) *pendingChunk { return at.pending.chunk(number) }

// likelyStored returns the size of a buffer in which most chunks fit as they are stored, or 0 if
// they are not read into buffers. A buffer that grows step by step would be copied at each step.
func (at *state) likelyStored() int64 {
	const (
		most = 8 << 20 // what a file says of itself may be false
		more = 1 << 10 // for a header, and for what is read behind a chunk
	)
	if at.view.Inside().Lends() {
		return 0
	}

	total := at.view.CBytes()
	if live := at.view.Info().Live; live >= 0 {
		total = live
	}
	mean := total / max(1, int64(at.view.NumChunks()))
	return min(total, at.part.ChunkSize, 2*mean, most) + more
}

// layerName returns the name of the array's metalayer.
func (at *state) layerName() string {
	if _, err := at.view.Layer(meta.LayerB2ND); err != nil {
		return meta.LayerCaterva
	}
	return meta.LayerB2ND
}
