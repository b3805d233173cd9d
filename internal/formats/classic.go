package formats

// How items are written that the classic formats of NetCDF have no type for, so that what reads
// attributes as xarray does has the same values.

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// A classicChange is what becomes of the items of an array.
type classicChange struct {
	to         *netcdf.Type
	attributes meta.Map
	width      int64 // bytes of a text, or 0
	of         func(items ndarray.Source) ndarray.Source
}

// changers decide on the changes of arrays, by the names of the types that they have in NetCDF-4.
var changers = map[string]func(c *classicChange, ctx context.Context, items ndarray.Source) error{
	"string": (*classicChange).chars,
	"ubyte":  signedAs("i1"), "ushort": signedAs("i2"), "uint": signedAs("i4"),
	"int64":  func(c *classicChange, ctx context.Context, s ndarray.Source) error { return c.narrow(ctx, s, false) },
	"uint64": func(c *classicChange, ctx context.Context, s ndarray.Source) error { return c.narrow(ctx, s, true) },
}

// changeOf decides on the change of an array with given attributes, which is of a type in NetCDF-4.
// It reads all items of 64 bits and all texts.
func changeOf(ctx context.Context, t *netcdf.Type, items ndarray.Source, attributes meta.Map) (*classicChange, error) {
	change := changers[t.Name]
	if change == nil {
		return nil, fmt.Errorf("items of dtype %v in a classic NetCDF file: %w", items.DType(), cairn.ErrUnsupported)
	}
	c := &classicChange{attributes: attributes}
	err := change(c, ctx, items)
	return c, err
}

// chars makes texts chars, as many as the longest one has bytes.
func (c *classicChange) chars(ctx context.Context, items ndarray.Source) error {
	c.to = netcdf.TypeNamed("char")
	c.attributes = withAttribute(c.attributes, "_Encoding", "utf-8")
	c.of = func(items ndarray.Source) ndarray.Source { return items }
	c.width = 1

	size := items.DType().Size()
	order := orderOf(items.DType())
	return eachBox(ctx, items, func(texts []byte) error {
		for ; len(texts) > 0; texts = texts[size:] {
			c.width = max(c.width, textBytes(texts[:size], order))
		}
		return nil
	})
}

// textBytes returns how many bytes a text of UTF-32 has in UTF-8, without the zeros behind it.
func textBytes(text []byte, order binary.ByteOrder) (n int64) {
	zeros := int64(0) // part of the text if something follows
	for ; len(text) > 0; text = text[4:] {
		code := order.Uint32(text)
		if code == 0 {
			zeros++
			continue
		}
		n += zeros + int64(len(string(rune(code))))
		zeros = 0
	}
	return n
}

