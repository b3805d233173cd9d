package data

import (
	"encoding/binary"
	"math/rand/v2"
)

func counter(_ *rand.Rand, size int) *Set {
	return fill("<i8", []int{size / 8}, func(i int, b []byte) { binary.LittleEndian.PutUint64(b, uint64(i)) })
}

func walk(rng *rand.Rand, size int) *Set {
	level := 0.0
	return fill("<f8", []int{size / 8}, func(i int, b []byte) {
		level += normal(rng)
		putF8(b, level)
	})
}

// smooth is two waves, with noise in the last digits, in rows of 1024.
func smooth(rng *rand.Rand, size int) *Set {
	return fill("<f4", []int{size / 4}, func(i int, b []byte) {
		x := float64(i % 1024)
		y := float64(i / 1024)
		noise := normal(rng) / 200
		putF4(b, 280+float64(10*sine(x/609)*sine(y/949))+noise)
	})
}

func photons(rng *rand.Rand, size int) *Set {
	return fill("<u2", []int{size / 2}, func(i int, b []byte) {
		n := 0
		p := rng.Float64()
		for limit := 0.22313016014842982; p > limit; n++ { // exp(-1.5)
			p *= rng.Float64()
		}
		binary.LittleEndian.PutUint16(b, uint16(n))
	})
}

func sparse(rng *rand.Rand, size int) *Set {
	return fill("<f8", []int{size / 8}, func(i int, b []byte) {
		if rng.IntN(100) == 0 {
			putF8(b, normal(rng))
		}
	})
}
