// Command subject does one piece of work of the codec numeric or of Pcodec several times, for the
// command armcost to look at its instructions.
//
//	subject numeric|pcodec encode|decode DTYPE FILE TIMES
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cairn-go/cairn/internal/numeric"
	"github.com/cairn-go/cairn/internal/pcodec"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 5 {
		return errors.New("five arguments are needed")
	}
	data, err := os.ReadFile(args[3])
	if err != nil {
		return err
	}
	times, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}

	c, err := codecOf(args[0], args[2], len(data))
	if err != nil {
		return err
	}
	stream := c.encode(nil, data)
	work := func() error { return c.decode(data, stream) }
	if args[1] == "encode" {
		work = func() error { stream = c.encode(stream[:0], data); return nil }
	}
	for ; times > 0; times-- {
		if err := work(); err != nil {
			return err
		}
	}
	return nil
}

// A codec is one of the two for items of a type.
type codec struct {
	encode func(dst, src []byte) []byte
	decode func(dst, src []byte) error
}

var types = map[string]pcodec.Type{"u1": pcodec.Uint8, "u2": pcodec.Uint16, "f4": pcodec.Float32, "f8": pcodec.Float64}

// codecOf returns a codec for blocks of so many bytes.
func codecOf(name, dtype string, size int) (c codec, err error) {
	t, ok := types[dtype]
	switch {
	case !ok:
		return c, fmt.Errorf("no type %s", dtype)
	case name == "pcodec":
		d := &pcodec.Decoder{}
		return codec{pcodec.NewEncoder(t, 8).Append, d.Decode}, nil
	}

	e := numeric.NewEncoder(t.Size(), []int32{int32(size / t.Size())}, 5)
	d := &numeric.Decoder{}
	return codec{func(dst, src []byte) []byte { return e.Append(dst, src, nil) }, d.Decode}, nil
}
