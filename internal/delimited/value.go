package delimited

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// isMatrix reports whether the table is one array: it has numbers without names, or the user has
// chosen one dtype for all columns.
func (t *Table) isMatrix(given []Given) bool {
	if len(given) == 1 && given[0].Name == "" {
		return true
	}
	if t.header || len(given) > 0 {
		return false
	}

	float := false
	for _, d := range t.DTypes {
		switch d.Kind() {
		case 'f':
			float = true
		case 'i':
		default:
			return false
		}
	}
	if float {
		for i := range t.DTypes {
			t.DTypes[i] = floatType
		}
	}
	return true
}

// readableDType reports whether entries can be items of a dtype.
func readableDType(d meta.DType) bool {
	switch d.Kind() {
	case 'b', 'i', 'u', 'S', 'U':
		return d.Size() > 0
	case 'f':
		return d.Size() == 4 || d.Size() == 8
	case 'M':
		_, ok := perDay(d)
		return ok
	}
	return false
}

// putEntry writes an entry as an item of a dtype. It fails for one that does not fit.
func (t *Table) putEntry(dst []byte, text string, d meta.DType) error {
	switch d.Kind() {
	case 'S':
		clear(dst)
		if n := copy(dst, text); n < len(text) {
			return fmt.Errorf("has %d bytes, more than %v", len(text), d)
		}
		return nil
	case 'U':
		return putRunes(dst, readable(text), d)
	}

	text = strings.TrimSpace(text)
	if t.missing[text] {
		return putMissing(dst, d)
	}
	return putValue(dst, text, d)
}

// putMissing writes the item that stands for nothing.
func putMissing(dst []byte, d meta.DType) error {
	switch {
	case d.Kind() == 'f' && d.Size() == 4:
		putUint(dst, uint64(math.Float32bits(float32(math.NaN()))), d.BigEndian())
	case d.Kind() == 'f':
		putUint(dst, math.Float64bits(math.NaN()), d.BigEndian())
	case d.Kind() == 'M':
		putUint(dst, 1<<63, d.BigEndian())
	default:
		return fmt.Errorf("is missing, for which %v has no item", d)
	}
	return nil
}

// putValue writes a bool, a number or a time.
func putValue(dst []byte, text string, d meta.DType) error {
	size := 8 * d.Size()
	var v uint64
	switch d.Kind() {
	case 'b':
		is, ok := parseBool(text)
		if !ok {
			return notA("bool")
		}
		if is {
			v = 1
		}
	case 'i':
		n, err := strconv.ParseInt(text, 10, size)
		if err != nil {
			return notA(d.String())
		}
		v = uint64(n)
	case 'u':
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, size)
		if err != nil {
			return notA(d.String())
		}
		v = n
	case 'f':
		f, ok := parseFloat(text)
		if !ok {
			return notA("number")
		}
		v = math.Float64bits(f)
		if size == 32 {
			v = uint64(math.Float32bits(nearest32(text, f)))
		}
	case 'M':
		n, err := ticks(text, d)
		if err != nil {
			return err
		}
		v = uint64(n)
	}

	putUint(dst, v, d.BigEndian())
	return nil
}

// notA is the error for a value of another kind.
func notA(what string) error { return fmt.Errorf("is no %s", what) }

// nearest32 returns the float32 next to a number, which is not rounded twice.
func nearest32(text string, f float64) float32 {
	if v, err := strconv.ParseFloat(text, 32); err == nil {
		return float32(v)
	}
	return float32(f)
}

// ticks returns a time in the unit of a dtype, which must hold all of it.
func ticks(text string, d meta.DType) (int64, error) {
	m, ok := parseTime(text)
	if !ok {
		return 0, notA("time such as 2020-01-31 or 2020-01-31T12:00:00")
	}
	perDay, _ := perDay(d)
	const second = 24 * 60 * 60

	seconds := m.at.Unix()
	days := seconds / second
	if seconds%second < 0 {
		days--
	}
	// Nanoseconds of a day are below 2^47, and units divide them.
	left := (seconds-days*second)*1e9 + int64(m.at.Nanosecond())
	step := second * 1_000_000_000 / perDay
	if left%step != 0 {
		return 0, fmt.Errorf("is between two times of %v", d)
	}

	high, low := bits.Mul64(uint64(abs(days)), uint64(perDay))
	if high != 0 || low > math.MaxInt64-uint64(perDay) {
		return 0, fmt.Errorf("is out of the range of %v", d)
	}
	if days < 0 {
		return -int64(low) + left/step, nil
	}
	return int64(low) + left/step, nil
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// perDay returns how many times of a dtype a day has.
func perDay(d meta.DType) (n int64, ok bool) {
	unit, count := d.Unit()
	if count != 1 {
		return 0, false
	}

	switch unit {
	case "D":
		return 1, true
	case "h":
		return 24, true
	case "m":
		return 24 * 60, true
	case "s":
		return 24 * 60 * 60, true
	case "ms":
		return 24 * 60 * 60 * 1e3, true
	case "us":
		return 24 * 60 * 60 * 1e6, true
	case "ns":
		return 24 * 60 * 60 * 1e9, true
	}
	return 0, false
}

// misfit is the error for an entry that is no item of its column, and says which dtype takes it.
func (t *Table) misfit(line, column int, text string, why error) error {
	d := t.DTypes[column]
	trimmed := strings.TrimSpace(text)
	_, number := parseFloat(trimmed)

	other := "U" + strconv.Itoa(max(1, characters(text)))
	switch kind := d.Kind(); {
	case kind == 'S':
		other = "S" + strconv.Itoa(len(text))
	case kind != 'b' && kind != 'U' && (number || t.missing[trimmed]):
		other = "f8"
	}
	return fmt.Errorf("line %d, column %q: %s %w; -dtype %s=%s takes it: %w",
		line, t.Names[column], clip(text), why, t.Names[column], other, cairn.ErrUnsupported)
}

// clip quotes the beginning of an entry.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// putRunes writes a text in UTF-32.
func putRunes(dst []byte, text string, d meta.DType) error {
	clear(dst)
	n := 0
	for _, c := range text {
		if 4*n+4 > len(dst) {
			return fmt.Errorf("has %d characters, more than %v", characters(text), d)
		}
		putUint(dst[4*n:4*n+4], uint64(c), d.BigEndian())
		n++
	}
	return nil
}

// putUint writes the low bytes of a number.
func putUint(dst []byte, v uint64, bigEndian bool) {
	var all [8]byte
	if bigEndian {
		binary.BigEndian.PutUint64(all[:], v)
		copy(dst, all[8-len(dst):])
		return
	}
	binary.LittleEndian.PutUint64(all[:], v)
	copy(dst, all[:])
}
