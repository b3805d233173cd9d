// Package loss has the flags that round items within a bound, and sources of rounded items for
// whatever writes them.
package loss

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/ndarray"
)

// Flags are the flags that bound the errors of items.
type Flags struct{ maxError, digits, keepBits string }

// Declare declares the flags.
func (f *Flags) Declare(set *flag.FlagSet) {
	set.StringVar(&f.maxError, "maxerror", "", "round items, with errors of `E` at most, such as 0.01, "+
		"or as a part of each item, 1e-4x")
	set.StringVar(&f.digits, "digits", "", "round items to `N` significant decimal digits")
	set.StringVar(&f.keepBits, "keepbits", "", "round items to `N` bits of the mantissa, or with auto "+
		"to those that have 99 % of the information that neighbours share")
}

// Words returns the flags as they were given.
func (f *Flags) Words() []string {
	var words []string
	for _, given := range [][2]string{{"-maxerror", f.maxError}, {"-digits", f.digits}, {"-keepbits", f.keepBits}} {
		if given[1] != "" {
			words = append(words, given[:]...)
		}
	}
	return words
}

// Bound returns what the flags say; mistakes are errors to be shown.
func (f *Flags) Bound() (rounding.Bound, error) {
	var b rounding.Bound
	count := 0
	for _, given := range []struct {
		name, text string
		rule       rounding.Rule
	}{{"maxerror", f.maxError, rounding.Absolute}, {"digits", f.digits, rounding.Digits},
		{"keepbits", f.keepBits, rounding.Bits}} {
		if given.text == "" {
			continue
		}
		if given.rule == rounding.Bits && given.text == "auto" {
			b = Auto
			count++
			continue
		}

		count++
		b.Rule = given.rule
		text := given.text
		if given.rule == rounding.Absolute && strings.HasSuffix(text, "x") {
			b.Rule = rounding.Relative
			text = strings.TrimSuffix(text, "x")
		}

		var err error
		if b.Value, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(b.Value) {
			return b, fmt.Errorf("-%s: %q is not a number", given.name, given.text)
		}
		if err := b.Validate(); err != nil {
			return b, fmt.Errorf("-%s: %w", given.name, err)
		}
	}
	if count > 1 {
		return b, errors.New("-maxerror, -digits and -keepbits exclude each other")
	}
	return b, nil
}

// Auto is the bound for which the items have to be looked at.
var Auto = rounding.Bound{Rule: rounding.Bits, Value: -1}

// Of returns a bound in the form of options.
func Of(b rounding.Bound, largest *ndarray.LossErrors) ndarray.Loss {
	l := ndarray.Loss{Largest: largest}
	switch b.Rule {
	case rounding.Absolute:
		l.MaxError = b.Value
	case rounding.Relative:
		l.MaxRelative = b.Value
	case rounding.Digits:
		l.Digits = int(b.Value)
	case rounding.Bits:
		if b == Auto {
			l.KeepAuto = true
			return l
		}
		l.KeepBits = int(b.Value)
	}
	return l
}

// BoundOf returns the bound of options.
func BoundOf(l ndarray.Loss) rounding.Bound {
	switch {
	case l.KeepAuto:
		return Auto
	case l.MaxError != 0:
		return rounding.Bound{Rule: rounding.Absolute, Value: l.MaxError}
	case l.MaxRelative != 0:
		return rounding.Bound{Rule: rounding.Relative, Value: l.MaxRelative}
	case l.Digits != 0:
		return rounding.Bound{Rule: rounding.Digits, Value: float64(l.Digits)}
	case l.KeepBits != 0:
		return rounding.Bound{Rule: rounding.Bits, Value: float64(l.KeepBits)}
	}
	return rounding.Bound{}
}

// Said says which errors there were, or "" if there were none.
func Said(e ndarray.LossErrors) string {
	if e == (ndarray.LossErrors{}) {
		return ""
	}
	return fmt.Sprintf("largest error %.3g, %.3g of an item", e.Absolute, e.Relative)
}

// A Source has the items of another source, rounded, and attributes that say so.
type Source struct {
	ndarray.Source
	rounder *rounding.Rounder
	labels  ndarray.Labels
	bound   rounding.Bound
}

// Round returns a source of rounded items. Their attributes name a variable that tells how, unless
// its name is empty.
func Round(ctx context.Context, src ndarray.Source, b rounding.Bound, variable string) (*Source, error) {
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil, err
	}

	if b == Auto { // look at some of the items
		chunks, _ := src.Grid()
		bits, err := rounding.KeepBits(ctx, src.DType(), l.Attributes, src.Shape(), chunks, src.ReadBytes)
		if err != nil {
			return nil, err
		}
		b.Value = float64(bits)
	}

	r, err := rounding.New(src.DType(), l.Attributes, b)
	if err != nil {
		return nil, err
	}
	l.Attributes = rounding.Marked(l.Attributes, b, variable)
	return &Source{src, r, l, b}, nil
}

// Like returns a source whose items are rounded as those of an array are, to which they are
// appended, or src if the attributes of the array tell no bound. Both have the same dtype.
func Like(src ndarray.Source, to *ndarray.Untyped) (ndarray.Source, *Source, error) {
	l, err := to.Labels()
	if err != nil {
		return nil, nil, err
	}
	b := rounding.BoundOf(l.Attributes)
	if b.Rule == rounding.None || !src.DType().Equal(to.DType()) {
		return src, nil, nil
	}

	r, err := rounding.New(to.DType(), l.Attributes, b)
	if err != nil {
		return src, nil, nil // the attribute is another program's, of items that are not rounded
	}
	rounded := &Source{src, r, l, b}
	return rounded, rounded, nil
}

// Labels implements [ndarray.Labelled].
func (s *Source) Labels() (ndarray.Labels, error) { return s.labels, nil }

// ReadBytes implements [ndarray.Source].
func (s *Source) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := s.Source.ReadBytes(ctx, dst, start, stop); err != nil {
		return err
	}
	return s.rounder.Round(dst)
}

// Close closes the source, if it can be closed.
func (s *Source) Close() error {
	if c, ok := s.Source.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Bound returns the bound to which items are rounded.
func (s *Source) Bound() rounding.Bound { return s.bound }

// Errors returns the largest errors so far.
func (s *Source) Errors() ndarray.LossErrors {
	var e ndarray.LossErrors
	e.Absolute, e.Relative = s.rounder.Errors()
	return e
}

// Misfit says why an array of a tree cannot be rounded to a bound, or returns nil. Of those that no
// bound can be for, such as integers and texts, it returns ErrExact.
func Misfit(src ndarray.Source, b rounding.Bound) error {
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return err
	}
	if !rounding.Rounds(src.DType(), l.Attributes) {
		return ErrExact
	}
	if b == Auto {
		b.Value = 1
	}
	_, err = rounding.New(src.DType(), l.Attributes, b)
	return err
}

// ErrExact is the reason of arrays that are never rounded.
var ErrExact = errors.New("no bound can be for it")
