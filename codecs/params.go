package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
)

// layer is the Layer of this package's errors.
const layer = "codec stream"

// checkLevel returns an error if the level is not from 0 to 9.
func checkLevel(level int) error {
	if level < 0 || level > 9 {
		return fmt.Errorf("codecs: level %d is not in 0–9", level)
	}
	return nil
}

// noDict returns an error matching cairn.ErrUnsupported if p has a dictionary.
func noDict(name, what string, p Params) error {
	if p.Dict != nil {
		return fmt.Errorf("%s: %s with a dictionary: %w", name, what, cairn.ErrUnsupported)
	}
	return nil
}

// plainEncoder returns a constructor that checks the level and refuses dictionaries.
func plainEncoder(name string, of func(p Params) (Encoder, error)) func(p Params) (Encoder, error) {
	return func(p Params) (Encoder, error) {
		if err := checkLevel(p.Level); err != nil {
			return nil, err
		}
		if err := noDict(name, "encoding", p); err != nil {
			return nil, err
		}
		return of(p)
	}
}

// plainDecoder returns a constructor that refuses dictionaries.
func plainDecoder(name string, of func(p Params) (Decoder, error)) func(p Params) (Decoder, error) {
	return func(p Params) (Decoder, error) {
		if err := noDict(name, "decoding", p); err != nil {
			return nil, err
		}
		return of(p)
	}
}

// streams is an [Encoder] that never fails.
type streams struct {
	e interface{ Encode(dst, src []byte) int }
}

// Encode implements [Encoder].
func (s streams) Encode(dst, src []byte) (int, error) { return s.e.Encode(dst, src), nil }

// scratchFor returns a buffer of n bytes, reusing *scratch if it is large enough. Libraries that
// need room for the worst case write to it if the caller's buffer is smaller.
func scratchFor(scratch *[]byte, n int) []byte {
	if cap(*scratch) < n {
		*scratch = make([]byte, n)
	}
	return (*scratch)[:n]
}

// copyIfFits copies out to dst and returns its length, or returns 0 if dst is too small.
func copyIfFits(dst, out []byte) int {
	if len(out) > len(dst) {
		return 0
	}
	return copy(dst, out)
}

// wrongLength returns the error for a stream that decodes to got bytes instead of want.
func wrongLength(name string, got, want int) error {
	return cairn.Corruptf(layer, -1, "%s stream decodes to %d bytes, want %d", name, got, want)
}

// broken returns the error for an invalid stream. cause is the codec's reason or nil.
func broken(name string, cause error) error {
	e := cairn.Corruptf(layer, -1, "not a %s stream of this length", name)
	e.Err = cause
	return e
}
