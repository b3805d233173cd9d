// Package item writes items of arrays as text: for people, as CSV and as JSON.
package item

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Text formats an item for people: numbers, dates, strings and structures as such, others as
// hexadecimal digits. Numbers have the fewest digits that identify them.
func Text(d meta.DType, raw []byte) string {
	if fields := d.Fields(); len(fields) > 0 {
		parts := make([]string, len(fields))
		for i, f := range fields {
			parts[i] = f.Name + ": " + Text(f.Type, raw[f.Offset:][:f.Type.Size()])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if texts, ok := elements(d, raw, Text); ok {
		return "[" + strings.Join(texts, " ") + "]"
	}

	order := orderOf(d)
	switch kind := d.Kind(); kind {
	case 'b':
		return strconv.FormatBool(raw[0] != 0)
	case 'i', 'm', 'M', 'u':
		n, ok := govalue.NumberOf(d)
		if !ok {
			break
		}

		switch kind {
		case 'u':
			return strconv.FormatUint(n.Bits(raw), 10)
		case 'M':
			return dateText(d, n.Int(raw))
		case 'm':
			// Write a duration as NumPy does: a number and its unit.
			unit, steps, text := stepsOf(d, n.Int(raw))
			if text != "" {
				return text
			}

			word := unit.word
			if steps.IsInt64() && steps.Int64() == 1 {
				word = strings.TrimSuffix(word, "s")
			}
			return steps.String() + " " + word
		}
		return strconv.FormatInt(n.Int(raw), 10)
	case 'f':
		if text, ok := floatText(order, raw); ok {
			return text
		}
	case 'c':
		if re, im, ok := parts(d, raw); ok {
			return Complex(re, im)
		}
	case 'S':
		return strconv.Quote(string(bytes.TrimRight(raw, "\x00")))
	case 'U':
		var text []rune
		for ; len(raw) >= 4; raw = raw[4:] {
			text = append(text, rune(order.Uint32(raw)))
		}
		return strconv.Quote(strings.TrimRight(string(text), "\x00"))
	}
	return fmt.Sprintf("%x", raw)
}

// floatText formats a float of 2, 4 or 8 bytes with the fewest digits that identify it.
func floatText(order binary.ByteOrder, raw []byte) (string, bool) {
	switch len(raw) {
	case 2:
		return halfText(ndarray.Float16FromBits(order.Uint16(raw))), true
	case 4:
		return strconv.FormatFloat(float64(math.Float32frombits(order.Uint32(raw))), 'g', -1, 32), true
	case 8:
		return strconv.FormatFloat(math.Float64frombits(order.Uint64(raw)), 'g', -1, 64), true
	}
	return "", false
}

// halfText formats a float of 2 bytes, for which package strconv has no shortest form.
func halfText(h ndarray.Float16) string {
	f := h.Float32()
	for digits := 1; digits < 5; digits++ {
		text := strconv.FormatFloat(float64(f), 'g', digits, 32)
		if back, _ := strconv.ParseFloat(text, 32); ndarray.Float16From(float32(back)) == h {
			return strconv.FormatFloat(back, 'g', -1, 32)
		}
	}
	return strconv.FormatFloat(float64(f), 'g', 5, 32)
}

// Plain formats an item as a field of CSV: as Text does, but strings without quotes, and infinite
// and complex numbers as Python reads them.
func Plain(d meta.DType, raw []byte) string {
	switch d.Kind() {
	case 'S', 'U':
		text, _ := strconv.Unquote(Text(d, raw))
		return text
	case 'f':
		return python(Text(d, raw))
	case 'c':
		if re, im, ok := parts(d, raw); ok {
			return Complex(python(re), python(im))
		}
	}
	return Text(d, raw)
}

// IsText reports whether items are texts.
func IsText(d meta.DType) bool { return d.Kind() == 'S' || d.Kind() == 'U' }

// python returns the text of a number as Python's float accepts and writes it.
func python(text string) string {
	return strings.NewReplacer("+Inf", "inf", "-Inf", "-inf", "NaN", "nan").Replace(text)
}

// Complex joins the texts of the parts of a complex number as Python does.
func Complex(re, im string) string {
	if im[0] != '-' && im[0] != '+' {
		im = "+" + im
	}
	return re + im + "j"
}

// elements returns the elements of an array that is one item, in C order.
func elements[T any](d meta.DType, raw []byte, of func(meta.DType, []byte) T) (all []T, ok bool) {
	elem, _, ok := d.SubArray()
	if !ok || elem.Size() == 0 {
		return nil, false
	}

	for ; len(raw) >= elem.Size(); raw = raw[elem.Size():] {
		all = append(all, of(elem, raw[:elem.Size()]))
	}
	return all, true
}

// parts returns the texts of the parts of a complex number.
func parts(d meta.DType, raw []byte) (re, im string, ok bool) {
	order := orderOf(d)
	re, ok = floatText(order, raw[:len(raw)/2])
	im, _ = floatText(order, raw[len(raw)/2:])
	return re, im, ok
}

// JSON returns an item as a value for package encoding/json: numbers with all their digits, NaN and
// infinities as text, complex numbers as lists of two, structures as objects.
func JSON(d meta.DType, raw []byte) any {
	if fields := d.Fields(); len(fields) > 0 {
		m := make(map[string]any, len(fields))
		for _, f := range fields {
			m[f.Name] = JSON(f.Type, raw[f.Offset:][:f.Type.Size()])
		}
		return m
	}

	if all, ok := elements(d, raw, JSON); ok {
		return all
	}

	switch d.Kind() {
	case 'b':
		return raw[0] != 0
	case 'i', 'u', 'f':
		if len(raw) <= 8 {
			return Number(Plain(d, raw))
		}
	case 'c':
		if re, im, ok := parts(d, raw); ok {
			return []any{Number(python(re)), Number(python(im))}
		}
	}
	return Plain(d, raw)
}

// Number returns the text of a number as a number of JSON, and any other text as it is.
func Number(text string) any {
	if number := json.RawMessage(text); json.Valid(number) {
		return number
	}
	return text
}

func orderOf(d meta.DType) binary.ByteOrder {
	if d.BigEndian() {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
