package govalue

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/meta"
)

// Floats converts items of one dtype to numbers for pictures, which need no more than float64 has:
// bools become 0 and 1, complex numbers their absolute values, dates seconds since 1970 in UTC, and
// durations seconds.
type Floats struct {
	size  int
	one   func(raw []byte) float64
	plain bool // little-endian floats
	dates bool

	whole    bool
	bools    bool
	seconds  bool
	absolute bool
	part     Number // of complex numbers
}

// FloatsOf returns the conversion for a dtype; an error matches cairn.ErrType.
func FloatsOf(d meta.DType) (*Floats, error) {
	kind := d.Kind()
	f := &Floats{size: d.Size(),
		whole: kind == 'b' || kind == 'i' || kind == 'u', bools: kind == 'b', absolute: kind == 'c'}

	switch {
	case kind == 'c' && f.size >= 8:
		half := Number{'f', f.size / 2, d.BigEndian()}
		if half.Size <= 8 {
			f.part = half
			f.one = func(raw []byte) float64 { return math.Hypot(half.Float(raw), half.Float(raw[half.Size:])) }
		}
	case (kind == 'M' || kind == 'm') && f.size == 8:
		f.one = secondsOf(d)
		_, scaled := scaleOf(d)
		f.dates = kind == 'M' && scaled
		f.seconds = scaled
	}

	if n, ok := NumberOf(d); ok && f.one == nil {
		f.one = n.Float
		f.plain = kind == 'f' && !d.BigEndian()
	}

	if f.one != nil && !d.IsStruct() {
		return f, nil
	}
	err := fmt.Errorf("items of dtype %s are no numbers: %w", d, cairn.ErrType)
	if d.IsStruct() {
		return nil, errkind.Mark(err, errkind.ErrStruct)
	}
	return nil, err
}

// Dates reports whether the numbers are seconds since 1970.
func (f *Floats) Dates() bool { return f.dates }

// Whole reports whether the items are bools or integers.
func (f *Floats) Whole() bool { return f.whole }

// Bools reports whether the items are bools.
func (f *Floats) Bools() bool { return f.bools }

// Seconds reports whether the numbers are seconds: of dates, or of durations.
func (f *Floats) Seconds() bool { return f.seconds }

// Absolute reports whether the numbers are the absolute values of the items.
func (f *Floats) Absolute() bool { return f.absolute }

// Float32 reports whether the items are float32 in little-endian order.
func (f *Floats) Float32() bool { return f.plain && f.size == 4 && !f.absolute }

// Convert writes the numbers of all items to dst, which must have room for them.
func (f *Floats) Convert(dst []float64, raw []byte) {
	switch {
	case f.plain && f.size == 4: // the most common dtypes, without a call for each item
		for i := range len(raw) / 4 {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		return
	case f.plain && f.size == 8:
		for i := range len(raw) / 8 {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		return
	}

	for i := range len(raw) / f.size {
		dst[i] = f.one(raw[i*f.size:][:f.size])
	}
}

// Parts writes what a function makes of the parts of all items, which must be complex numbers, to
// dst.
func (f *Floats) Parts(dst []float64, raw []byte, of func(re, im float64) float64) {
	for i := range len(raw) / f.size {
		item := raw[i*f.size:][:f.size]
		dst[i] = of(f.part.Float(item), f.part.Float(item[f.size/2:]))
	}
}

const averageMonth = 365.2425 / 12 * 86400 // in seconds

// secondsOf returns the conversion of dates and durations. Those without a unit are plain numbers.
func secondsOf(d meta.DType) func(raw []byte) float64 {
	s, ok := scaleOf(d)
	number := func(n int64) float64 { return float64(n) }

	switch {
	case !ok:
	case s.months > 0 && d.Kind() == 'M':
		number = func(n int64) float64 {
			months := float64(n) * float64(s.count) * float64(s.months)
			if math.Abs(months) > 1e6 {
				return months * averageMonth
			}
			year, month := floorDiv(int64(months), 12)
			return float64(time.Date(1970+int(year), time.Month(1+month), 1, 0, 0, 0, 0, time.UTC).Unix())
		}
	case s.months > 0:
		number = func(n int64) float64 { return float64(n) * float64(s.count*s.months) * averageMonth }
	case s.seconds > 0:
		number = func(n int64) float64 { return float64(n) * float64(s.count) * float64(s.seconds) }
	default:
		number = func(n int64) float64 { return float64(n) * float64(s.count) / float64(s.parts) }
	}

	order := byteOrder(d.BigEndian())
	return func(raw []byte) float64 {
		n := int64(order.Uint64(raw))
		if n == NotATime {
			return math.NaN()
		}
		return number(n)
	}
}
