package chunk_test

import (
	"encoding/binary"
	"fmt"
	"log"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
)

func ramp(n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
	}
	return b
}

func ExampleEncoder_Append() {
	enc, err := chunk.NewEncoder(&chunk.Options{TypeSize: 4, Codec: codecs.LZ4})
	if err != nil {
		log.Fatal(err)
	}
	data := ramp(100_000)
	c, err := enc.Append(nil, data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(data), "bytes become less than a tenth:", len(c) < len(data)/10)
	// Output: 400000 bytes become less than a tenth: true
}

func ExampleDecoder_DecodeItems() {
	enc, err := chunk.NewEncoder(&chunk.Options{TypeSize: 4})
	if err != nil {
		log.Fatal(err)
	}
	c, err := enc.Append(nil, ramp(100_000))
	if err != nil {
		log.Fatal(err)
	}
	part := make([]byte, 2*4)
	if _, err := chunk.NewDecoder(nil).DecodeItems(part, c, 70_000, 70_002); err != nil {
		log.Fatal(err)
	}
	fmt.Println(binary.LittleEndian.Uint32(part), binary.LittleEndian.Uint32(part[4:]))
	// Output: 70000 70001
}

func ExampleDecoder_Decode() {
	enc, err := chunk.NewEncoder(nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := enc.Append(nil, []byte("a chunk stands for itself: all that decoding needs is in it"))
	if err != nil {
		log.Fatal(err)
	}
	h, err := chunk.ParseHeader(c)
	if err != nil {
		log.Fatal(err)
	}
	data := make([]byte, h.NBytes)
	if _, err := chunk.NewDecoder(nil).Decode(data, c); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", data)
	// Output: a chunk stands for itself: all that decoding needs is in it
}

func ExampleParseHeader() {
	c, err := chunk.AppendSpecial(nil, chunk.SpecialValue, []byte{0x2a, 0}, 1000, 2, 0)
	if err != nil {
		log.Fatal(err)
	}
	h, err := chunk.ParseHeader(c)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Special(), h.NBytes, "bytes in", h.CBytes)
	// Output: value 1000 bytes in 34
}
