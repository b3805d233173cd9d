package zfp_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cairn-go/cairn/codecs/internal/zfp"
)

// A block of 8 × 8 numbers, each of which may be off by a thousandth.
func Example() {
	exponent := -3
	c, err := zfp.New(zfp.Accuracy, uint8(exponent), []int32{8, 8}, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	block := make([]byte, 8*8*4)
	for i := range 64 {
		binary.LittleEndian.PutUint32(block[4*i:], math.Float32bits(float32(math.Sin(float64(i)/20))))
	}
	stream := make([]byte, len(block))
	stream = stream[:c.Encode(stream, block)]
	back := make([]byte, len(block))
	if err := c.Decode(back, stream); err != nil {
		fmt.Println(err)
		return
	}
	worst := 0.0
	for i := range 64 {
		a := math.Float32frombits(binary.LittleEndian.Uint32(block[4*i:]))
		b := math.Float32frombits(binary.LittleEndian.Uint32(back[4*i:]))
		worst = max(worst, math.Abs(float64(a)-float64(b)))
	}
	fmt.Println(len(block), "bytes became", len(stream), "and the bound holds:", worst <= 1e-3)
	// Output: 256 bytes became 80 and the bound holds: true
}
