package netcdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// An input is a variable of a new file and what its items come from.
type input struct {
	*classicVariable
	record int64 // from one record to the next
	src    ndarray.UntypedView
	item   int64                       // bytes of an item of the source in the file
	encode func(dst, src []byte) error // changes items into those of the file
}

// input returns how the items of a source become those of a variable.
func (c *newClassic) input(key string, src ndarray.Source) (*input, error) {
	i := slices.IndexFunc(c.root.Variables, func(v *Variable) bool { return path.Join("/", v.Name) == key })
	if i < 0 {
		return nil, cairn.ErrNotFound
	}
	v := c.root.Variables[i]
	in := &input{classicVariable: &c.places[i], record: c.record, src: ndarray.ViewOf(src)}
	if err := in.src.Err(); err != nil {
		return nil, err
	}

	shape := v.Shape()
	d := src.DType()
	size := d.Size()
	t, err := TypeOf(d)
	if err != nil {
		return nil, err
	}

	chars, isText := charsOf[d.Kind()]
	switch {
	case isText && v.Type == atomic[typeChar] && len(shape) == len(src.Shape())+1:
		width := int(shape[len(shape)-1])
		shape = shape[:len(shape)-1]
		in.item = int64(width)
		in.encode = func(dst, src []byte) error { return chars(dst, src, width, size, d.BigEndian()) }
	case t != v.Type:
		return nil, fmt.Errorf("items of dtype %v for a variable of type %s: %w", d, v.Type.Name, cairn.ErrType)
	case size != v.Type.Size:
		return nil, fmt.Errorf("items of %d bytes for a variable of chars: %w", size, cairn.ErrType)
	default:
		in.item = int64(size)
		swap := size > 1 && !d.BigEndian()
		in.encode = func(dst, src []byte) error {
			copy(dst, src)
			if swap {
				reverseItems(dst, size)
			}
			return nil
		}
	}

	if !slices.Equal(src.Shape(), shape) {
		return nil, fmt.Errorf("items of shape %v for a variable of shape %v: %w", src.Shape(), v.Shape(), cairn.ErrBounds)
	}
	return in, nil
}

// reverseItems reverses the bytes of each item.
func reverseItems(b []byte, size int) {
	switch size {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			binary.BigEndian.PutUint16(b, binary.LittleEndian.Uint16(b))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.BigEndian.PutUint32(b, binary.LittleEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.BigEndian.PutUint64(b, binary.LittleEndian.Uint64(b))
		}
	}
}

// charsOf make items of width bytes of texts of size bytes, by the kind of their dtype.
var charsOf = map[byte]func(dst, src []byte, width, size int, bigEndian bool) error{'S': encodeBytes, 'U': encodeTexts}

// encodeTexts makes UTF-8 of UTF-32.
func encodeTexts(dst, src []byte, width, size int, bigEndian bool) error {
	clear(dst)
	for ; len(src) > 0; src = src[size:] {
		to := dst[:0:width]
		for item := src[:size]; len(item) > 0; item = item[4:] {
			code := binary.LittleEndian.Uint32(item)
			if bigEndian {
				code = binary.BigEndian.Uint32(item)
			}
			if code == 0 && len(bytes.Trim(item, "\x00")) == 0 {
				break // what is behind the text
			}
			to = utf8.AppendRune(to, rune(code))
		}

		if len(to) > width {
			return fmt.Errorf("the text %.40q has %d bytes, more than %d: %w", to, len(to), width, cairn.ErrBounds)
		}
		dst = dst[width:]
	}
	return nil
}

func encodeBytes(dst, src []byte, width, size int, _ bool) error {
	clear(dst)
	for ; len(src) > 0; src = src[size:] {
		item := bytes.TrimRight(src[:size], "\x00")
		if len(item) > width {
			return fmt.Errorf("the text %.40q has %d bytes, more than %d: %w", item, len(item), width, cairn.ErrBounds)
		}
		copy(dst, item)
		dst = dst[width:]
	}
	return nil
}

// copy writes all items, in boxes of up to memory bytes, of which the next is read while one is
// written.
func (in *input) copy(ctx context.Context, file storage.File, memory int64, progress func(done, total int64)) error {
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
	edge := slab.Runs(start, shape, chunks, blocks, from, max(1, memory/(ahead+1)))
	var buffers [1 + ahead][]byte
	read := func(ctx context.Context, slot int, b slab.Box) ([]byte, error) {
		buffers[slot] = slab.Resize(buffers[slot], b.Items()*from)
		return buffers[slot], in.src.ReadBytes(ctx, buffers[slot], b.Start, b.Stop)
	}

	to := &recordWriter{classicVariable: in.classicVariable, record: in.record, file: file}
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
		if done += int64(len(encoded)); progress != nil {
			progress(done, total)
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

// fill writes the fill value to the variables that lack items.
func (c *newClassic) fill(file storage.File, lacks func(key string) bool) error {
	for i, v := range c.root.Variables {
		if !lacks(path.Join("/", v.Name)) {
			continue
		}
		item := v.fillItem()
		if len(bytes.Trim(item, "\x00")) == 0 {
			continue // the file has zeros already
		}

		p := &c.places[i]
		total := p.slice
		if p.records {
			total *= c.records
		}
		to := &recordWriter{classicVariable: p, record: c.record, file: file}
		items := bytes.Repeat(item, int(min(total, windowBytes))/len(item))
		for at := int64(0); at < total; at += int64(len(items)) {
			if err := to.write(items[:min(total-at, int64(len(items)))], at); err != nil {
				return err
			}
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