func orderOf(d meta.DType) binary.ByteOrder {
	if d.BigEndian() {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// signedAs makes unsigned integers signed ones of the same bits, of a dtype but for its byte order.
func signedAs(code string) func(c *classicChange, ctx context.Context, items ndarray.Source) error {
	return func(c *classicChange, _ context.Context, items ndarray.Source) error {
		d := items.DType()
		to, err := meta.ParseDType(d.String()[:1] + code)
		if err != nil {
			return err
		}
		c.to, err = netcdf.TypeOf(to)
		c.attributes = cf.Signed(c.attributes, 8*d.Size())
		c.of = func(items ndarray.Source) ndarray.Source { return &retyped{items, to} }
		return err
	}
}

// A narrowing makes integers of 64 bits such of 32 bits, or times doubles.
type narrowing struct {
	to       meta.DType
	order    binary.ByteOrder
	unsigned bool
	missing  int64 // becomes the least integer, if marked
	marked   bool
	isTime   bool
	double   bool
	unit     int64 // by which all are divided

	least, most int64  // of those that are not missing
	step        uint64 // of times, of which all are multiples
	lacks       bool   // some are missing
}

// narrow makes integers of 64 bits such of 32 bits, if all fit, and times else doubles.
func (c *classicChange) narrow(ctx context.Context, items ndarray.Source, unsigned bool) error {
	to, err := meta.ParseDType("<i4")
	if err != nil {
		return err
	}
	n := &narrowing{to: to, order: orderOf(items.DType()), unsigned: unsigned, unit: 1, least: math.MaxInt64,
		most: math.MinInt64}

	fill, _ := c.attributes.Get(cf.FillValue)
	mark, isNumber := cf.NumberOf(fill)
	if bits, _, ok := mark.Int(); isNumber && ok && (mark.Float < math.MinInt32 || mark.Float > math.MaxInt32) {
		n.missing = int64(bits)
		n.marked = true
	}

	times, isTime := items.(*retyped)
	n.isTime = isTime
	since := strings.Contains(cf.Text(c.attributes, "units"), " since ")
	if isTime || fill == nil && since {
		n.missing = math.MinInt64 // NaT
		n.marked = true
	}

	if err := eachBox(ctx, items, n.look); err != nil {
		return err
	}
	if isTime {
		c.scale(n, times.Source.DType())
	}
	c.to = netcdf.TypeNamed("int")
	missing := any(int64(math.MinInt32))
	if err := n.check(); err != nil {
		if !isTime && !since {
			return err
		}
		if !n.exact() {
			return fmt.Errorf("%w; as times of 64 bits they are no exact doubles either: write a .nc file", err)
		}
		if n.to, err = meta.ParseDType("<f8"); err != nil {
			return err
		}
		n.double = true
		c.to = netcdf.TypeNamed("double")
		missing = math.NaN()
	}

	switch {
	case n.marked && (n.lacks || fill != nil):
		c.attributes = withAttribute(c.attributes, cf.FillValue, missing)
	case n.double && fill != nil:
		c.attributes = withAttribute(c.attributes, cf.FillValue, mark.Float)
	}
	c.of = func(items ndarray.Source) ndarray.Source { return &narrowed{items, n} }
	return nil
}

// look takes note of items.
func (n *narrowing) look(items []byte) error {
	for ; len(items) > 0; items = items[8:] {
		v := int64(n.order.Uint64(items))
		if n.marked && v == n.missing {
			n.lacks = true
			continue
		}
		if n.unsigned && v < 0 {
			return noInt(uint64(v))
		}
		n.least = min(n.least, v)
		n.most = max(n.most, v)
		for a := uint64(max(v, -v)); n.isTime && a != 0; {
			n.step, a = a, n.step%a
		}
	}
	return nil
}

// noInt is the error for a value that does not fit.
func noInt(v any) error {
	return fmt.Errorf("the value %d is no integer of 32 bits, and a classic NetCDF file has no larger ones: %w", v,
		cairn.ErrUnsupported)
}

// check returns an error unless all items fit.
func (n *narrowing) check() error {
	least := int64(math.MinInt32)
	if n.lacks {
		least++ // which the missing ones are
	}
	switch {
	case n.least > n.most:
		return nil
	case n.least/n.unit < least:
		return noInt(n.least)
	case n.most/n.unit > math.MaxInt32:
		return noInt(n.most)
	}
	return nil
}

// exact reports whether doubles represent all items.
func (n *narrowing) exact() bool {
	const most = 1 << 53
	return n.least/n.unit >= -most && n.most/n.unit <= most
}

// scale chooses the longest unit that times are whole numbers of.
func (c *classicChange) scale(n *narrowing, d meta.DType) {
	code, _ := d.Unit()
	own := slices.IndexFunc(timeUnits, func(u timeUnit) bool { return u.code == code })
	for _, u := range timeUnits[:own] {
		factor := u.nanos / timeUnits[own].nanos
		if n.step%uint64(factor) != 0 {
			continue
		}
		n.unit = factor
		text := strings.Replace(cf.Text(c.attributes, "units"), timeUnits[own].word, u.word, 1)
		c.attributes = withAttribute(c.attributes, "units", text)
		return
	}
}

// narrowed are integers of 64 bits as such of 32 bits, or as doubles.
type narrowed struct {
	ndarray.Source
	*narrowing
}

func (n *narrowed) DType() meta.DType { return n.to }

func (n *narrowed) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if n.double {
		err := n.Source.ReadBytes(ctx, dst, start, stop)
		n.doubles(dst)
		return err
	}

	wide := slab.Resize[byte](nil, 2*len(dst))
	if err := n.Source.ReadBytes(ctx, wide, start, stop); err != nil {
		return err
	}
	for ; len(dst) > 0; dst = dst[4:] {
		v := int64(n.order.Uint64(wide))
		wide = wide[8:]
		if n.marked && v == n.missing {
			v = math.MinInt32
		} else if v /= n.unit; v != int64(int32(v)) {
			return noInt(v) // it was none before
		}
		binary.LittleEndian.PutUint32(dst, uint32(int32(v)))
	}
	return nil
}

// doubles makes doubles of integers in place.
func (n *narrowing) doubles(items []byte) {
	for ; len(items) > 0; items = items[8:] {
		v := int64(n.order.Uint64(items))
		f := float64(v / n.unit)
		if n.marked && v == n.missing {
			f = math.NaN()
		}
		binary.LittleEndian.PutUint64(items, math.Float64bits(f))
	}
}

// withAttribute returns attributes of which one has a value.
func withAttribute(attributes meta.Map, name string, value any) meta.Map {
	attributes = slices.Clone(attributes)
	i := slices.IndexFunc(attributes, func(p meta.Pair) bool { return p.Key == name })
	if i < 0 {
		return append(attributes, meta.Pair{Key: name, Value: value})
	}
	attributes[i].Value = value
	return attributes
}
