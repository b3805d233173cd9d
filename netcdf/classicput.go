package netcdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// put writes the items of a variable.
func (c *newClassic) put(ctx context.Context, key string, src ndarray.Source, o *CreateOptions) error {
	i := slices.IndexFunc(c.root.Variables, func(v *Variable) bool { return path.Join("/", v.Name) == key })
	if i < 0 {
		return cairn.ErrNotFound
	}
	in, err := inputOf(c.root.Variables[i], src, true)
	if err != nil {
		return err
	}
	to := &recordWriter{classicVariable: &c.places[i], record: c.record, file: c.file}
	if err := in.copy(ctx, to, o); err != nil {
		c.failed = errors.Join(c.failed, fmt.Errorf("variable %q: %w", key, err))
		return err
	}
	return nil
}

// copy writes all items, in boxes of up to o.Memory bytes, of which the next is read while one is
// written.
func (in *input) copy(ctx context.Context, to *recordWriter, o *CreateOptions) error {
	shape := in.src.Shape()
	start := make([]int64, len(shape))
	chunks, blocks := in.src.Grid()
	from := int64(in.src.DType().Size())
	total := in.item
	for _, n := range shape {
		total *= n
	}
	if total == 0 {
		return ctx.Err()
	}

	const ahead = 1
	edge := slab.Runs(start, shape, chunks, blocks, from, max(1, o.Memory/(ahead+1)))
	var buffers [1 + ahead][]byte
	read := func(ctx context.Context, slot int, b slab.Box) ([]byte, error) {
		buffers[slot] = slab.Resize(buffers[slot], b.Items()*from)
		return buffers[slot], in.src.ReadBytes(ctx, buffers[slot], b.Start, b.Stop)
	}

	var encoded []byte
	done := int64(0)
	return readahead.Boxes(ctx, ahead, slab.Walk(start, shape, edge), read, func(b slab.Box, items []byte) error {
		encoded = slab.Resize(encoded, b.Items()*in.item)
		if err := in.encode(encoded, items); err != nil {
			return err
		}
		if err := to.write(encoded, done); err != nil {
			return err
		}
		if done += int64(len(encoded)); o.Progress != nil {
			o.Progress(done, total)
		}
		return ctx.Err()
	})
}

// A recordWriter writes the items of a variable, in C order, where they belong.
type recordWriter struct {
	*classicVariable
	record int64 // from one record to the next
	file   storage.File
	window []byte
}

// Parts of records that are smaller than smallPart are written together with what is between them,
// which is read before, as many as fit into windowBytes.
const (
	smallPart   = 4 << 10
	windowBytes = 1 << 20
)

// write writes items from a byte of the variable on.
func (w *recordWriter) write(items []byte, at int64) error {
	if !w.records || w.record == w.slice {
		_, err := w.file.WriteAt(items, w.begin+at)
		return err
	}

	for len(items) > 0 {
		within := at % w.slice
		off := w.begin + at/w.slice*w.record + within
		n := min(w.slice-within, int64(len(items)))
		var err error
		if most := windowBytes / w.record; within == 0 && w.slice < smallPart && most > 1 && int64(len(items)) >= 2*w.slice {
			n, err = w.several(items, off, most)
		} else {
			_, err = w.file.WriteAt(items[:n], off)
		}
		if err != nil {
			return err
		}
		items = items[n:]
		at += n
	}
	return nil
}

// several writes the parts of up to most records, the first of which is at off, and returns how
// many bytes these have.
func (w *recordWriter) several(items []byte, off, most int64) (int64, error) {
	count := min(most, int64(len(items))/w.slice)
	w.window = slab.Resize(w.window, (count-1)*w.record+w.slice)
	if n, err := w.file.ReadAt(w.window, off); n < len(w.window) {
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return 0, fmt.Errorf("reading what is between records: %w", err)
	}

	for k := range count {
		copy(w.window[k*w.record:], items[k*w.slice:][:w.slice])
	}
	_, err := w.file.WriteAt(w.window, off)
	return count * w.slice, err
}

// finish writes the fill value to the variables that lack items.
func (c *newClassic) finish(lacks func(key string) bool) error {
	if c.failed != nil {
		return c.failed
	}
	for i, v := range c.root.Variables {
		if !lacks(path.Join("/", v.Name)) {
			continue
		}
		p := &c.places[i]
		total := p.slice
		if p.records {
			total *= c.records
		}
		to := &recordWriter{classicVariable: p, record: c.record, file: c.file}
		if err := to.fill(v, total); err != nil {
			return err
		}
	}
	return nil
}

// fill writes the fill value of a variable to as many bytes of it, where the file has zeros.
func (w *recordWriter) fill(v *Variable, total int64) error {
	item := v.fillItem()
	if len(bytes.Trim(item, "\x00")) == 0 {
		return nil
	}
	items := bytes.Repeat(item, int(min(total, windowBytes))/len(item))
	for at := int64(0); at < total; at += int64(len(items)) {
		if err := w.write(items[:min(total-at, int64(len(items)))], at); err != nil {
			return err
		}
	}
	return nil
}

// fillItem returns the item that stands where nothing was written, as a classic file has it.
func (v *Variable) fillItem() []byte {
	for _, a := range v.Attributes {
		if a.Name != cf.FillValue {
			continue
		}
		if _, raw, _, err := a.encode(v.Type, true); err == nil && len(raw) == v.Type.Size {
			return raw
		}
	}

	item := make([]byte, v.Type.Size)
	for i := range item {
		item[i] = byte(v.Type.fill >> (8 * (len(item) - 1 - i)))
	}
	return item
}
