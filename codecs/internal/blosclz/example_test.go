package blosclz_test

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn/codecs/internal/blosclz"
)

func ExampleEncoder() {
	src := bytes.Repeat([]byte("cairn "), 100)
	enc := blosclz.NewEncoder(9)
	dst := make([]byte, len(src)) // not enough for streams longer than their source
	n := enc.Encode(dst, src)
	fmt.Println(len(src), "bytes in", n)
	// Output: 600 bytes in 15
}

func ExampleDecode() {
	// six literals, a match of 264 bytes, six literals
	stream := []byte("\x25cairn \xe0\xff\x00\x05\x05cairn ")
	dst := make([]byte, 6+264+6)
	if err := blosclz.Decode(dst, stream); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Count(dst, []byte("cairn ")))
	fmt.Println(blosclz.Decode(dst[:100], stream))
	// Output:
	// 46
	// corrupt codec stream: blosclz: match does not fit at byte 7 of the stream
}
