package netcdf

// The bytes of a file of the classic formats, all numbers big-endian. A word has 4 bytes, or 8 in
// CDF-5; an offset has 4 bytes in CDF-1, else 8.
//
//	magic       "CDF" and the version: 1, 2 (64-bit offsets) or 5 (64-bit data)
//	word        number of records; all bits set: as many as the file has
//	dimensions  tag 10, word n, n times: name, word length; the unlimited one has length 0
//	attributes  tag 12, word n, n times: name, type, word n, n values
//	variables   tag 11, word n, n times: name, word rank, words dimensions, attributes, type,
//	            word size, offset of the first item
//	items       of variables without the unlimited dimension, one after the other
//	records     of variables with it, each of which has its part of every record
//
// Tags and types have 4 bytes. A name is a word n and n bytes; names and values are padded to a
// multiple of 4 bytes. So are the parts of variables in a record, unless there is a single one. The
// size of a variable is redundant, and wrong if it does not fit.
//
// Source: The NetCDF Classic Format Specification, and CDF-5 of PnetCDF:
// https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/cairn-go/cairn"
)

// isClassic reports whether a file begins like one of the classic formats.
func isClassic(head []byte) bool {
	return bytes.HasPrefix(head, []byte("CDF")) && len(head) > 3 && bytes.IndexByte([]byte("\x01\x02\x05"), head[3]) >= 0
}

// maxRank is how many dimensions a variable may have here. The format allows 1024.
const maxRank = 64

// A classicHeader is what the header of a file of the classic formats says.
type classicHeader struct {
	version byte
	root    *Group
	vars    []classicVariable // as many as the root has
	record  int64             // bytes from one record to the next
	end     int64             // of the header
	short   error             // why items are missing at the end of the file, or nil
}

// A classicVariable says where the items of a variable are.
type classicVariable struct {
	begin   int64
	slice   int64 // bytes of the items, or of those of a record
	records bool  // the first dimension is the unlimited one
	at      int   // of its description in the header
}

// readClassic reads the header of a file.
func (b *classicBytes) readClassic() (*classicHeader, error) {
	h := &classicHeader{root: &Group{}}
	if magic := b.take(4); magic != nil && !isClassic(magic) {
		b.fail(0, "begins with %q, want CDF and version 1, 2 or 5", magic)
	} else if magic != nil {
		h.version = magic[3]
	}
	b.wide = h.version == 5

	records := b.word()
	streaming := records == math.MaxUint64 || !b.wide && records == math.MaxUint32
	if !streaming && records > math.MaxInt64/8 {
		b.fail(4, "%d records", records)
	}

	b.dimensions(h)
	h.root.Attributes = b.attributes()
	b.variables(h)
	if b.err != nil {
		return nil, b.err
	}

	h.end = int64(b.at)
	if err := h.place(); err != nil {
		return nil, err
	}

	if streaming { // the last record may be on its way
		records = h.inFile(b.size)
		return h, h.setRecords(int64(records))
	}

	if err := h.setRecords(int64(records)); err != nil {
		return nil, err
	}
	h.short = h.truncated(b.size, int64(records))
	return h, nil
}

func (b *classicBytes) dimensions(h *classicHeader) {
	for range b.list("dimensions", tagDimension, 12) {
		at := b.at
		d := &Dimension{Name: b.name(), group: h.root}
		n := b.word()
		if n > math.MaxInt64/8 {
			b.fail(at, "dimension %q has the length %d", d.Name, n)
		}

		d.Len = int64(n)
		d.Unlimited = n == 0
		if d.Unlimited && h.unlimited() != nil {
			b.fail(at, "the dimensions %q and %q are both unlimited", h.unlimited().Name, d.Name)
		}

		if b.err != nil {
			return
		}
		h.root.Dimensions = append(h.root.Dimensions, d)
	}
}

// unlimited returns the unlimited dimension, or nil.
func (h *classicHeader) unlimited() *Dimension {
	for _, d := range h.root.Dimensions {
		if d.Unlimited {
			return d
		}
	}
	return nil
}

func (b *classicBytes) attributes() (list []Attribute) {
	for range b.list("attributes", tagAttribute, 16) {
		a := Attribute{Name: b.name(), Type: b.typ()}
		if b.err != nil {
			return nil
		}

		n := b.count("values of attribute "+a.Name, int64(a.Type.Size))
		raw := b.padded(n * int64(a.Type.Size))
		if b.err != nil {
			return nil
		}

		a.Value = a.Type.values(raw)
		list = append(list, a)
	}
	return list
}

// typ reads the number of a type.
func (b *classicBytes) typ() *Type {
	at := b.at
	last := uint32(lastOfCDF2)
	if b.wide {
		last = lastOfCDF5
	}

	n := b.uint32()
	if n < 1 || n > last {
		b.fail(at, "the type %d, want 1 to %d", n, last)
		return atomic[1]
	}
	return atomic[n]
}

