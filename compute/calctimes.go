package compute

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A clock tells which times the values of a term are.
type clock struct {
	cftime.Scale
	bits int // of floats
}

// clockOf returns the clock of a term whose values are times, or nil.
func (b *binder) clockOf(t *term) (*clock, error) {
	scale := cf.TimesOf(t.attributes)
	if scale == nil {
		return nil, nil
	}
	v, err := t.value(b.trial)
	if err != nil {
		return nil, err
	}

	c := &clock{Scale: *scale, bits: 53}
	switch v.Kind() {
	case kernel.Float32:
		c.bits = 24
	case kernel.Float16:
		c.bits = 11
	}
	return c, nil
}

// reading returns what a function makes of times, and what there is where none are.
func reading[R any](c *clock, of func(t cftime.Time) R, none R) kernel.Reading[R] {
	take := func(t cftime.Time, ok bool) R {
		if !ok {
			return none
		}
		return of(t)
	}
	return kernel.Reading[R]{
		Ints: func(dst []R, x []int64) {
			for i, n := range x {
				dst[i] = take(c.Int(n))
			}
		},
		Floats: func(dst []R, x []float64) {
			for i, v := range x {
				dst[i] = take(c.Float(v, c.bits))
			}
		},
	}
}

// takenAs returns the term of what a reading makes of the values of a term, as described by parts.
func takenAs[R any](ctx context.Context, b *binder, of *term, k kernel.Kind, r kernel.Reading[R],
	attributes meta.Map, parts ...any) (*term, error) {
	return b.intern(func() (*term, error) {
		t, err := b.combined(ctx, []*term{of}, func(v []kernel.Value) (kernel.Value, error) {
			return kernel.Read(k, v[0], r)
		})
		if err != nil {
			return nil, err
		}
		t.attributes = attributes
		return t, nil
	}, append(parts, of.id)...)
}

// datePart returns the term of a part of times, such as the month: an int64, or a float64 where
// times may be missing, which is NaN there.
func (b *binder) datePart(ctx context.Context, n *expr.Node, part cftime.Part) (*term, error) {
	of, err := b.bind(ctx, n.Args[0])
	if err != nil {
		return nil, err
	}
	c, err := b.clockOf(of)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf(`%s takes times: dates of NumPy, or numbers with units such as "days since 2000-01-01": %w`,
			n.Text, cairn.ErrType)
	}

	take, err := part.In(c.Calendar)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", n.Text, err, cairn.ErrUnsupported)
	}

	var attributes meta.Map
	if part.Names != nil {
		attributes = cf.WithFlags(part.Names)
	}
	v, err := of.value(b.trial)
	if err != nil {
		return nil, err
	}
	if v.Kind().IsFloat() || of.dates {
		r := reading(c, func(t cftime.Time) float64 { return float64(take(t)) }, math.NaN())
		return takenAs(ctx, b, of, kernel.Float64, r, attributes, "part", n.Text)
	}
	return takenAs(ctx, b, of, kernel.Int64, reading(c, take, 0), attributes, "part", n.Text)
}

// timeOperation returns the term of a comparison or difference of times, or nil if the arguments
// are none, or are on one scale.
func (b *binder) timeOperation(ctx context.Context, n *expr.Node, args []*term) (*term, error) {
	c, err := b.clockOf(args[0])
	if c == nil || err != nil {
		return nil, err
	}
	d, err := b.clockOf(args[1])
	if d == nil || err != nil {
		return nil, err
	}

	if !cftime.OneLine(c.Calendar, d.Calendar) {
		return nil, fmt.Errorf("times of different calendars: %w", cairn.ErrType)
	}
	difference := n.Text == "-"
	if c.Scale == d.Scale && !(args[0].dates || args[1].dates) {
		return nil, nil
	}

	const perDay = 24 * 60 * 60
	origin, _ := c.Int(0)
	var elapsed [2]*term // seconds, which are exact where NumPy's are
	for i, own := range []*clock{c, d} {
		r := reading(own, func(t cftime.Time) float64 {
			return float64(t.Seconds-origin.Seconds) + float64(t.Nanos-origin.Nanos)/1e9
		}, math.NaN())
		elapsed[i], err = takenAs(ctx, b, args[i], kernel.Float64, r, nil, "elapsed", origin)
		if err != nil {
			return nil, err
		}
	}

	compute := binaryOf(n.Text)
	if difference {
		compute = func(v []kernel.Value) (kernel.Value, error) {
			seconds, err := kernel.Binary("-", v[0], v[1])
			if err != nil {
				return seconds, err
			}
			return kernel.Binary("/", seconds, kernel.Float(perDay))
		}
	}
	t, err := b.applied(ctx, n, elapsed[:], compute)
	if err != nil || !difference {
		return t, err
	}
	t.attributes = cf.Elapsed(cf.WithTimeUnits(nil, "days"))
	return t, nil
}

