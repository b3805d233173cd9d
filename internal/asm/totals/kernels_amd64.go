//go:build !purego

package totals

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels for integers take a positive multiple of groupBytes. That for int8 adds unsigned
// numbers, and that for uint16 signed ones: both invert the highest bit, which add makes up for.

//go:noescape
func int8AVX2(p *byte, bytes int, out *lanes)

//go:noescape
func uint8AVX2(p *byte, bytes int, out *lanes)

//go:noescape
func int16AVX2(p *byte, bytes int, out *lanes)

//go:noescape
func uint16AVX2(p *byte, bytes int, out *lanes)

//go:noescape
func int32AVX2(p *byte, bytes int, out *lanes)

//go:noescape
func uint32AVX2(p *byte, bytes int, out *lanes)

// Those for floats add groups of eight, at least one, to the parts.

//go:noescape
func float32AVX2(p *byte, groups int, parts *[8]float64)

//go:noescape
func float64AVX2(p *byte, groups int, parts *[8]float64)

// Those for columns take groups of columnGroup, at least one. pitch is in bytes.

//go:noescape
func rows32AVX2(sums *float64, p *byte, pitch, groups int)

//go:noescape
func rows64AVX2(sums *float64, p *byte, pitch, groups int)

//go:noescape
func row32AVX2(sums *float64, p *byte, groups int)

//go:noescape
func row64AVX2(sums *float64, p *byte, groups int)

//go:noescape
func twiceAVX2(high, low, v *float64, groups int)

// add returns the sum of the numbers in so many bytes, or false if there is no kernel.
func add[T Integer](p *byte, bytes int) (sum int64, ok bool) {
	if !cpu.AVX2 {
		return 0, false
	}

	var out lanes
	var zero T
	switch any(zero).(type) {
	case int8:
		int8AVX2(p, bytes, &out)
		sum = int64(bytes) * -0x80
	case uint8:
		uint8AVX2(p, bytes, &out)
	case int16:
		int16AVX2(p, bytes, &out)
		return out.halves(), true
	case uint16:
		uint16AVX2(p, bytes, &out)
		return out.halves() + int64(bytes/2)*0x8000, true
	case int32:
		int32AVX2(p, bytes, &out)
	case uint32:
		uint32AVX2(p, bytes, &out)
	}

	return sum + out[0] + out[1] + out[2] + out[3], true
}

// halves returns the sum of lanes of 32 bits.
func (l *lanes) halves() (sum int64) {
	for _, v := range (*[8]int32)(unsafe.Pointer(l)) {
		sum += int64(v)
	}
	return sum
}

// addFloats adds groups of eight values to the parts. It reports false if there is no kernel.
func addFloats[T Float](p *T, groups int, parts *[8]float64) bool {
	if !cpu.AVX2 {
		return false
	}
	if unsafe.Sizeof(*p) == 4 {
		float32AVX2((*byte)(unsafe.Pointer(p)), groups, parts)
	} else {
		float64AVX2((*byte)(unsafe.Pointer(p)), groups, parts)
	}
	return true
}

// columns reports whether there are kernels for columns.
func columns() bool { return cpu.AVX2 }

// addRows adds eight rows to groups of sums.
func addRows[T Float](sums []float64, p *T, pitch, groups int) {
	size := int(unsafe.Sizeof(*p))
	if size == 4 {
		rows32AVX2(&sums[0], (*byte)(unsafe.Pointer(p)), pitch*size, groups)
	} else {
		rows64AVX2(&sums[0], (*byte)(unsafe.Pointer(p)), pitch*size, groups)
	}
}

// addRow adds a row to groups of sums.
func addRow[T Float](sums []float64, p *T, groups int) {
	if unsafe.Sizeof(*p) == 4 {
		row32AVX2(&sums[0], (*byte)(unsafe.Pointer(p)), groups)
	} else {
		row64AVX2(&sums[0], (*byte)(unsafe.Pointer(p)), groups)
	}
}

// addTwice does Twice with the first sums, and returns how many.
func addTwice(high, low, values []float64) int {
	groups := len(high) / columnGroup
	if groups == 0 || !cpu.AVX2 {
		return 0
	}
	twiceAVX2(&high[0], &low[0], &values[0], groups)
	return groups * columnGroup
}
