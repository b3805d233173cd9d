package zstd_test

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn/codecs/internal/zstd"
)

// One encoder and one decoder serve any number of streams, one after the other.
func Example() {
	src := bytes.Repeat([]byte("to and fro "), 1000)
	dst := make([]byte, len(src))
	n := zstd.NewEncoder(5).Encode(dst, src)
	if n == 0 {
		fmt.Println("does not compress")
		return
	}
	d, err := zstd.NewDecoder(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	back := make([]byte, len(src))
	if err := d.Decode(back, dst[:n]); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n < 100, bytes.Equal(back, src))
	// Output: true true
}

// The length of the content must be known: Blosc2 stores it in the header of a chunk.
func ExampleDecoder_Decode() {
	d, err := zstd.NewDecoder(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	frame := []byte("\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello")
	fmt.Println(d.Decode(make([]byte, 6), frame))
	// Output: corrupt codec stream: zstd stream decodes to 5 bytes, want 6
}

// An encoder gives up if the result does not fit: then it is better to store the bytes
// uncompressed.
func ExampleEncoder_Encode() {
	src := []byte("no two alike")
	fmt.Println(zstd.NewEncoder(1).Encode(make([]byte, len(src)), src))
	// Output: 0
}

func ExampleNewEncoder() {
	src := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 1000)
	for _, level := range []int{1, 9} {
		fmt.Println(zstd.NewEncoder(level).Encode(make([]byte, 100), src) > 0)
	}
	// Output:
	// true
	// true
}

func ExampleNewDecoder() {
	_, err := zstd.NewDecoder([]byte("\x37\xa4\x30\xec and nothing else"))
	fmt.Println(err)
	// Output: corrupt zstd dictionary: stream ends early
}
