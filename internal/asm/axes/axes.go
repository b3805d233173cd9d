// Package axes makes numbers of their differences along an axis of an array.
package axes

import "unsafe"

// A Number is an unsigned integer. Sums wrap around.
type Number interface {
	uint8 | uint16 | uint32 | uint64
}

// near is how many bytes before a number another one is that a kernel adds within a vector.
const near = 16

// Sum adds to each number of an array those before it along an axis of a length. Inner is the
// product of the lengths of the axes behind it.
func Sum[T Number](numbers []T, length, inner int) {
	row := length * inner
	if length < 2 || inner == 0 {
		return
	}

	if inner*int(unsafe.Sizeof(T(0))) < near {
		sumGeneric(numbers, row, inner, sumNear(numbers, row, inner))
		return
	}
	for ; len(numbers) >= row; numbers = numbers[row:] {
		part := numbers[:row]
		sumGeneric(part, row, inner, sumFar(part, inner))
	}
}

// sumGeneric is the portable Sum of the numbers behind those that are done.
func sumGeneric[T Number](numbers []T, row, inner, done int) {
	for done < len(numbers) {
		begin := done / row * row
		part := numbers[begin : begin+row]
		from := max(done-begin, inner)
		done = begin + row
		if inner > 1 {
			before := part[from-inner:]
			for i := range part[from:] {
				part[from+i] += before[i]
			}
			continue
		}

		sum := part[from-1]
		for i, d := range part[from:] {
			sum += d
			part[from+i] = sum
		}
	}
}
