package hdf5

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/govalue"
)

// Sequences of variable length are items as text: lists of JSON. Numbers have the fewest digits
// that identify them; those that JSON has no form for are texts: "nan", "inf" and "-inf". Complex
// numbers are lists of two, compounds objects, opaque bytes hexadecimal digits. What newsequence.go
// writes is read from such text.

// mostSequence is the most bytes of a sequence as text.
const mostSequence = 4 << 20

// isSequence reports whether items are sequences.
func isSequence(d *format.Datatype) bool { return d.Class == format.Variable && !d.Text }

// textual reports whether the elements of sequences can be text.
func textual(d *format.Datatype) bool {
	switch d.Class {
	case format.Fixed, format.Bitfield:
		return d.Size <= 8 && d.Precision > 0 && int64(d.BitOffset)+int64(d.Precision) <= 8*d.Size
	case format.Float:
		return d.Size <= 8 && d.FloatKind() != ""
	case format.String, format.OpaqueBytes, format.Time:
		return true
	case format.Reference:
		return isKey(d)

	case format.Enum, format.Array:
		return textual(d.Base)
	case format.Variable:
		return d.Text || textual(d.Base)
	case format.Complex:
		return textual(d.Base) && 2*d.Base.Size == d.Size

	case format.Compound:
		for _, m := range d.Members {
			if !textual(m.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// Sequences reports whether the items are sequences of variable length, which are lists of JSON as
// text.
func (d *Dataset) Sequences() bool { return isSequence(d.item) }

// A sequenceWriter makes text of a sequence.
type sequenceWriter struct {
	ctx  context.Context
	heap *heapReader
	b    []byte
}

// item appends an item of a datatype that is textual.
func (w *sequenceWriter) item(raw []byte, d *format.Datatype) error {
	if len(w.b) > mostSequence {
		return fmt.Errorf("a sequence of more than %d bytes as text: %w", mostSequence, cairn.ErrLimit)
	}

	switch d.Class {
	case format.Fixed, format.Bitfield:
		w.integer(raw, d)
	case format.Float:
		w.float(raw, d)
	case format.Enum:
		if isBool(d) {
			w.b = strconv.AppendBool(w.b, raw[0] != 0)
			return nil
		}
		return w.item(raw, d.Base)

	case format.String:
		text := bytes.Clone(raw)
		endString(text, d.Padding)
		w.quote(bytes.TrimRight(text, "\x00"))
	case format.Time:
		if d.Size == 4 {
			w.integer(raw, &format.Datatype{Class: format.Fixed, Size: 4, Precision: 32, Signed: true, BigEndian: d.BigEndian})
			return nil
		}
		w.quote(hex.AppendEncode(nil, raw))
	case format.OpaqueBytes:
		w.quote(hex.AppendEncode(nil, raw))
	case format.Reference:
		return w.text(raw, d)
	case format.Variable:
		if d.Text {
			return w.text(raw, d)
		}
		return w.sequence(raw, d)

	case format.Array:
		return w.list(raw, d.Base, d.Shape)
	case format.Complex:
		return w.list(raw, d.Base, []int64{2})
	case format.Compound:
		if part, ok := complexPart(d); ok {
			return w.list(raw, part, []int64{2})
		}
		return w.compound(raw, d)
	}
	return nil
}

func (w *sequenceWriter) integer(raw []byte, d *format.Datatype) {
	var full [8]byte
	widen(full[:d.Size], raw, d)
	switch n := number(full[:d.Size], d).(type) {
	case int64:
		w.b = strconv.AppendInt(w.b, n, 10)
	case uint64:
		w.b = strconv.AppendUint(w.b, n, 10)
	}
}

func (w *sequenceWriter) float(raw []byte, d *format.Datatype) {
	f := govalue.Number{Kind: 'f', Size: int(d.Size), BigEndian: d.BigEndian}.Float(raw)
	switch {
	case math.IsNaN(f):
		w.b = append(w.b, `"nan"`...)
	case math.IsInf(f, 1):
		w.b = append(w.b, `"inf"`...)
	case math.IsInf(f, -1):
		w.b = append(w.b, `"-inf"`...)
	default:
		w.b = strconv.AppendFloat(w.b, f, 'g', -1, int(max(32, 8*d.Size)))
	}
}

// quote appends a text of JSON.
func (w *sequenceWriter) quote(text []byte) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(labels.Readable(string(text))) // texts have no errors
	w.b = append(w.b, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// text appends what a reference to a text or to an object stands for.
func (w *sequenceWriter) text(raw []byte, d *format.Datatype) error {
	text, err := w.heap.textOf(w.ctx, d, raw)
	if err == nil {
		w.quote(text)
	}
	return err
}

// sequence appends the elements of a sequence.
func (w *sequenceWriter) sequence(raw []byte, d *format.Datatype) error {
	data, err := w.heap.object(w.ctx, w.heap.file.format.HeapRef(raw), d.Base.Size)
	if err != nil {
		return err
	}
	return w.list(data, d.Base, []int64{int64(len(data)) / d.Base.Size})
}

// list appends lists of a shape, one in another.
func (w *sequenceWriter) list(raw []byte, d *format.Datatype, shape []int64) error {
	if len(shape) == 0 {
		return w.item(raw, d)
	}
	w.b = append(w.b, '[')
	step := int64(len(raw)) / max(1, shape[0])
	for i := range shape[0] {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		if err := w.list(raw[i*step:][:step], d, shape[1:]); err != nil {
			return err
		}
	}
	w.b = append(w.b, ']')
	return nil
}

func (w *sequenceWriter) compound(raw []byte, d *format.Datatype) error {
	mark := "{"
	for _, m := range d.Members {
		w.b = append(w.b, mark...)
		mark = ", "
		w.quote([]byte(m.Name))
		w.b = append(w.b, ": "...)
		if err := w.item(raw[m.Offset:][:m.Type.Size], m.Type); err != nil {
			return err
		}
	}
	w.b = append(w.b, '}')
	return nil
}

// isKey reports whether a datatype is that of references which can be text: to objects and to
// regions of datasets.
func isKey(d *format.Datatype) bool {
	switch d.RefKind {
	case format.ObjectReference:
		return d.Size == 8 || d.Size == 4
	case format.RegionReference:
		return d.Size == 12 || d.Size == 8
	}
	return false
}

// region returns the text of a reference to a region of a dataset: the key, and in brackets which
// items, as slices of Python, or several such boxes or points one behind the other.
func (h *heapReader) region(ctx context.Context, item []byte) ([]byte, error) {
	ref := h.file.format.HeapRef(append(make([]byte, 4), item...)) // with a length
	g, err := h.collection(ctx, ref.Collection)
	if g == nil || err != nil {
		return nil, err
	}
	data, err := g.Whole(ref.Number)
	if err != nil {
		return nil, err
	}

	r, err := h.file.format.Region(data)
	if err != nil || r.Object == format.None {
		return nil, err
	}
	key, err := h.keyOf(ctx, r.Object)
	return append(key, r.Text()...), err
}
