package groups

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// array returns an array in memory of little-endian items.
func array(dtype string, shape ndarray.Shape, items []byte, labels ndarray.Labels) (ndarray.Source, error) {
	u, err := ndarray.NewUntyped(dtype, shape, nil)
	if err != nil {
		return nil, err
	}
	if err := u.SetLabels(labels); err != nil {
		return nil, err
	}
	return u, u.Write(context.Background(), items)
}

func integers(name string, values []int) (ndarray.Source, error) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return array("<i8", ndarray.Shape{int64(len(values))}, b, ndarray.Labels{Dims: []string{name}})
}

func texts(name string, values []string) (ndarray.Source, error) {
	width := 1
	for _, v := range values {
		width = max(width, utf8.RuneCountInString(v))
	}
	var b []byte
	for _, v := range values {
		n := 0
		for _, r := range v {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
			n++
		}
		b = append(b, make([]byte, 4*(width-n))...)
	}
	return array("<U"+strconv.Itoa(width), ndarray.Shape{int64(len(values))}, b, ndarray.Labels{Dims: []string{name}})
}

// floats returns coordinates like those of an axis, but without their bounds.
func floats(ctx context.Context, x *coords.Axis, values []float64) (ndarray.Source, error) {
	own, _ := x.Coordinates(ctx)
	labels, err := ndarray.LabelsOf(own)
	if err != nil {
		return nil, err
	}
	m := cf.Of(own.DType(), labels.Attributes)
	attributes := cf.WithBounds(m.ValueAttributes(labels.Attributes), "")
	return array("<f8", ndarray.Shape{int64(len(values))}, float64s(values),
		ndarray.Labels{Dims: []string{x.Name}, Attributes: attributes})
}

func float64s(values []float64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// bound gives coordinates their bounds, which are two for each of them.
func (d *Division) bound(dtype string, items []byte) error {
	labels, err := ndarray.LabelsOf(d.Coordinates)
	if err != nil {
		return err
	}
	labels.Attributes = cf.WithBounds(labels.Attributes, BoundsName(d.Name))
	if err := d.Coordinates.(*ndarray.Untyped).SetLabels(labels); err != nil {
		return err
	}

	d.Bounds, err = array(dtype, ndarray.Shape{int64(d.Count), 2}, items,
		ndarray.Labels{Dims: []string{labels.Dims[0], "bnds"}})
	return err
}

// periods gives a division the coordinates of periods, and their bounds.
func (d *Division) periods(ctx context.Context, x *coords.Axis, scale cftime.Scale, label Label,
	starts, ends []cftime.Time) error {
	own, _ := x.Coordinates(ctx)
	labels, err := ndarray.LabelsOf(own)
	if err != nil {
		return err
	}

	var bounds, at []cftime.Time
	for i, start := range starts {
		bounds = append(bounds, start, ends[i])
		at = append(at, label.of(start, ends[i]))
	}
	e := encoderOf(own.DType(), scale, slices.Concat(at, bounds))
	attributes := cf.WithBounds(cf.Of(own.DType(), labels.Attributes).ValueAttributes(labels.Attributes), "")
	if e.units != "" {
		attributes = cf.WithTimeUnits(attributes, e.units)
	}

	d.Coordinates, err = array(e.dtype, ndarray.Shape{int64(d.Count)}, e.items(at),
		ndarray.Labels{Dims: []string{d.Name}, Attributes: attributes})
	if err != nil {
		return err
	}
	return d.bound(e.dtype, e.items(bounds))
}

// A timeEncoder makes items of times.
type timeEncoder struct {
	scale cftime.Scale
	dtype string // of integers, dates or doubles, all of them little-endian
	units string // or "" for those that the coordinates have
}

// encoderOf returns the encoder for some times, to items like those of a dtype if these can have
// them exactly.
func encoderOf(d meta.DType, scale cftime.Scale, times []cftime.Time) timeEncoder {
	e := timeEncoder{scale: scale, dtype: "<" + d.String()[1:]}
	isDate := d.Kind() == 'M'
	if !scale.Linear() && isDate {
		e.dtype = "<M8[s]"
		e.scale, _ = cftime.NumPyScale("s", 1)
		return e
	}
	if !scale.Linear() {
		e.units = "seconds since 1970-01-01"
		e.scale, _ = cftime.ParseScale(e.units, "")
		e.scale.Calendar = scale.Calendar
		e.dtype = "<f8"
		return e
	}
	if isDate {
		return e
	}

	bits := 8*d.Size() - 1
	for _, t := range times {
		whole, rest, ok := scale.Number(t)
		if d.Kind() != 'i' || !ok || rest != 0 || whole>>bits != whole>>63 {
			e.dtype = "<f8"
		}
	}
	return e
}

func (e *timeEncoder) items(times []cftime.Time) (b []byte) {
	size := 8
	if strings.HasPrefix(e.dtype, "<i") {
		size = int(e.dtype[2] - '0')
	}
	for _, t := range times {
		whole, rest, _ := e.scale.Number(t)
		bits := uint64(whole)
		if e.dtype == "<f8" {
			bits = math.Float64bits(float64(whole) + rest)
		}
		b = append(b, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
	return b
}

// A Label says which moment of a period is its coordinate.
type Label string

// Labels.
const (
	Start  Label = "start"
	Middle Label = "middle"
	End    Label = "end"
)

const halfSecond = 500_000_000 // nanoseconds

func (l Label) of(start, end cftime.Time) cftime.Time {
	switch l {
	case Middle:
		seconds := end.Seconds - start.Seconds
		return cftime.Time{Seconds: start.Seconds + seconds/2, Nanos: start.Nanos + seconds%2*halfSecond}
	case End:
		return end
	}
	return start
}
