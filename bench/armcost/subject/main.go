// Command subject does one piece of work of cairn's several times, for the command armcost to look
// at its instructions. driver/subject.c does the same with C-Blosc2.
//
//	subject encode|decode CODEC TYPESIZE FILE CHUNK TIMES   a block with the shuffle
//	subject forth|back FILTER TYPESIZE FILE - TIMES         a filter or checksum of a block
package main

import (
	"errors"
	"fmt"
	"hash/adler32"
	"os"
	"strconv"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	asmadler "github.com/cairn-go/cairn/internal/asm/adler32"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/shuffle"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 6 {
		return errors.New("six arguments are needed")
	}
	size, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	times, err := strconv.Atoi(args[5])
	if err != nil {
		return err
	}
	data, err := os.ReadFile(args[3])
	if err != nil {
		return err
	}
	var work func() error
	switch args[0] {
	case "encode":
		work, err = encode(args[1], size, data)
	case "decode":
		work, err = decode(args[4], data)
	case "forth", "back":
		work, err = filter(args[1], args[0] == "forth", size, data)
	default:
		err = fmt.Errorf("no work %q", args[0])
	}
	for ; times > 0 && err == nil; times-- {
		err = work()
	}
	return err
}

func encode(codec string, size int, data []byte) (func() error, error) {
	c, err := codecs.ParseCodec(codec, nil)
	if err != nil {
		return nil, err
	}
	e, err := chunk.NewEncoder(&chunk.Options{TypeSize: size, Codec: c, BlockSize: len(data)})
	if err != nil {
		return nil, err
	}
	var out []byte
	return func() error {
		out, err = e.Append(out[:0], data)
		return err
	}, nil
}

func decode(path string, data []byte) (func() error, error) {
	encoded, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := chunk.NewDecoder(nil)
	out := make([]byte, len(data))
	return func() error {
		_, err := d.Decode(out, encoded)
		return err
	}, nil
}

func filter(name string, forth bool, size int, data []byte) (func() error, error) {
	var spec shuffle.Spec
	switch name {
	case "adler32":
		return func() error {
			if _, _, n := asmadler.Update(1, 0, data); n == 0 {
				adler32.Checksum(data)
			}
			return nil
		}, nil
	case "crc32c":
		return func() error { crc32c.Update(0, data); return nil }, nil
	case "bytedelta":
		spec = shuffle.ByteDelta(uint8(size))
	case "truncprec":
		spec = shuffle.TruncPrec(8)
	default:
		var err error
		if spec, err = shuffle.ParseSpec(name); err != nil {
			return nil, err
		}
	}
	var chain filterchain.Chain
	if err := chain.Set(shuffle.Pipeline{5: spec}, nil); err != nil {
		return nil, err
	}
	var scratch filterchain.Scratch
	ctx := &shuffle.Context{TypeSize: size}
	if forth {
		return func() error {
			_, _, err := chain.Forward(&scratch, data, 1, ctx)
			return err
		}, nil
	}
	out := make([]byte, len(data))
	return func() error {
		in, pitch := chain.Input(&scratch, out, 1)
		return chain.Backward(out, &scratch, in, pitch, 1, ctx)
	}, nil
}
