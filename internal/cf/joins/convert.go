package joins

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// convert returns a source whose items have the form, which is src itself if they have it already.
func (f *form) convert(src ndarray.Source, it items) (ndarray.Source, error) {
	how, _, err := between(f.items, it)
	switch {
	case err != nil:
		return nil, err
	case how == asTheyAre && it.Stored.Equal(f.Stored):
		return src, nil
	case how == asTheyAre && !f.Numbers():
		return ordered{src, f.Stored}, nil
	}

	c := &converted{Source: src, to: f, from: it}
	c.convert = c.converter(how)
	return c, nil
}

// ordered are items of no numbers in the other order of bytes.
type ordered struct {
	ndarray.Source
	as meta.DType
}

func (o ordered) DType() meta.DType { return o.as }

// Labels returns those of the source.
func (o ordered) Labels() (ndarray.Labels, error) { return ndarray.LabelsOf(o.Source) }

func (o ordered) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := o.Source.ReadBytes(ctx, dst, start, stop); err != nil {
		return err
	}

	width := max(govalue.Swap(o.as), govalue.Swap(o.Source.DType()))
	if width == 0 {
		return fmt.Errorf("items of dtype %s in the order of %s: %w", o.Source.DType(), o.as, cairn.ErrUnsupported)
	}

	for ; len(dst) >= width; dst = dst[width:] {
		for i, j := 0, width-1; i < j; i, j = i+1, j-1 {
			dst[i], dst[j] = dst[j], dst[i]
		}
	}
	return nil
}

// converted are the items of a source in another form.
type converted struct {
	ndarray.Source
	to      *form
	from    items
	convert func(dst, items []byte) error
	idle    sync.Pool // of *[]byte
}

func (c *converted) DType() meta.DType { return c.to.Stored }

// Labels returns those of the form.
func (c *converted) Labels() (ndarray.Labels, error) {
	l, err := ndarray.LabelsOf(c.Source)
	l.Attributes = c.to.labels.Attributes
	return l, err
}

// piece is how many items are read and converted at a time, unless a box has more in a row.
const piece = 1 << 12

func (c *converted) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	n := 1
	for d := range start {
		n *= int(stop[d] - start[d])
	}

	size := c.from.Stored.Size()
	buf, ok := c.idle.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer c.idle.Put(buf)

	if cap(*buf) < n*size {
		*buf = make([]byte, n*size)
	}
	raw := (*buf)[:n*size]
	if err := c.Source.ReadBytes(ctx, raw, start, stop); err != nil {
		return err
	}

	wide := c.to.Stored.Size()
	for at := 0; at < n; at += piece {
		end := min(n, at+piece)
		if err := c.convert(dst[at*wide:end*wide], raw[at*size:end*size]); err != nil {
			return fmt.Errorf("%s: %w", c.from.name, err)
		}
	}
	return nil
}

// converter returns the function that converts items.
func (c *converted) converter(how way) func(dst, items []byte) error {
	a := c.from
	b := c.to
	whole := a.Numbers() && a.Items.Kind() != 'f' && b.Items.Kind() != 'f' && a.Packing == nil && b.Packing == nil

	switch {
	case isText(a.Stored):
		return c.texts
	case how == rescaled:
		return c.rescale
	case how == retimed && whole && len(a.Missing) == 0:
		return c.wholeTimes
	case how == retimed:
		return c.times
	case whole && len(a.Missing) == 0, whole && how < decoded:
		return c.integers
	}
	return c.numbers
}

// texts makes texts longer, or shorter if nothing is lost.
func (c *converted) texts(dst, items []byte) error {
	from := c.from.Stored
	to := c.to.Stored
	size := from.Size()
	wide := to.Size()
	swap := from.Kind() == 'U' && from.BigEndian() != to.BigEndian()

	for i := 0; i*size < len(items); i++ {
		item := items[i*size:][:size]
		room := dst[i*wide:][:wide]
		clear(room[copy(room, item):])

		for _, b := range item[min(size, wide):] {
			if b != 0 {
				return fmt.Errorf("a text is longer than dtype %s holds: %w", to, cairn.ErrType)
			}
		}

		for k := 0; swap && k+4 <= len(room); k += 4 {
			room[k], room[k+1], room[k+2], room[k+3] = room[k+3], room[k+2], room[k+1], room[k]
		}
	}
	return nil
}

// an integer is one of 64 bits, with or without a sign.
type integer struct {
	bits     uint64
	negative bool
}

// integerAt decodes an integer item.
func integerAt(as govalue.Number, raw []byte) integer {
	v := as.Int(raw)
	return integer{uint64(v), as.Kind == 'i' && v < 0}
}

