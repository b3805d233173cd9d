package netcdf

// What a new file of a classic format has, and where (its bytes are drawn in classic.go).

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A newClassic is a file of a classic format that is being made.
type newClassic struct {
	format  Format
	root    *Group
	records int64
	record  int64 // bytes of a record
	header  []byte
	places  []classicVariable // of the variables of the root
	size    int64             // of the file
	file    *placing.Making
	failed  error // why items are missing, or nil
}

// unsupported returns an error that matches [cairn.ErrUnsupported].
func unsupported(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, cairn.ErrUnsupported)...)
}

// planClassic lays out a file. room is what is left free behind its header.
func planClassic(root *Group, format Format, room int64) (*newClassic, error) {
	c := &newClassic{format: format, root: root}
	switch format {
	case Classic, Offset64, Data64:
	default:
		return nil, unsupported("the format %v is not written", format)
	}
	if len(root.Groups) > 0 || len(root.Types) > 0 {
		return nil, unsupported("a file of the format %v has no groups and no types", format)
	}

	e := &classicEncoder{wide: format == Data64}
	var at []int // of the offsets of variables in the header
	if err := c.encode(e, &at); err != nil {
		return nil, err
	}
	if err := c.place(int64(len(e.b)) + room); err != nil {
		return nil, err
	}

	for i, p := range c.places {
		if format == Classic {
			binary.BigEndian.PutUint32(e.b[at[i]:], uint32(p.begin))
		} else {
			binary.BigEndian.PutUint64(e.b[at[i]:], uint64(p.begin))
		}
	}
	c.header = e.b
	return c, nil
}

// A classicEncoder appends what a header has.
type classicEncoder struct {
	b    []byte
	wide bool // CDF-5
}

func (e *classicEncoder) word(n int64) {
	if e.wide {
		e.b = binary.BigEndian.AppendUint64(e.b, uint64(n))
		return
	}
	e.b = binary.BigEndian.AppendUint32(e.b, uint32(n))
}

// list begins a list of n elements.
func (e *classicEncoder) list(tag uint32, n int) {
	if n == 0 {
		tag = 0
	}
	e.b = binary.BigEndian.AppendUint32(e.b, tag)
	e.word(int64(n))
}

// padded appends bytes, and zeros up to a multiple of 4.
func (e *classicEncoder) padded(b []byte) {
	e.b = append(e.b, b...)
	e.b = append(e.b, make([]byte, -len(b)&3)...)
}

func (e *classicEncoder) name(name string) {
	e.word(int64(len(name)))
	e.padded([]byte(name))
}

// encode appends the header, without the offsets of variables, whose places in it are noted.
func (c *newClassic) encode(e *classicEncoder, at *[]int) error {
	e.b = append(e.b, 'C', 'D', 'F', byte(c.format))
	names := map[string]bool{}
	numbers := map[*Dimension]int64{}
	var unlimited *Dimension
	for i, d := range c.root.Dimensions {
		numbers[d] = int64(i)
		switch err := checkName("dimension", d.Name, names); {
		case err != nil:
			return err
		case d.Len < 0 || d.Len > c.mostItems():
			return unsupported("dimension %q of length %d in the format %v", d.Name, d.Len, c.format)
		case d.Unlimited && unlimited != nil:
			return unsupported("two unlimited dimensions, %q and %q, in the format %v", unlimited.Name, d.Name, c.format)
		case d.Unlimited:
			unlimited = d
			c.records = d.Len
		case d.Len == 0:
			return unsupported("dimension %q of length 0, which only an unlimited one has in the format %v", d.Name, c.format)
		}
	}

	e.word(c.records)
	e.list(tagDimension, len(c.root.Dimensions))
	for _, d := range c.root.Dimensions {
		e.name(d.Name)
		if d.Unlimited {
			e.word(0)
		} else {
			e.word(d.Len)
		}
	}

	if err := c.attributes(e, nil, c.root.Attributes); err != nil {
		return err
	}

	clear(names)
	e.list(tagVariable, len(c.root.Variables))
	for _, v := range c.root.Variables {
		if err := checkName("variable", v.Name, names); err != nil {
			return err
		}
		place, err := c.variable(e, v, numbers)
		if err != nil {
			return fmt.Errorf("variable %q: %w", v.Name, err)
		}
		*at = append(*at, place)
	}
	return nil
}

// mostItems is the greatest length of a dimension.
func (c *newClassic) mostItems() int64 {
	switch c.format {
	case Classic:
		return math.MaxInt32 - 3
	case Offset64:
		return math.MaxUint32 - 3
	}
	return math.MaxInt64 / 16
}

// variable appends the description of a variable, and returns where its offset belongs.
func (c *newClassic) variable(e *classicEncoder, v *Variable, numbers map[*Dimension]int64) (int, error) {
	number, err := c.number(v.Type)
	if err != nil {
		return 0, err
	}
	if len(v.Dimensions) > maxRank {
		return 0, unsupported("%d dimensions, at most %d", len(v.Dimensions), maxRank)
	}

	place := classicVariable{slice: int64(v.Type.Size)}
	e.name(v.Name)
	e.word(int64(len(v.Dimensions)))
	for i, d := range v.Dimensions {
		n, ok := numbers[d]
		if !ok {
			return 0, fmt.Errorf("dimension %q is none of the file: %w", d.Name, cairn.ErrNotFound)
		}
		e.word(n)

		if d.Unlimited && i > 0 {
			return 0, unsupported("the unlimited dimension %q is not the first one, in the format %v", d.Name, c.format)
		}
		if place.records = place.records || d.Unlimited; d.Unlimited {
			continue
		}
		if place.slice > math.MaxInt64/16/d.Len {
			return 0, unsupported("shape %v", v.Shape())
		}
		place.slice *= d.Len
	}

	if err := c.attributes(e, v.Type, v.Attributes); err != nil {
		return 0, err
	}
	e.b = binary.BigEndian.AppendUint32(e.b, number)
	padded := place.slice + -place.slice&3
	if !e.wide && padded > math.MaxUint32-3 {
		padded = math.MaxUint32 // readers take it from the shape
	}
	e.word(padded)

	at := len(e.b)
	e.b = append(e.b, make([]byte, 8)...)
	if c.format == Classic {
		e.b = e.b[:at+4]
	}
	c.places = append(c.places, place)
	return at, nil
}

