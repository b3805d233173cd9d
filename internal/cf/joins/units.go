package joins

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
)

// rescale converts items to those for the same values in another unit.
func (c *converted) rescale(dst, items []byte) error {
	by, ok := cf.ConversionOf(c.from.Unit, c.to.Unit)
	if !ok {
		return fmt.Errorf("the unit %q is none of the kind of %q: %w", c.from.Unit, c.to.Unit, cairn.ErrType)
	}

	values := make([]float64, len(items)/c.from.Stored.Size())
	if err := c.values(values, items); err != nil {
		return err
	}

	by.Convert(values)
	return c.encode(dst, values)
}

// wholeTimes converts times that are integers.
func (c *converted) wholeTimes(dst, items []byte) error {
	a := c.from
	b := c.to
	size := a.Stored.Size()
	wide := b.Stored.Size()
	for i := 0; i*size < len(items); i++ {
		n := integerAt(a.number(), items[i*size:])
		t, ok := a.Time.Int(int64(n.bits))
		if !ok || !n.negative && n.bits > math.MaxInt64 {
			return fmt.Errorf("%d %s is too far away: %w", n.bits, a.Unit, cairn.ErrType)
		}

		number, rest, ok := c.number(t)
		if !ok || rest != 0 {
			return fmt.Errorf("%d %s is no whole number of %s: %w", n.bits, a.Unit, b.Unit, cairn.ErrType)
		}
		if !(integer{uint64(number), number < 0}).put(b.number(), dst[i*wide:]) {
			return c.noItem(float64(number))
		}
	}
	return nil
}

// number returns a time as a number on the scale of the form.
func (c *converted) number(t cftime.Time) (whole int64, rest float64, ok bool) {
	if c.from.Time.Calendar != c.to.Time.Calendar && !cftime.Reformed(t) || !c.to.Time.Linear() {
		return 0, 0, false // the calendars call it by different dates
	}
	return c.to.Time.Number(t)
}

// times converts times that are floats, or packed, or missing.
func (c *converted) times(dst, items []byte) error {
	values := make([]float64, len(items)/c.from.Stored.Size())
	if err := c.values(values, items); err != nil {
		return err
	}

	bits := 53
	if c.from.Values.Size() == 4 {
		bits = 24
	}

	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		t, ok := c.from.Time.Float(v, bits)
		if !ok {
			return fmt.Errorf("%v %s is too far away: %w", v, c.from.Unit, cairn.ErrType)
		}

		whole, rest, ok := c.number(t)
		if !ok {
			return fmt.Errorf("%v %s has no number in %s: %w", v, c.from.Unit, c.to.Unit, cairn.ErrType)
		}
		values[i] = float64(whole) + rest
	}
	return c.encode(dst, values)
}
