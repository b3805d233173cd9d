// The command pcodec is the Go side of compare.py: it encodes and decodes with package
// internal/pcodec what it is told, a command a line, and answers with nanoseconds.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// level is that of both sides.
const level = pcodec.DefaultLevel

// types has the types of numbers under the names of NumPy.
var types = map[string]pcodec.Type{
	"u1": pcodec.Uint8, "i1": pcodec.Int8, "u2": pcodec.Uint16, "i2": pcodec.Int16, "u4": pcodec.Uint32,
	"i4": pcodec.Int32, "u8": pcodec.Uint64, "i8": pcodec.Int64, "f2": pcodec.Float16, "f4": pcodec.Float32,
	"f8": pcodec.Float64,
}

// side is what the commands work on.
type side struct {
	numbers []byte
	stream  []byte // of the other side
	encoded []byte
	decoded []byte
	encoder *pcodec.Encoder
	decoder pcodec.Decoder
}

func main() {
	var s side
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		answer, err := s.do(strings.Fields(in.Text()))
		if err != nil {
			log.Fatalf("%s: %v", in.Text(), err)
		}
		fmt.Println(answer)
	}
}

// do does a command: "load TYPE PATH PATH", of numbers and a stream with them, "encode", "decode",
// or "save PATH", of what was encoded last.
func (s *side) do(words []string) (string, error) {
	switch words[0] {
	case "load":
		return "loaded", s.load(types[words[1]], words[2], words[3])

	case "encode":
		begin := time.Now()
		s.encoded = s.encoder.Append(s.encoded[:0], s.numbers)
		return fmt.Sprint(time.Since(begin).Nanoseconds(), len(s.encoded)), nil

	case "decode":
		begin := time.Now()
		err := s.decoder.Decode(s.decoded, s.stream)
		return fmt.Sprint(time.Since(begin).Nanoseconds()), err

	case "save":
		return "saved", os.WriteFile(words[1], s.encoded, 0o600)
	}
	return "", fmt.Errorf("unknown command")
}

// load reads numbers and a stream, and checks that both decode to each other.
func (s *side) load(t pcodec.Type, numbers, stream string) error {
	var err error
	if s.numbers, err = os.ReadFile(numbers); err != nil {
		return err
	}
	if s.stream, err = os.ReadFile(stream); err != nil {
		return err
	}

	s.encoder = pcodec.NewEncoder(t, level)
	s.decoded = make([]byte, len(s.numbers))
	s.encoded = s.encoder.Append(s.encoded[:0], s.numbers)
	for _, from := range [][]byte{s.stream, s.encoded} {
		clear(s.decoded)
		if err := s.decoder.Decode(s.decoded, from); err != nil {
			return err
		}
		if !bytes.Equal(s.decoded, s.numbers) {
			return fmt.Errorf("other numbers")
		}
	}
	return nil
}
