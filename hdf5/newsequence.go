package hdf5

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/meta"
)

// sequences reports whether sequences of a datatype can be written from their text. Addresses of
// objects, which references have, are not known when items are written.
func sequences(d *format.Datatype) bool {
	switch d.Class {
	case format.Reference, format.Complex, format.Time:
		return false
	case format.Fixed, format.Bitfield:
		return textual(d) && !special(d)
	case format.Enum, format.Array:
		return sequences(d.Base)
	case format.Variable:
		return d.Text || sequences(d.Base)
	case format.Compound:
		for _, m := range d.Members {
			if !sequences(m.Type) {
				return false
			}
		}
	}
	return textual(d)
}

// sequence appends the reference to a sequence, whose text is a list of JSON.
func (w *itemWriter) sequence(b, text []byte, t *format.Datatype) ([]byte, error) {
	v := &valueWriter{heap: w.heap, address: func(string) (int64, bool) { return 0, false }}
	if len(text) == 0 { // an item that a file lacks
		return v.variable(b, []any{}, t)
	}

	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var parsed any
	err := d.Decode(&parsed)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			err = nil
		} else {
			err = fmt.Errorf("text behind it")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%.40q is no list of JSON, as sequences are (%v): %w", text, err, cairn.ErrType)
	}

	value, err := valueFrom(parsed, t)
	if err != nil {
		return nil, err
	}
	return v.variable(b, value, t)
}

// valueFrom returns what JSON has for an item as a value of attributes.
func valueFrom(from any, t *format.Datatype) (any, error) {
	refused := func() (any, error) {
		return nil, fmt.Errorf("%.60v for items of %v: %w", from, t, cairn.ErrType)
	}

	switch t.Class {
	case format.Enum:
		return valueFrom(from, t.Base)
	case format.Fixed, format.Bitfield, format.Float:
		return numberFrom(from, t)
	case format.OpaqueBytes:
		text, _ := from.(string)
		b, err := hex.DecodeString(text)
		if err != nil || int64(len(b)) != t.Size {
			return refused()
		}
		return b, nil

	case format.Array:
		return listFrom(from, t.Base, t.Shape)
	case format.Variable:
		if !t.Text {
			list, ok := from.([]any)
			if !ok {
				return refused()
			}
			return listFrom(list, t.Base, []int64{int64(len(list))})
		}
	case format.Compound:
		return compoundFrom(from, t)
	}
	if text, ok := from.(string); ok {
		return text, nil
	}
	return refused()
}

// numberFrom returns a number of JSON, or a text that stands for one.
func numberFrom(from any, t *format.Datatype) (any, error) {
	text := ""
	switch v := from.(type) {
	case bool:
		return v, nil
	case string:
		text = v
	case json.Number:
		text = string(v)
	}

	if t.Class == format.Float {
		f, err := strconv.ParseFloat(text, int(max(32, 8*t.Size)))
		if err != nil {
			return nil, fmt.Errorf("%.60v for items of %v: %w", from, t, cairn.ErrType)
		}
		return f, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%.60v for items of %v: %w", from, t, cairn.ErrType)
	}
	return n, nil
}

// listFrom returns lists of a shape.
func listFrom(from any, t *format.Datatype, shape []int64) (any, error) {
	if len(shape) == 0 {
		return valueFrom(from, t)
	}
	list, ok := from.([]any)
	if !ok || int64(len(list)) != shape[0] {
		return nil, fmt.Errorf("%.60v is no list of %d values: %w", from, shape[0], cairn.ErrType)
	}
	for i := range list {
		var err error
		if list[i], err = listFrom(list[i], t, shape[1:]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func compoundFrom(from any, t *format.Datatype) (any, error) {
	if part, ok := complexPart(t); ok {
		value, err := listFrom(from, part, []int64{2})
		if err != nil {
			return nil, err
		}
		list := value.([]any)
		return meta.Map{{Key: "r", Value: list[0]}, {Key: "i", Value: list[1]}}, nil
	}

	fields, ok := from.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%.60v for items of %v: %w", from, t, cairn.ErrType)
	}
	made := make(meta.Map, 0, len(t.Members))
	for _, m := range t.Members {
		value, err := valueFrom(fields[m.Name], m.Type)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", m.Name, err)
		}
		made = append(made, meta.Pair{Key: m.Name, Value: value})
	}
	return made, nil
}
