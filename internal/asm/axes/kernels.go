//go:build !purego && (amd64 || arm64)

package axes

import "unsafe"

// shuffles are the indices with which a vector of bytes is shuffled; those from 128 on make zeros.
type shuffles struct {
	carry [near]byte    // what is before the numbers of the next vector
	steps [4][near]byte // what is before numbers once, twice, four and eight times the distance
}

// long has the shuffles of rows of a vector or more, by the distance.
var long = func() (long [near]shuffles) {
	for distance := 1; distance < near; distance++ {
		long[distance].set(distance, near)
	}
	return long
}()

// shufflesOf returns the shuffles of rows of some bytes. Several short ones are in a vector.
func shufflesOf(distance, row int) *shuffles {
	if row >= near {
		return &long[distance]
	}
	s := new(shuffles)
	s.set(distance, row)
	return s
}

func (s *shuffles) set(distance, row int) {
	for i := range near {
		s.carry[i] = byte(near - distance + i%distance)
		for k := range s.steps {
			s.steps[k][i] = 128
			if i%row >= distance<<k {
				s.steps[k][i] = byte(i - distance<<k)
			}
		}
	}
}

// sumNear does Sum of the first numbers, and returns of how many.
func sumNear[T Number](numbers []T, row, inner int) int {
	if !vectors() {
		return 0
	}
	size := int(unsafe.Sizeof(T(0)))
	p := unsafe.Pointer(unsafe.SliceData(numbers))
	total := len(numbers) * size
	bytes := row * size
	s := shufflesOf(inner*size, bytes)
	if bytes < near {
		bytes *= near / bytes
	}

	done := 0
	if rows := (total - near) / bytes; rows > 0 {
		nearRows[T](p, rows, bytes, s)
		done = rows * bytes
	}
	if part := min(bytes, total-done)/near - 1; part > 0 {
		nearRows[T](unsafe.Add(p, done), 1, part*near, s)
		done += part * near
	}
	return done / size
}

// sumFar does Sum of the first numbers of a row, at least inner, and returns of how many.
func sumFar[T Number](row []T, inner int) int {
	if !vectors() {
		return 0
	}
	size := int(unsafe.Sizeof(T(0)))
	p := unsafe.Pointer(unsafe.SliceData(row))
	distance := inner * size
	if distance < 2*vector {
		twoVectors[T](p, distance, len(row)/inner-1)
		return len(row)
	}

	whole := (len(row) - inner) * size / vector
	if whole > 0 {
		farVectors[T](p, distance, whole)
	}
	return inner + whole*vector/size
}
