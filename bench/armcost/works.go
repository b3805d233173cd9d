package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// dataSize is the size in bytes of what the works process.
const dataSize = 64 << 10

// The data: a field of 32-bit numbers rounded to two decimals, and counts of 16 bits.
const (
	field  = "field"
	counts = "counts"
)

func writeData(dir string) error {
	r := rand.New(rand.NewPCG(15, 1))
	var f, c []byte
	for i := range dataSize / 4 {
		x, y := float64(i%128), float64(i/128)
		v := 280 + 12*math.Sin(x/19)*math.Cos(y/31) + r.NormFloat64()/8
		f = binary.LittleEndian.AppendUint32(f, math.Float32bits(float32(math.Round(v*100)/100)))
	}
	for range dataSize / 2 {
		c = binary.LittleEndian.AppendUint16(c, uint16(40+6*math.Abs(r.NormFloat64())))
	}
	if err := os.WriteFile(filepath.Join(dir, field), f, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, counts), c, 0o600)
}

// filters returns the kernels that move, compare or sum the bytes of a block.
func filters() []work {
	var out []work
	both := func(name, what string, size int) {
		out = append(out, work{name, "forth", what, size, field, false})
		out = append(out, work{name + ", back", "back", what, size, field, false})
	}
	for _, size := range []int{2, 3, 4, 8, 12, 16, 24} {
		both(fmt.Sprintf("shuffle, items of %d bytes", size), "shuffle", size)
	}
	both("bitshuffle, single bytes", "bitshuffle", 1)
	for _, size := range []int{2, 4, 8} {
		both(fmt.Sprintf("bitshuffle, items of %d bytes", size), "bitshuffle", size)
	}
	both("delta, items of 4 bytes", "delta", 4)
	both("bytedelta, 4 planes", "bytedelta", 4)
	return append(out,
		work{"truncated precision, float32", "forth", "truncprec", 4, field, false},
		work{"Adler-32", "forth", "adler32", 1, field, false},
		work{"CRC-32C", "forth", "crc32c", 1, field, true})
}

// codecs returns the codecs at level 5, each with a shuffle before.
func codecs() []work {
	var out []work
	for _, codec := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
		for _, d := range []struct {
			name string
			size int
		}{{field, 4}, {counts, 2}} {
			for _, verb := range []string{"encode", "decode"} {
				name := fmt.Sprintf("%s, %s, %s", codec, verb, d.name)
				out = append(out, work{name, verb, codec, d.size, d.name, false})
			}
		}
	}
	return out
}
