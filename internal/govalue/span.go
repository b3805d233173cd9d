package govalue

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/cairn-go/cairn"
)

// A Span is Go values of one type in memory, whose type is known to a [Layout].
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

// Make returns memory for the values of a number of items, if that is not more than most bytes.
func Make[T any](l *Layout, items, most int64) ([]T, error) {
	bytes := max(1, int64(l.width)*l.Count(1))
	if items > min(most, math.MaxInt)/bytes {
		return nil, fmt.Errorf("read of %d items of %d bytes, MaxAlloc is %d: %w", items, bytes, most, cairn.ErrLimit)
	}
	return make([]T, l.Count(items)), nil
}

// Count returns how many values stand for a number of items.
func (l *Layout) Count(items int64) int64 {
	if l.Raw {
		return items * int64(l.size)
	}
	return items
}

// Len returns the number of values.
func (s Span) Len() int { return s.n }

// at returns where value number from is; those up to number to must be in the span.
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

// Fix makes Go values of items that were read straight into the memory of values: it makes every
// byte of a bool that is neither 0 nor 1 a 1, as Go takes others for granted not to exist.
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

// Values returns the values of items whose memory theirs is, in that memory, or in that of values,
// which it grows. raw must be the beginning of an allocation.
func Values[T any](l *Layout, values []T, raw []byte) ([]T, error) {
	if l.Read {
		values = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(l.width))
		l.Fix(SpanOf(values))
		return values, nil
	}
	n := len(raw) / l.size
	if cap(values) < n {
		values = make([]T, n)
	}
	_, err := l.Decode(SpanOf(values[:n]), 0, n, raw)
	return values[:n], err
}

// Bytes returns the memory of bools, each 0 or 1.
func Bytes(bools []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(bools))), len(bools))
}
