package netcdf

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn/meta"
)

// atomic are the types whose names the format gives, by their numbers in files of the classic
// formats. Those from 7 on are only in CDF-5, and string is in none of them.
var atomic = []*Type{
	1:  integer("byte", "|i1", true, signed[int8], 0x81),
	2:  integer("char", "|S1", false, signed[uint8], 0),
	3:  integer("short", ">i2", true, signed[int16], 0x8001),
	4:  integer("int", ">i4", true, signed[int32], 0x80000001),
	5:  float("float", ">f4", func(bits uint64) any { return math.Float32frombits(uint32(bits)) }, 0x7cf00000),
	6:  float("double", ">f8", func(bits uint64) any { return math.Float64frombits(bits) }, 0x479e000000000000),
	7:  integer("ubyte", "|u1", false, signed[uint8], 0xff),
	8:  integer("ushort", ">u2", false, signed[uint16], 0xffff),
	9:  integer("uint", ">u4", false, signed[uint32], 0xffffffff),
	10: integer("int64", ">i8", true, signed[int64], 0x8000000000000002),
	11: integer("uint64", ">u8", false, unsigned, 0xfffffffffffffffe),
	12: {Name: "string"},
}

const (
	typeChar   = 2
	typeFloat  = 5
	lastOfCDF2 = 6
	lastOfCDF5 = 11
	typeString = 12
)

// float returns a type of big-endian items. fill is the bits of the item that stands where nothing
// was written, unless a file says something else.
func float(name, code string, value func(bits uint64) any, fill uint64) *Type {
	d, err := meta.ParseDType(code)
	if err != nil {
		panic(fmt.Sprintf("dtype %s: %v", code, err)) // a mistake in the table
	}
	little, err := meta.ParseDType("<" + code[1:])
	if err != nil {
		panic(fmt.Sprintf("dtype %s: %v", code, err))
	}
	return &Type{Name: name, Size: d.Size(), dtype: d, little: little, signed: true, number: value, fill: fill}
}

func integer(name, code string, isSigned bool, value func(bits uint64) any, fill uint64) *Type {
	t := float(name, code, value, fill)
	t.integer = true
	t.signed = isSigned
	return t
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
