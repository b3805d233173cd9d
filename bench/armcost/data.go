package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// dataSize is the bytes of what is encoded.
const dataSize = 64 << 10

// sets are the arrays: a field rounded to two decimals, counts, a random walk of all digits, and a
// picture with noise.
var sets = []struct{ name, dtype string }{{"field", "f4"}, {"counts", "u2"}, {"walk", "f8"}, {"picture", "u1"}}

func writeData(dir string) error {
	r := rand.New(rand.NewPCG(15, 1))
	var field, counts, walk, picture []byte
	for i := range dataSize / 4 {
		x, y := float64(i%128), float64(i/128)
		v := 280 + 12*math.Sin(x/19)*math.Cos(y/31) + r.NormFloat64()/8
		field = binary.LittleEndian.AppendUint32(field, math.Float32bits(float32(math.Round(v*100)/100)))
	}
	for range dataSize / 2 {
		counts = binary.LittleEndian.AppendUint16(counts, uint16(40+6*math.Abs(r.NormFloat64())))
	}
	at := 1000.0
	for range dataSize / 8 {
		at += r.NormFloat64()
		walk = binary.LittleEndian.AppendUint64(walk, math.Float64bits(at))
	}
	for i := range dataSize {
		x, y := float64(i%256), float64(i/256)
		picture = append(picture, uint8(128+90*math.Sin(x/40)*math.Cos(y/23)+4*r.NormFloat64()))
	}

	for name, b := range map[string][]byte{"field": field, "counts": counts, "walk": walk, "picture": picture} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}