func (b *classicBytes) variables(h *classicHeader) {
	for range b.list("variables", tagVariable, 32) {
		v := &Variable{group: h.root}
		place := classicVariable{at: b.at}

		v.Name = b.name()
		at := b.at
		rank := b.count("dimensions of variable "+v.Name, 4)
		if b.err == nil && rank > maxRank {
			b.err = fmt.Errorf("variable %q has %d dimensions, and at most %d are %w", v.Name, rank, maxRank, cairn.ErrUnsupported)
		}

		for d := range rank {
			i := b.word()
			if b.err == nil && i >= uint64(len(h.root.Dimensions)) {
				b.fail(at, "variable %q has the dimension %d of %d", v.Name, i, len(h.root.Dimensions))
			}
			if b.err != nil {
				return
			}

			dim := h.root.Dimensions[i]
			place.records = place.records || dim.Unlimited
			if dim.Unlimited && d > 0 {
				b.fail(at, "the unlimited dimension of variable %q is not the first", v.Name)
			}
			v.Dimensions = append(v.Dimensions, dim)
		}

		v.Attributes = b.attributes()
		v.Type = b.typ()
		b.word() // the size
		place.begin = b.begin(h.version)
		if b.err != nil {
			return
		}

		h.root.Variables = append(h.root.Variables, v)
		h.vars = append(h.vars, place)
	}
}

// begin reads an offset.
func (b *classicBytes) begin(version byte) int64 {
	if version == 1 {
		return int64(b.uint32())
	}
	at := b.at
	off := b.uint64()
	if off > math.MaxInt64/8 {
		b.fail(at, "the offset %d", off)
	}
	return int64(off)
}

// place calculates the sizes of variables and records.
func (h *classicHeader) place() error {
	var single *classicVariable
	count := 0

	for i, v := range h.root.Variables {
		p := &h.vars[i]
		p.slice = int64(v.Type.Size)
		for d, dim := range v.Dimensions {
			if d == 0 && p.records {
				continue
			}
			if p.slice > math.MaxInt64/8/dim.Len {
				return cairn.Corruptf(layerClassic, int64(p.at), "variable %q is larger than any file", v.Name)
			}
			p.slice *= dim.Len
		}

		if p.begin < h.end {
			return cairn.Corruptf(layerClassic, int64(p.at), "variable %q is at byte %d, in the header", v.Name, p.begin)
		}

		if p.records {
			count++
			single = p
			h.record += p.slice + -p.slice&3
			if h.record > math.MaxInt64/8 {
				return cairn.Corruptf(layerClassic, int64(p.at), "records larger than any file")
			}
		}
	}

	if count == 1 {
		h.record = single.slice
	}
	return nil
}

// truncated returns the error of a file of size bytes that lacks items, or nil.
func (h *classicHeader) truncated(size, records int64) error {
	end := int64(0)
	for _, p := range h.vars {
		switch {
		case !p.records:
			end = max(end, p.begin+p.slice)
		case records > 0:
			end = max(end, p.begin+(records-1)*h.record+p.slice)
		}
	}
	if end <= size {
		return nil
	}
	e := cairn.Corruptf("NetCDF file", size, "truncated: the file has %d bytes, and its variables end at byte %d", size, end)
	e.Err = io.ErrUnexpectedEOF
	return e
}

// inFile returns the number of records that a file of size bytes has, the last one perhaps without
// its end.
func (h *classicHeader) inFile(size int64) uint64 {
	records := int64(0)
	for _, p := range h.vars {
		if p.records && size >= p.begin+p.slice {
			records = max(records, (size-p.begin-p.slice)/h.record+1)
		}
	}
	return uint64(records)
}

// setRecords sets the length of the unlimited dimension.
func (h *classicHeader) setRecords(n int64) error {
	if h.record > 0 && n > math.MaxInt64/8/h.record {
		return cairn.Corruptf(layerClassic, 4, "%d records of %d bytes", n, h.record)
	}
	if d := h.unlimited(); d != nil {
		d.Len = n
	}
	return nil
}

// values returns the values that big-endian bytes stand for, as an [Attribute] has them.
func (t *Type) values(raw []byte) any {
	if t == atomic[typeChar] {
		return strings.TrimRight(string(raw), "\x00")
	}

	list := make([]any, 0, len(raw)/t.Size)
	for ; len(raw) > 0; raw = raw[t.Size:] {
		list = append(list, t.value(raw[:t.Size]))
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// value returns the value that the big-endian bytes of a number stand for.
func (t *Type) value(raw []byte) any {
	bits := uint64(0)
	for _, c := range raw {
		bits = bits<<8 | uint64(c)
	}
	return t.number(bits)
}