// withDate returns the term of a comparison or difference of times and the date that a text is. It
// reports false if the term has no times.
func (b *binder) withDate(ctx context.Context, op string, of *term, text string, flipped bool) (*term, bool, error) {
	c, err := b.clockOf(of)
	if c == nil || err != nil {
		return nil, false, err
	}
	at, _, err := c.Calendar.Span(text)
	if err != nil {
		return nil, true, fmt.Errorf("%w: %w", err, cairn.ErrInvalid)
	}

	if op == "-" {
		t, err := b.since(ctx, c, of, at, flipped)
		return t, true, err
	}
	holds := holdsFor(op)
	r := reading(c, func(t cftime.Time) bool { return holds(t.Compare(at)) }, op == "!=")
	t, err := takenAs(ctx, b, of, kernel.Bool, r, nil, "date", op, text)
	return t, true, err
}

// since returns the term of the differences of times and a date, in their units.
func (b *binder) since(ctx context.Context, c *clock, of *term, at cftime.Time, flipped bool) (*term, error) {
	whole, rest, ok := c.Number(at)
	if !ok || !c.Linear() {
		return nil, fmt.Errorf("the units of the times have no fixed length: %w", cairn.ErrUnsupported)
	}
	value := kernel.Float(float64(whole) + rest)
	if rest == 0 {
		var err error
		if value, err = kernel.Number(strconv.FormatInt(whole, 10)); err != nil {
			return nil, err
		}
	}

	return b.intern(func() (*term, error) {
		t, err := b.combined(ctx, []*term{of}, func(v []kernel.Value) (kernel.Value, error) {
			if flipped {
				return kernel.Binary("-", value, v[0])
			}
			return kernel.Binary("-", v[0], value)
		})
		if err != nil {
			return nil, err
		}
		t.attributes = cf.Elapsed(of.attributes)
		return t, nil
	}, "since", at, flipped, of.id)
}

// isPart reports whether a name is that of a part of times.
func isPart(name string) bool {
	_, ok := cftime.PartNamed(name)
	return ok
}

// ofDates returns an array of dates of NumPy as one of integers whose attributes say which times
// they are.
func ofDates(src ndarray.Source) (ndarray.Source, error) {
	unit, count := src.DType().Unit()
	scale, ok := cftime.NumPyScale(unit, count)
	if !ok {
		return nil, fmt.Errorf("dates in units of %d %s: %w", count, unit, cairn.ErrUnsupported)
	}
	labels, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}

	d := &dates{Source: src, big: src.DType().BigEndian()}
	word := map[string]string{"W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds",
		"us": "microseconds", "ns": "nanoseconds"}[unit]
	if word == "" || count != 1 { // what CF has no unit for
		word = "microseconds"
		d.convert = func(n int64) int64 {
			t, ok := scale.Int(n)
			if !ok || max(t.Seconds, -t.Seconds) > math.MaxInt64/1_000_000-1 {
				return math.MinInt64
			}
			return t.Seconds*1_000_000 + t.Nanos/1000
		}
	}
	labels.Attributes = cf.AsTimes(slices.Clone(labels.Attributes), word)
	d.labels = labels
	return d, nil
}

// dates are dates of NumPy as integers.
type dates struct {
	ndarray.Source
	big     bool
	convert func(n int64) int64 // or nil
	labels  ndarray.Labels
}

func (d *dates) DType() meta.DType { return int64Type }

func (d *dates) Labels() (ndarray.Labels, error) { return d.labels, nil }

func (d *dates) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	err := d.Source.ReadBytes(ctx, dst, start, stop)
	if err != nil || !d.big && d.convert == nil {
		return err
	}

	number := govalue.Number{Kind: 'i', Size: 8, BigEndian: d.big}
	for at := 0; at+8 <= len(dst); at += 8 {
		n := number.Int(dst[at:][:8])
		if d.convert != nil {
			n = d.convert(n)
		}
		binary.LittleEndian.PutUint64(dst[at:], uint64(n))
	}
	return nil
}
