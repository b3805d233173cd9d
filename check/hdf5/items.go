package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/meta"
)

// A column is a part of all items, as h5py reads it: its path in a compound, its dtype, and its
// dimensions within an item.
type column struct {
	Path, DType string
	Dims        []int
}

// UnmarshalJSON implements [json.Unmarshaler]: a column is a list.
func (c *column) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&c.Path, &c.DType, &c.Dims})
}

// A leaf is a column of cairn's items: scalars of a dtype at some offsets of each item.
type leaf struct {
	column
	offsets []int
	size    int
}

// columnsOf returns the columns of a dtype.
func columnsOf(d meta.DType) []leaf {
	var all []leaf
	collect(&all, leaf{offsets: []int{0}}, d)
	return all
}

// collect appends the columns of a part of an item.
func collect(all *[]leaf, at leaf, d meta.DType) {
	if elem, shape, ok := d.SubArray(); ok {
		count := 1
		for _, n := range shape {
			count *= n
		}
		var offsets []int
		for _, off := range at.offsets {
			for k := range count {
				offsets = append(offsets, off+k*elem.Size())
			}
		}
		at.offsets = offsets
		at.Dims = append(slices.Clone(at.Dims), shape...)
		collect(all, at, elem)
		return
	}

	if !d.IsStruct() {
		at.DType = d.String()
		at.size = d.Size()
		*all = append(*all, at)
		return
	}

	for _, f := range d.Fields() {
		in := leaf{column: column{Path: at.Path + "/" + f.Name, Dims: at.Dims}}
		for _, off := range at.offsets {
			in.offsets = append(in.offsets, off+f.Offset)
		}
		collect(all, in, f.Type)
	}
}

// sameColumns compares columns.
func sameColumns(got []leaf, want []column) error {
	text := func(c column) string { return fmt.Sprintf("%s %s %v", c.Path, c.DType, c.Dims) }
	var left, right []string
	for _, c := range got {
		left = append(left, text(c.column))
	}
	for _, c := range want {
		right = append(right, text(c))
	}
	if !slices.Equal(left, right) {
		return fmt.Errorf("dtype %q, want %q", left, right)
	}
	return nil
}

// pack returns items of some bytes with nothing between their columns.
func pack(cols []leaf, data []byte, item int) []byte {
	var out []byte
	for ; item > 0 && len(data) >= item; data = data[item:] {
		for _, c := range cols {
			for _, off := range c.offsets {
				out = append(out, data[off:off+c.size]...)
				if c.DType == "<f16" {
					clear(out[len(out)-6:]) // padding, which has any content
				}
			}
		}
	}
	return out
}

// sameItems compares packed items.
func sameItems(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes of items, want %d", len(got), len(want))
	}
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Errorf("items differ from byte %d of %d on: %x, want %x", i, len(got), got[i:min(i+16, len(got))], want[i:min(i+16, len(got))])
}

// sameValue compares the value of an attribute with its JSON.
func sameValue(got, want any) error {
	different := fmt.Errorf("value %v (%T), want %v", got, got, want)

	switch want := want.(type) {
	case json.Number:
		if !sameNumber(got, want) {
			return different
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return different
		}
		for i := range list {
			if err := sameValue(list[i], want[i]); err != nil {
				return err
			}
		}
	case map[string]any:
		return sameSpecial(got, want, different)
	default:
		if got != want {
			return different
		}
	}
	return nil
}

func sameNumber(got any, want json.Number) bool {
	switch got := got.(type) {
	case int64:
		return strconv.FormatInt(got, 10) == want.String()
	case uint64:
		return strconv.FormatUint(got, 10) == want.String()
	case float32:
		return sameNumber(float64(got), want)
	case float64:
		f, err := want.Float64()
		return err == nil && (f == got || errors.Is(err, strconv.ErrRange))
	}
	return false
}

// sameSpecial compares what JSON has no notation for.
func sameSpecial(got any, want map[string]any, different error) error {
	if fields, ok := want["fields"].([]any); ok {
		m, ok := got.(meta.Map)
		if !ok || len(m) != len(fields) {
			return different
		}
		for i, p := range m {
			pair := fields[i].([]any)
			if p.Key != pair[0] {
				return different
			}
			if err := sameValue(p.Value, pair[1]); err != nil {
				return err
			}
		}
		return nil
	}

	if text, ok := want["bytes"].(string); ok {
		if got, ok := got.(string); ok { // text that is not UTF-8 is taken for Latin-1
			got, err := latin1(got)
			if err != nil || hex.EncodeToString(got) != text || utf8.Valid(got) {
				return different
			}
			return nil
		}
		b, ok := got.([]byte)
		if !ok || hex.EncodeToString(b) != text {
			return different
		}
		return nil
	}

	if single, ok := got.(float32); ok {
		got = float64(single)
	}
	f, ok := got.(float64)
	text, _ := want["float"].(string)
	if value, err := strconv.ParseFloat(text, 64); !ok || err != nil ||
		f != value && !(math.IsNaN(f) && strings.Contains(text, "nan")) {
		return different
	}
	return nil
}

// latin1 encodes text.
func latin1(text string) (b []byte, err error) {
	for _, r := range text {
		if r > 0xff {
			return nil, fmt.Errorf("%q is not Latin-1", text)
		}
		b = append(b, byte(r))
	}
	return b, nil
}
