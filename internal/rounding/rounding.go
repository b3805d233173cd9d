// Package rounding rounds the items of arrays to values that compress better, within a bound.
//
//	b := rounding.Bound{Rule: rounding.Absolute, Value: 0.01}
//	r, err := rounding.New(dtype, attributes, b)
//	err = r.Round(items)
//
// Floats are rounded to the nearest value with fewer bits of the mantissa, ties to the even one, so
// that there is no bias. How many bits are left depends on the exponent, so that each item is as
// coarse as the bound allows. Packed integers are rounded to multiples of a power of two. Items
// that have been rounded do not change if they are rounded again.
//
// NaN, infinities and missing items stay as they are, no other item becomes one of them, and valid
// items stay valid.
package rounding

import (
	"fmt"
	"math"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
)

// A Rule says what bounds the errors.
type Rule uint8

// The rules.
const (
	None     Rule = iota
	Absolute      // the value is the largest error, in the unit of what items stand for
	Relative      // it is the largest error as a part of the item
	Digits        // it is how many significant decimal digits are right
	Bits          // it is how many bits of the mantissa are left
)

// A Bound is a rule and its value.
type Bound struct {
	Rule  Rule
	Value float64
}

// String returns the bound in words.
func (b Bound) String() string {
	switch b.Rule {
	case Absolute:
		return fmt.Sprintf("an error of %g", b.Value)
	case Relative:
		return fmt.Sprintf("a relative error of %g", b.Value)
	case Digits:
		return fmt.Sprintf("%g significant digits", b.Value)
	case Bits:
		return fmt.Sprintf("%g bits of the mantissa", b.Value)
	}
	return "no loss"
}

// Validate returns an error that matches [cairn.ErrInvalid] if no dtype could have the bound.
func (b Bound) Validate() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf(format+": %w", append(args, cairn.ErrInvalid)...)
	}
	whole := b.Value == math.Trunc(b.Value)

	switch b.Rule {
	case None:
		return nil

	case Absolute:
		if !(b.Value > 0) || math.IsInf(b.Value, 1) {
			return invalid("a largest error of %g, must be above 0 and finite", b.Value)
		}
	case Relative:
		if !(b.Value > 0 && b.Value < 1) {
			return invalid("a largest relative error of %g, must be between 0 and 1", b.Value)
		}

	case Digits:
		if !whole || b.Value < 1 || b.Value > mostDigits {
			return invalid("%g significant digits, must be 1 to %d", b.Value, mostDigits)
		}
	case Bits:
		if !whole || b.Value < 1 || b.Value > 52 {
			return invalid("%g bits of the mantissa, must be 1 to 52", b.Value)
		}
	default:
		return invalid("rule %d of rounding is unknown", b.Rule)
	}
	return nil
}

// mostDigits is how many decimal digits tell floats of 64 bits apart.
const mostDigits = 17

// A Rounder rounds the items of one array. Any number of goroutines may use it.
type Rounder struct {
	bound  Bound
	item   govalue.Number
	format floats // of items that are floats
	table  []entry
	signed bool // of integers
	drop   uint // of integers: bits that become zero
	factor float64
	offset float64

	guarded  bool // some items must stay as they are
	missing  []float64
	integers []uint64 // missing items
	low      float64  // valid items
	high     float64
	unpacked bool // low and high are of what items stand for

	mu       sync.Mutex
	absolute float64
	relative float64
}

// New returns a rounder of items of a dtype with some attributes: those that say which items are
// missing, which are valid, and how they are packed. Errors match [cairn.ErrInvalid] if there can
// be no such bound, and [cairn.ErrType] if such items are not rounded.
func New(d meta.DType, attributes meta.Map, b Bound) (*Rounder, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	m := cf.Of(d, attributes)
	if err := check(d, m, b); err != nil {
		return nil, err
	}

	r := &Rounder{bound: b, factor: 1, low: math.Inf(-1), high: math.Inf(1)}
	r.item, _ = govalue.NumberOf(d)
	if m.Packing != nil {
		r.factor = m.Packing.Factor
		r.offset = m.Packing.Offset
	}
	r.guard(m)

	if d.Kind() != 'f' {
		r.signed = m.Items.Kind() == 'i'
		step := exponentOf(b.Value, math.Abs(r.factor)) + 1
		r.drop = uint(min(max(step, 0), 8*r.item.Size-1))
		return r, nil
	}

	r.format = floatsOf(d.Size())
	if b.Rule == Bits && int(b.Value) > r.format.mantissa {
		return nil, fmt.Errorf("dtype %s has %d bits of the mantissa, and %g were to be kept: %w", d,
			r.format.mantissa, b.Value, cairn.ErrInvalid)
	}
	r.table = r.format.table(b, math.Abs(r.factor))
	return r, nil
}

