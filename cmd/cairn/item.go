package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// itemText formats an item: numbers, dates, strings and structures as such, others as hexadecimal
// digits.
func itemText(d meta.DType, raw []byte) string {
	if fields := d.Fields(); len(fields) > 0 {
		parts := make([]string, len(fields))
		for i, f := range fields {
			parts[i] = f.Name + ": " + itemText(f.Type, raw[f.Offset:][:f.Type.Size()])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if d.BigEndian() {
		order = binary.BigEndian
	}
	switch kind := d.Kind(); kind {
	case 'b':
		return strconv.FormatBool(raw[0] != 0)
	case 'i', 'm', 'M', 'u':
		n, ok := bitsOf(order, raw)
		if !ok {
			break
		}
		shift := 64 - 8*len(raw)
		signed := int64(n<<shift) >> shift
		switch kind {
		case 'u':
			return strconv.FormatUint(n, 10)
		case 'M':
			return dateText(d, signed)
		case 'm':
			return durationText(d, signed)
		}
		return strconv.FormatInt(signed, 10)
	case 'f':
		if text, ok := floatText(order, raw); ok {
			return text
		}
	case 'c':
		re, ok := floatText(order, raw[:len(raw)/2])
		im, _ := floatText(order, raw[len(raw)/2:])
		if ok {
			return "(" + re + ", " + im + "i)"
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

// bitsOf returns the bits of a number of 1, 2, 4 or 8 bytes.
func bitsOf(order binary.ByteOrder, raw []byte) (uint64, bool) {
	switch len(raw) {
	case 1:
		return uint64(raw[0]), true
	case 2:
		return uint64(order.Uint16(raw)), true
	case 4:
		return uint64(order.Uint32(raw)), true
	case 8:
		return order.Uint64(raw), true
	}
	return 0, false
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
