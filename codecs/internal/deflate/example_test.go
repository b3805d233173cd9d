package deflate_test

import (
	"fmt"

	"github.com/cairn-go/cairn/codecs/internal/deflate"
)

func ExampleDecoder() {
	// "abcdef" three times
	stream := []byte{0x4b, 0x4c, 0x4a, 0x4e, 0x49, 0x4d, 0x4b, 0x44, 0x22, 0x01}
	dst := make([]byte, 18)
	used, err := new(deflate.Decoder).Decode(dst, stream)
	fmt.Println(used, err, string(dst))
	// Output: 10 <nil> abcdefabcdefabcdef
}

func ExampleAdler32() {
	fmt.Printf("%08x\n", deflate.Adler32([]byte("Wikipedia")))
	// Output: 11e60398
}

func ExampleEncoder() {
	src := make([]byte, 100000)
	dst := make([]byte, len(src))
	n := deflate.NewEncoder(5).Encode(dst, src)
	used, err := new(deflate.Decoder).Decode(src, dst[:n])
	fmt.Println(n < 200, used == n, err)
	// Output: true true <nil>
}