// Rounds reports whether items of such a dtype with such attributes can be rounded at all.
func Rounds(d meta.DType, attributes meta.Map) bool {
	m := cf.Of(d, attributes)
	return check(d, m, Bound{Absolute, 1}) == nil
}

// check returns an error for items that are not rounded.
func check(d meta.DType, m *cf.Meaning, b Bound) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf(format+": %w", append(args, cairn.ErrType)...)
	}
	_, _, array := d.SubArray()
	number := !array && !d.IsStruct()
	kind := d.Kind()
	packed := m.Packing != nil
	switch {
	case number && kind == 'f' && d.Size() <= 8:
	case !number || kind != 'i' && kind != 'u':
		return refuse("items of dtype %s are not rounded, only floats of 16, 32 and 64 bits and packed integers", d)
	case len(m.Flags) > 0 || m.Named != "":
		return refuse("items of dtype %s that are flags are not rounded", d)
	case !packed:
		return refuse("items of dtype %s are exact: integers are rounded if scale_factor packs them; "+
			"the filter int_trunc clears bits of others", d)
	case b.Rule != Absolute:
		return refuse("packed integers have no %s: give a largest error instead", map[Rule]string{
			Relative: "relative error", Digits: "significant digits", Bits: "mantissa"}[b.Rule])
	}

	if packed && b.Rule != Bits {
		f := m.Packing.Factor
		if f == 0 || f-f != 0 {
			return refuse("a scale_factor of %g says nothing about errors", f)
		}
		if m.Packing.Offset != 0 && b.Rule != Absolute || f != 1 && b.Rule == Digits {
			return refuse("packed floats need an absolute bound")
		}
	}
	return nil
}

// guard notes which items must stay as they are.
func (r *Rounder) guard(m *cf.Meaning) {
	for _, n := range m.Missing {
		bits, _, whole := n.Int()
		if m.Items.Kind() == 'f' {
			r.missing = append(r.missing, n.Float)
		} else if whole {
			r.integers = append(r.integers, bits&(1<<(8*r.item.Size-1)<<1-1))
		}
	}
	if m.Valid != nil {
		r.low = m.Valid.Min
		r.high = m.Valid.Max
		r.unpacked = m.Valid.Unpacked
	}
	r.guarded = len(r.missing) > 0 || len(r.integers) > 0 || m.Valid != nil
}

// Bound returns the bound.
func (r *Rounder) Bound() Bound { return r.bound }

// Errors returns the largest error so far, and the largest as a part of an item that is not 0, both
// of what items stand for.
func (r *Rounder) Errors() (absolute, relative float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.absolute, r.relative
}

// Round rounds items in place. It fails, without a change to be relied on, if an error exceeds the
// bound, which would be a fault of this package.
func (r *Rounder) Round(items []byte) error {
	var t tally
	switch {
	case r.table == nil:
		t = r.roundIntegers(items)
	case r.item.Size == 4 && !r.item.BigEndian && r.offset == 0:
		t = r.round32(items)
	case r.item.Size == 8 && !r.item.BigEndian && r.offset == 0:
		t = r.round64(items)
	default:
		t = r.roundFloats(items)
	}

	t.absolute *= math.Abs(r.factor)
	switch {
	case r.bound.Rule == Absolute && !(t.absolute <= r.bound.Value),
		r.bound.Rule == Relative && !(t.relative <= r.bound.Value),
		r.bound.Rule == Digits && !(t.relative <= 0.50001*math.Pow(10, 1-r.bound.Value)):
		return fmt.Errorf("rounding: errors of %g, and of %g as a part of an item, exceed the bound of %v: %w",
			t.absolute, t.relative, r.bound, cairn.ErrCorrupt)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	r.absolute = max(r.absolute, t.absolute)
	r.relative = max(r.relative, t.relative)
	return nil
}

// A tally has the largest errors of a call.
type tally struct {
	absolute float64 // of items
	relative float64 // of what they stand for
}

// note takes the errors of an item, whose value is was and becomes is.
func (t *tally) note(was, is float64) {
	d := math.Abs(was - is)
	if d > t.absolute {
		t.absolute = d
	}
	if p := d / math.Abs(was); p > t.relative {
		t.relative = p
	}
}

// allows reports whether an item of value was may become one of value is.
func (r *Rounder) allows(was, is float64) bool {
	for _, v := range r.missing {
		if was == v || is == v {
			return false
		}
	}
	if r.unpacked {
		was = was*r.factor + r.offset
		is = is*r.factor + r.offset
	}
	return is >= r.low && is <= r.high || !(was >= r.low && was <= r.high)
}
