// Package fresh makes large slices whose memory costs as little as the system allows: behind those
// that will be filled it asks for huge pages before the first touch, which saves most page faults.
//
// Only whole huge pages within a slice are asked for, so that no slice takes more memory than it
// has bytes, and small ones are as those of make. Where the system knows no huge pages, or
// [Variable] says so, all are.
package fresh

import (
	"bytes"
	"os"
	"reflect"
	"slices"
)

// Variable names the environment variable that switches huge pages off if it is "off".
const Variable = "CAIRN_HUGEPAGES"

// leastBytes is the size from which slices may have huge pages. The collector keeps smaller ones in
// use for other things, and there are more of them than the system likes to tell apart.
const leastBytes = 4 << 20

// Make returns a slice of n zero items that will be filled.
func Make[T any, N int | int64](n N) []T {
	s := make([]T, n)
	Advise(s)
	return s
}

// Grow is [slices.Grow]: it returns s with room for n more items.
func Grow[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n || bytesOf[T](len(s)+n) < leastBytes {
		return slices.Grow(s, n)
	}

	grown := Make[T](max(len(s)+n, cap(s)+cap(s)/4))
	return grown[:copy(grown, s)]
}

// Append is append(s, more...).
func Append[T any](s, more []T) []T {
	if cap(s)-len(s) < len(more) && bytesOf[T](len(s)+len(more)) >= leastBytes {
		s = Grow(s, len(more))
	}
	return append(s, more...) // does not zero what it fills
}

// Join returns pieces as one.
func Join(pieces [][]byte) []byte {
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	if size < leastBytes {
		return bytes.Join(pieces, nil) // does not zero what it fills
	}

	all := Make[byte](size)[:0]
	for _, p := range pieces {
		all = append(all, p...)
	}
	return all
}

// Advise asks for huge pages behind the memory of a slice that was not touched yet, if they are
// worth it.
func Advise[T any](s []T) {
	if size := bytesOf[T](len(s)); size >= leastBytes && os.Getenv(Variable) != "off" {
		askHuge(reflect.ValueOf(&s[0]).Pointer(), uintptr(size))
	}
}

func bytesOf[T any](n int) int64 { return int64(n) * int64(reflect.TypeFor[T]().Size()) }