// put encodes an integer. It reports false if the dtype does not hold it.
func (n integer) put(as govalue.Number, dst []byte) bool {
	bits := 8 * as.Size
	signed := as.Kind == 'i'
	switch {
	case n.negative && (!signed || int64(n.bits) < -1<<(bits-1)):
		return false
	case !n.negative && signed && n.bits > 1<<(bits-1)-1, !n.negative && bits < 64 && n.bits>>bits > 0:
		return false
	}
	as.PutBits(dst, n.bits)
	return true
}

// integers converts integers to others.
func (c *converted) integers(dst, items []byte) error {
	a := c.from
	b := c.to
	size := a.Stored.Size()
	wide := b.Stored.Size()

	for i := 0; i*size < len(items); i++ {
		n := integerAt(a.number(), items[i*size:])
		if !n.put(b.number(), dst[i*wide:]) {
			return c.noItem(n.number().Value())
		}
		if len(a.Missing) == 0 && slices.ContainsFunc(b.Missing, n.number().Equal) {
			return fmt.Errorf("the item %v would be missing: %w", n.number(), cairn.ErrType)
		}
	}
	return nil
}

func (n integer) number() (number cf.Number) {
	if n.negative {
		number, _ = cf.NumberOf(int64(n.bits))
		return number
	}
	number, _ = cf.NumberOf(n.bits)
	return number
}

// noItem is the error for a value that the form has no item for.
func (c *converted) noItem(v any) error {
	return fmt.Errorf("no item of dtype %s stands for %v exactly: %w", c.describe(), v, cairn.ErrType)
}

func (c *converted) describe() string {
	text := c.to.Stored.String()
	if packing := c.to.Packing.String(); packing != "" {
		text += " (" + packing + ")"
	}
	return text
}

// mostExact is the largest integer up to which float64 has all.
const mostExact = 1 << 53

// numbers converts items by way of their values.
func (c *converted) numbers(dst, items []byte) error {
	values := make([]float64, len(items)/c.from.Stored.Size())
	if err := c.values(values, items); err != nil {
		return err
	}
	return c.encode(dst, values)
}

// values decodes items.
func (c *converted) values(values []float64, items []byte) error {
	a := c.from
	a.Convert(values, items)
	if a.Items.Kind() == 'f' || a.Items.Size() < 8 || a.Packing != nil {
		return nil
	}

	for _, v := range values {
		if math.Abs(v) > mostExact {
			return fmt.Errorf("the integer %.0f is beyond those that floats hold exactly: %w", v, cairn.ErrType)
		}
	}
	return nil
}

// encode writes values as items of the form.
func (c *converted) encode(dst []byte, values []float64) error {
	m := c.to.Meaning
	size := m.Stored.Size()
	back := make([]float64, 1)
	for i, v := range values {
		room := dst[i*size:][:size]
		if err := c.put(room, v); err != nil {
			return err
		}
		if m.Convert(back, room); back[0] != v && !(math.IsNaN(back[0]) && math.IsNaN(v)) && !c.near(back[0], v) {
			return c.noItem(v)
		}
	}
	return nil
}

// near reports whether an item stands for a value but for the rounding of the packing.
func (c *converted) near(have, want float64) bool {
	if c.to.Packing == nil {
		return false
	}
	scale := max(math.Abs(want), math.Abs(c.to.Packing.Offset))
	if c.to.Values.Size() == 4 || c.from.Values.Size() == 4 {
		return math.Abs(have-want) <= scale*0x1p-22
	}
	return math.Abs(have-want) <= scale*0x1p-50
}

// put writes the item for a value.
func (c *converted) put(room []byte, v float64) error {
	m := c.to.Meaning
	whole := m.Items.Kind() != 'f'
	switch {
	case math.IsNaN(v) && len(m.Missing) > 0 && whole:
		return c.putInteger(room, m.Missing[0])
	case math.IsNaN(v) && len(m.Missing) > 0:
		v = m.Missing[0].Float
	case math.IsNaN(v) && whole:
		return fmt.Errorf("a value is missing, and the array says of no item that it stands for none: %w", cairn.ErrType)
	case m.Packing != nil:
		v = (v - m.Packing.Offset) / m.Packing.Factor
		if whole {
			v = math.RoundToEven(v)
		}
	}

	if !whole {
		c.to.number().PutFloat(room, v)
		return nil
	}
	n, _ := cf.NumberOf(v)
	return c.putInteger(room, n.Integer())
}

// putInteger writes an item that is an integer.
func (c *converted) putInteger(room []byte, n cf.Number) error {
	bits, negative, ok := n.Int()
	if !ok || !(integer{bits, negative}).put(c.to.number(), room) {
		return c.noItem(n)
	}
	return nil
}