// number returns the number of a type of the format.
func (c *newClassic) number(t *Type) (uint32, error) {
	last := lastOfCDF2
	if c.format == Data64 {
		last = lastOfCDF5
	}
	for n := 1; n <= last; n++ {
		if t == atomic[n] {
			return uint32(n), nil
		}
	}
	if t == nil {
		return 0, fmt.Errorf("no type: %w", cairn.ErrType)
	}
	return 0, unsupported("the type %s, which the format %v does not have", t.Name, c.format)
}

// attributes appends a list of attributes, of a variable of a type or, if that is nil, of the file.
func (c *newClassic) attributes(e *classicEncoder, of *Type, list []Attribute) error {
	names := map[string]bool{}
	e.list(tagAttribute, len(list))
	for _, a := range list {
		if err := checkName("attribute", a.Name, names); err != nil {
			return err
		}
		t, raw, n, err := a.encode(of, c.format == Data64)
		if err != nil {
			return fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		number, err := c.number(t)
		if err != nil {
			return fmt.Errorf("attribute %q: %w", a.Name, err)
		}

		e.name(a.Name)
		e.b = binary.BigEndian.AppendUint32(e.b, number)
		e.word(int64(n))
		e.padded(raw)
	}
	return nil
}

// CheckName returns an error that matches [cairn.ErrUnsupported] for a name that programs of NetCDF
// refuse.
func CheckName(name string) error {
	bad := name == "" || !utf8.ValidString(name) || strings.HasSuffix(name, " ") || len(name) > 256
	for i, c := range name {
		first := c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
		bad = bad || c < ' ' || c == '/' || c == 0x7f || i == 0 && !first
	}
	if bad {
		return unsupported("nothing in a NetCDF file can be called %.80q", name)
	}
	return nil
}

// checkName returns an error for a name that NetCDF does not have, or that is taken.
func checkName(what, name string, taken map[string]bool) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if taken[name] {
		return fmt.Errorf("two %ss are called %q: %w", what, name, cairn.ErrBounds)
	}
	taken[name] = true
	return nil
}

// place gives the variables their places: those without records first. at is the first byte that
// is free.
func (c *newClassic) place(at int64) error {
	var single *classicVariable
	count := 0
	for i := range c.places {
		if p := &c.places[i]; p.records {
			count++
			single = p
			c.record += p.slice + -p.slice&3
		}
	}
	if count == 1 {
		c.record = single.slice
	}
	if c.record > 0 && c.records > math.MaxInt64/16/c.record {
		return unsupported("%d records of %d bytes", c.records, c.record)
	}

	at, err := c.placeThose(at+-at&3, false, count > 0)
	if err != nil {
		return err
	}
	c.size = at + c.records*c.record
	_, err = c.placeThose(at, true, false)
	return err
}

// placeThose places the variables with records or those without, from at on, and returns what
// follows them. behind says that something does.
func (c *newClassic) placeThose(at int64, records, behind bool) (int64, error) {
	last := -1 // whose size the format does not bound
	for i := range c.places {
		p := &c.places[i]
		if p.records != records {
			continue
		}
		if err := c.bounded(last); err != nil {
			return 0, err
		}
		last = i

		p.begin = at
		if c.format == Classic && at > math.MaxInt32 {
			return 0, unsupported("variable %q at byte %d, in the format %v", c.root.Variables[i].Name, at, c.format)
		}
		at += p.slice + -p.slice&3
	}
	if !behind {
		return at, nil
	}
	return at, c.bounded(last)
}

// bounded returns an error if a variable is too large to have another one behind it.
func (c *newClassic) bounded(i int) error {
	if i < 0 || c.places[i].slice <= c.mostSlice() {
		return nil
	}
	return unsupported("variable %q of %d bytes, which is not the last one, in the format %v", c.root.Variables[i].Name,
		c.places[i].slice, c.format)
}

// mostSlice is the most bytes of a variable, or of its part of a record, that is not the last one.
func (c *newClassic) mostSlice() int64 {
	switch c.format {
	case Classic:
		return math.MaxInt32 - 3
	case Offset64:
		return math.MaxUint32 - 3
	}
	return math.MaxInt64
}

// begin begins the file: it writes the header, and makes it as large as it will be.
func (c *newClassic) begin(path string, o *CreateOptions) error {
	file, err := placing.Make(o.FS, path, o.Overwrite)
	if err != nil {
		return err
	}
	if err := c.writeHeader(file); err != nil {
		return errors.Join(naming.Call("create", path, err), file.Abort())
	}
	c.file = file
	return nil
}

func (c *newClassic) commit() error { return c.file.Commit() }

func (c *newClassic) abort() error { return c.file.Abort() }

func (c *newClassic) writeHeader(file storage.File) error {
	if _, err := file.WriteAt(c.header, 0); err != nil {
		return err
	}
	return file.Truncate(max(c.size, int64(len(c.header))))
}
