package codecs_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
)

// Encoders and decoders can be reused for any number of streams. A decoder needs the decoded
// length.
func Example() {
	codec, err := codecs.ParseCodec("lz4", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var registry *codecs.Registry // nil: the built-in codecs
	row, err := registry.Lookup(codec.ID())
	if err != nil {
		fmt.Println(err)
		return
	}
	enc, err := row.NewEncoder(codecs.Params{Level: 9, TypeSize: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	dec, err := row.NewDecoder(codecs.Params{TypeSize: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	src := bytes.Repeat([]byte("cairn "), 100)
	dst := make([]byte, len(src))
	n, err := enc.Encode(dst, src)
	fmt.Println(len(src), "bytes in", n, err)
	back := make([]byte, len(src))
	fmt.Println(dec.Decode(back, dst[:n]), bytes.Equal(back, src))
	// Output:
	// 600 bytes in 18 <nil>
	// <nil> true
}

func ExampleRows() {
	for _, row := range codecs.Rows() {
		fmt.Println(row.ID, row.WireCode, row.Name)
	}
	// Output:
	// 0 0 blosclz
	// 1 1 lz4
	// 2 1 lz4hc
	// 3 2 snappy
	// 4 3 zlib
	// 5 4 zstd
	// 32 6 ndlz
	// 33 6 zfp_acc
	// 34 6 zfp_prec
	// 35 6 zfp_rate
	// 171 6 numeric
}

func ExampleParseCodec() {
	codec, err := codecs.ParseCodec("zfp_acc:-3", nil)
	fmt.Println(codec, codec == codecs.ZFPAccuracy(-3), err)
	_, err = codecs.ParseCodec("grok", nil)
	fmt.Println(err)
	// Output:
	// zfp_acc:-3 true <nil>
	// codec 37 (grok): unsupported
}

func ExampleCodec_String() {
	fmt.Println(codecs.LZ4HC, codecs.Default, codecs.NDLZ(4), codecs.Codec(200))
	// Output: lz4hc zstd ndlz:4 codec 200
}

func ExampleRegistry_Add() {
	var registry codecs.Registry
	err := registry.Add(codecs.Row{
		ID: 200, Name: "reversal",
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return reversal{}, nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return reversal{}, nil },
	})
	fmt.Println(err)
	row, err := registry.Lookup(200)
	fmt.Println(row.Name, err)
	_, err = registry.Lookup(201)
	fmt.Println(err, errors.Is(err, cairn.ErrUnsupported))
	// Output:
	// <nil>
	// reversal <nil>
	// unsupported codec 201: a user's codec that is not in the codecs.Registry of the options true
}
