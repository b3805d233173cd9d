// Package joins joins arrays whose items may stand for values in different ways: packed with
// another factor, with other missing items, in other units of one kind, of another dtype or order
// of bytes. What is the same is joined as it is. What can be converted, exactly or into a wider
// dtype, is converted. All else is refused: values of other units, under other coordinates, or out
// of order.
package joins

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/cftime"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// items are those of an array, with what they stand for.
type items struct {
	name string // for errors
	*cf.Meaning
	labels ndarray.Labels
}

// itemsOf returns the items of an array.
func itemsOf(name string, src ndarray.Source) (items, error) {
	it := items{name: name}
	var err error
	if it.labels, err = ndarray.LabelsOf(src); err != nil {
		return it, fmt.Errorf("%s: %w", name, err)
	}
	it.Meaning = cf.Of(src.DType(), it.labels.Attributes)
	return it, nil
}

// number returns how the items, which are integers, are read and written.
func (it items) number() govalue.Number {
	return govalue.Number{Kind: it.Items.Kind(), Size: it.Stored.Size(), BigEndian: it.Stored.BigEndian()}
}

// turned reports whether items have another sign than the dtype says.
func (it items) turned() bool { return it.Items.Kind() != it.Stored.Kind() }

// A form is what all items become.
type form struct {
	items
	how way
}

// A way is how items of one form become those of another.
type way uint8

const (
	asTheyAre way = iota // perhaps in the other order of bytes
	wider                // of the same meaning, in a wider dtype
	decoded              // values, which are encoded again
	rescaled             // values in another unit
	retimed              // times, on another scale
)

// common returns the form that items of several arrays can have, and what it differs in from that
// of the first.
func common(all []items) (form, []string, error) {
	first := all[0]
	f := form{items: first}
	var notes []string
	more := 0 // inputs that differ, besides the one of the note
	for _, it := range all[1:] {
		how, why, err := between(first, it)
		if err != nil {
			return f, nil, err
		}
		switch {
		case why == "":
		case notes == nil:
			notes = []string{fmt.Sprintf("%s has %s: converted", it.name, why)}
		default:
			more++
		}
		f.how = max(f.how, how)
	}
	if more > 0 {
		notes[0] += fmt.Sprintf(", and so are %d more that differ from %s", more, first.name)
	}

	var err error
	switch f.how {
	case asTheyAre:
	case wider:
		err = f.widen(all)
	case decoded, rescaled:
		err = f.decode(all)
	case retimed:
		err = f.retime(all)
	}
	return f, notes, err
}

// between says how items must change to stand beside those of another array, and in what they
// differ.
func between(a, b items) (how way, why string, err error) {
	if !a.Numbers() || !b.Numbers() {
		return betweenOthers(a, b)
	}
	if err := differentThings(a, b); err != nil {
		return 0, "", err
	}

	if !sameDType(a.Stored, b.Stored) {
		how = wider
		why = fmt.Sprintf("dtype %s, and %s has %s", b.Stored, a.name, a.Stored)
		if a.Packing != nil || b.Packing != nil || a.Stored.Kind() != b.Stored.Kind() && (a.turned() || b.turned()) {
			how = decoded
		}
	}

	for _, d := range cf.Compare(a.Meaning, b.Meaning) {
		text := fmt.Sprintf("%s %s, and %s has %s", d.What, d.B, a.name, d.A)
		calendars := a.Time != nil && b.Time != nil && cftime.OneLine(a.Time.Calendar, b.Time.Calendar)
		switch {
		case d.Kind == cf.Foreign && !calendars:
			return 0, "", refused("%s has %s", b.name, text)
		case d.Kind == cf.Encoded:
			how = max(how, decoded)
		case d.Kind == cf.Linear:
			how = rescaled
		default:
			how = retimed
		}

		if why != "" {
			why += "; "
		}
		why += text
	}
	return how, why, nil
}

// differentThings fails if two arrays say that they hold different things.
func differentThings(a, b items) error {
	switch {
	case a.StandardName != b.StandardName && a.StandardName != "" && b.StandardName != "":
		return refused("%s has the standard name %s, and %s has %s", b.name, b.StandardName, a.name, a.StandardName)
	case a.Named != b.Named || !reflect.DeepEqual(a.Flags, b.Flags):
		return refused("%s has other flags than %s", b.name, a.name)
	}
	return nil
}

