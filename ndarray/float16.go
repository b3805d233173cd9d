package ndarray

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cairn-go/cairn/internal/govalue"
)

// Float16 is an item of dtype "<f2" or ">f2": a 16-bit float with 11 bits of precision and a
// largest value of 65504. It is an [Element]: arrays of it are read and written like any others. Go
// has no arithmetic for it; compute with the result of [Float16.Float32]. The operator == compares
// bits: +0 and -0 differ, and a NaN equals itself.
type Float16 struct{ bits uint16 }

// The bits of a Float16.
const (
	float16Sign     = 0x8000
	float16Infinity = 0x7c00
)

// Float16FromBits returns the Float16 with the given IEEE 754 bits.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// Bits returns the IEEE 754 bits of h.
func (h Float16) Bits() uint16 { return h.bits }

// Float16From returns f rounded to the nearest Float16, with ties to even. A magnitude of 65520 or
// more becomes an infinity, one of 2^-25 or less a zero. Signs are kept, and so are the highest
// payload bits of a NaN.
func Float16From(f float32) Float16 {
	if f != f {
		bits := math.Float32bits(f)
		payload := bits >> 13 & 0x3ff
		if payload == 0 {
			payload = 1 // 0 would mean infinity
		}
		return Float16{uint16(bits>>16&float16Sign | float16Infinity | payload)}
	}
	return Float16{govalue.RoundFloat16(float64(f))}
}

// Float32 returns the same number exactly; a NaN keeps its payload.
func (h Float16) Float32() float32 { return govalue.WidenFloat16(h.bits) }

// String returns the shortest decimal number that is rounded to h, or NaN, +Inf or -Inf.
func (h Float16) String() string {
	f := float64(h.Float32())
	if f != f || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 32)
	}

	for digits := 1; ; digits++ { // 5 are always enough
		text := strconv.FormatFloat(f, 'g', digits, 64)
		near, err := strconv.ParseFloat(text, 64)
		if err != nil || govalue.RoundFloat16(near) == h.bits {
			return plain(text)
		}
	}
}

// plain returns a number of few digits without an exponent if that is not long.
func plain(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != 0 && (math.Abs(f) < 1e-4 || math.Abs(f) >= 1e6) {
		return text
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// MarshalJSON returns h as a number. It fails for NaN and infinities, as JSON has no form for them.
func (h Float16) MarshalJSON() ([]byte, error) {
	if h.bits&float16Infinity == float16Infinity {
		return nil, fmt.Errorf("the Float16 %v has no form in JSON", h)
	}
	return []byte(h.String()), nil
}

// UnmarshalJSON sets h to a number, rounded to the nearest Float16.
func (h *Float16) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return h.parse(string(text))
}

// MarshalText returns the text of String.
func (h Float16) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses a number, NaN or an infinity, rounded to the nearest Float16.
func (h *Float16) UnmarshalText(text []byte) error { return h.parse(string(text)) }

func (h *Float16) parse(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("Float16 %q is no number", text)
	}
	if f != f {
		*h = Float16From(float32(f))
		return nil
	}
	*h = Float16{govalue.RoundFloat16(f)}
	return nil
}
