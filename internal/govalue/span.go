package govalue

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// A Span is a range of Go values of one type; a [Layout] knows the type.
type Span struct {
	p unsafe.Pointer
	n int
}

// SpanOf returns the values of a slice.
func SpanOf[T any](values []T) Span {
	return Span{unsafe.Pointer(unsafe.SliceData(values)), len(values)}
}

// One returns a single value.
func One[T any](value *T) Span { return Span{unsafe.Pointer(value), 1} }

// Make returns memory for the values of a number of items, with any content if they are read
// directly. It fails if that exceeds most bytes.
func Make[T any](l *Layout, items, most int64) ([]T, error) {
	bytes := max(1, int64(l.width)*l.Count(1))
	if items > min(most, math.MaxInt)/bytes {
		return nil, fmt.Errorf("read of %d items of %d bytes, MaxAlloc is %d: %w", items, bytes, most, cairn.ErrLimit)
	}
	if l.Read && items*bytes >= leastUnset {
		return unset[T](l.Count(items)), nil
	}
	return fresh.Make[T](l.Count(items)), nil
}

// leastUnset is the size from which memory is not set to zero before it is filled. That takes a
// third of the time of a read that finds decoded chunks.
const leastUnset = 32 << 10

// unset returns n values without pointers, with any content. A [strings.Builder] is the only way to
// such memory: the runtime does not set to zero what it grows by.
func unset[T any](n int64) []T {
	var zero T
	size := int(n) * int(unsafe.Sizeof(zero))

	var b strings.Builder
	b.Grow(size)
	_ = b.WriteByte(0) // an empty string need not have an address; this never fails
	values := unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
	fresh.Advise(values)
	return values
}

// Count returns the number of values for a number of items.
func (l *Layout) Count(items int64) int64 {
	if l.Raw {
		return items * int64(l.size)
	}
	return items
}

// Len returns the number of values.
func (s Span) Len() int { return s.n }

// at returns the address of value from. The values [from, to) must be within the span.
func (s Span) at(l *Layout, from, to int) unsafe.Pointer {
	if from < 0 || from > to || to > s.n {
		panic("govalue: values beyond a span")
	}
	return unsafe.Add(s.p, uintptr(from)*l.width)
}

// Memory returns the memory of values.
func (l *Layout) Memory(s Span) []byte {
	if s.n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(s.p), s.n*int(l.width))
}

// Fix must be called for items that were read directly into the memory of values. It sets each byte
// of a bool that is neither 0 nor 1 to 1, since Go assumes that other values do not occur.
func (l *Layout) Fix(s Span) {
	if !l.bools {
		return
	}

	memory := l.Memory(s)
	for i, b := range memory {
		if b > 1 {
			memory[i] = 1
		}
	}
}

// Load sets a value to an item that was read as the memory of values is.
func Load[T any](l *Layout, value *T, item []byte) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(value)), l.width), item)
	l.Fix(One(value))
}

// Values returns the values of items. If the layouts agree it uses raw itself, otherwise values,
// which it grows. raw must be the beginning of an allocation.
func Values[T any](l *Layout, values []T, raw []byte) ([]T, error) {
	if l.Read {
		values = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(l.width))
		l.Fix(SpanOf(values))
		return values, nil
	}

	n := len(raw) / l.size
	if cap(values) < n {
		values = fresh.Make[T](n)
	}
	_, err := l.Decode(SpanOf(values[:n]), 0, n, raw)
	return values[:n], err
}

// Over returns memory for items as values, to write them there. It reports false if the layouts
// differ, or if raw is not aligned as values are.
func Over[T any](l *Layout, raw []byte) ([]T, bool) {
	p := (*T)(unsafe.Pointer(unsafe.SliceData(raw)))
	if !l.Write || l.Swap != 0 || uintptr(unsafe.Pointer(p))%unsafe.Alignof(*p) != 0 {
		return nil, false
	}
	return unsafe.Slice(p, len(raw)/int(l.width)), true
}

// Bytes returns the memory of bools, each 0 or 1.
func Bytes(bools []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(bools))), len(bools))
}
