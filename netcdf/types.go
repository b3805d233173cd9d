package netcdf

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/meta"
)

// atomic are the types whose names the format gives, by their numbers in files of the classic
// formats. Those from 7 on are only in CDF-5, and string is in none of them.
var atomic = []*Type{
	1:  number("byte", "|i1", signed[int8]),
	2:  number("char", "|S1", signed[uint8]),
	3:  number("short", ">i2", signed[int16]),
	4:  number("int", ">i4", signed[int32]),
	5:  number("float", ">f4", func(bits uint64) any { return math.Float32frombits(uint32(bits)) }),
	6:  number("double", ">f8", func(bits uint64) any { return math.Float64frombits(bits) }),
	7:  number("ubyte", "|u1", signed[uint8]),
	8:  number("ushort", ">u2", signed[uint16]),
	9:  number("uint", ">u4", signed[uint32]),
	10: number("int64", ">i8", signed[int64]),
	11: number("uint64", ">u8", unsigned),
	12: {Name: "string"},
}

const (
	typeChar   = 2
	lastOfCDF2 = 6
	lastOfCDF5 = 11
)

// number returns a type of big-endian items.
func number(name, code string, value func(bits uint64) any) *Type {
	d, err := meta.ParseDType(code)
	if err != nil {
		panic(fmt.Sprintf("dtype %s: %v", code, err)) // a mistake in the table
	}
	return &Type{Name: name, Size: d.Size(), dtype: d, number: value}
}

// signed returns an integer that fits into an int64.
func signed[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](bits uint64) any {
	return int64(T(bits))
}

func unsigned(bits uint64) any {
	if bits <= math.MaxInt64 {
		return int64(bits)
	}
	return bits
}

// readable returns a text as UTF-8. Files that are not hold Latin-1, most often for a degree sign.
func readable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}