// betweenOthers is between for items that are no real numbers.
func betweenOthers(a, b items) (how way, why string, err error) {
	switch {
	case sameDType(a.Stored, b.Stored) && !cf.SameUnit(a.Unit, b.Unit):
		return 0, "", refused("%s has unit %q, and %s has %q", b.name, b.Unit, a.name, a.Unit)
	case sameDType(a.Stored, b.Stored):
		return asTheyAre, "", nil
	case isText(a.Stored) && a.Stored.Kind() == b.Stored.Kind():
		return wider, fmt.Sprintf("dtype %s, and %s has %s", b.Stored, a.name, a.Stored), nil
	}
	return 0, "", refused("%s has dtype %s, and %s has %s", b.name, b.Stored, a.name, a.Stored)
}

func isText(d meta.DType) bool {
	return (d.Kind() == 'S' || d.Kind() == 'U') && !d.IsStruct() && d.Size() > 0
}

func refused(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrType)...)
}

// sameDType reports whether dtypes are the same apart from the order of bytes.
func sameDType(a, b meta.DType) bool {
	orders := strings.NewReplacer("<", "", ">", "", "|", "")
	return a.Equal(b) || orders.Replace(a.String()) == orders.Replace(b.String())
}

// widen sets a dtype that holds the items of all.
func (f *form) widen(all []items) error {
	d := f.Stored
	for _, it := range all {
		var err error
		if d, err = promoted(d, it.Stored); err != nil {
			return refused("%s has dtype %s, and %s has %s; no dtype holds both", it.name, it.Stored, f.name, f.Stored)
		}
	}
	return f.become(d, f.labels.Attributes)
}

// decode sets a dtype that holds the values of all.
func (f *form) decode(all []items) error {
	d := all[0].Values
	if f.how == rescaled {
		d = dtypeOf("<f8") // of what values become by a product and a sum
	}

	declared := false
	for _, it := range all {
		declared = declared || it.Declared()
		var err error
		if d, err = promoted(d, it.Values); err != nil {
			return refused("%s has values of dtype %s, and %s has %s; no dtype holds both", it.name, it.Values, f.name, d)
		}
	}
	return f.become(d, all[0].valueAttributes(d, declared))
}

// retime sets a scale that holds the times of all.
func (f *form) retime(all []items) error {
	var scales []cftime.Scale
	whole := true
	declared := false
	for _, it := range all {
		scales = append(scales, *it.Time)
		whole = whole && it.Packing == nil && it.Items.Kind() != 'f' && len(it.Missing) == 0
		declared = declared || it.Declared()
	}

	_, units, ok := cftime.Common(scales...)
	if !ok {
		return refused("the times of %s have the unit %q, of which no common one is known", f.name, f.Unit)
	}

	d := dtypeOf("<f8")
	if whole {
		d = dtypeOf("<i8")
		declared = false
	}
	return f.become(d, cf.WithUnit(all[0].valueAttributes(d, declared), units))
}

// valueAttributes returns the attributes of values of a dtype, some of which may be missing.
func (it items) valueAttributes(d meta.DType, missing bool) meta.Map {
	m := *it.Meaning
	m.Values = d
	attributes := m.ValueAttributes(it.labels.Attributes)
	if missing && !cf.Of(d, attributes).Declared() {
		attributes = append(attributes[:len(attributes):len(attributes)], cf.NaNFill(d)...)
	}
	return attributes
}

// become sets the dtype and the attributes.
func (f *form) become(d meta.DType, attributes meta.Map) error {
	f.labels.Attributes = attributes
	f.Meaning = cf.Of(d, attributes)
	return nil
}

func dtypeOf(text string) meta.DType {
	d, err := meta.ParseDType(text)
	if err != nil {
		panic(err)
	}
	return d
}

// promoted returns the dtype that holds the items of two, as NumPy chooses it; integers of 64 bits
// and floats share float64, and their conversion is checked.
func promoted(a, b meta.DType) (meta.DType, error) {
	if a.Equal(b) {
		return a, nil
	}

	ka := a.Kind()
	kb := b.Kind()
	sa := a.Size()
	sb := b.Size()
	size := max(sa, sb)
	kind := ka

	switch {
	case isText(a) && ka == kb && ka == 'S':
		return dtypeOf(fmt.Sprintf("|S%d", size)), nil
	case isText(a) && ka == kb:
		return dtypeOf(fmt.Sprintf("<U%d", size/4)), nil
	case ka == kb:
	case ka == 'f' || kb == 'f':
		whole := sa
		float := sb
		if ka == 'f' {
			whole = sb
			float = sa
		}
		kind = 'f'
		size = max(float, min(8, 2*whole))
	default: // signed and unsigned
		unsigned := sa
		signed := sb
		if kb == 'u' {
			unsigned = sb
			signed = sa
		}
		kind = 'i'
		size = max(signed, 2*unsigned)
		if size > 8 {
			return a, cairn.ErrType
		}
	}
	return dtypeOf(fmt.Sprintf("<%c%d", kind, size)), nil
}
