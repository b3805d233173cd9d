package main

import (
	"errors"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// The codec and the filter that both sides register; peer.py has the same.
const (
	userCodecID  = 200
	userFilterID = 201
)

// userCodec encodes runs: pairs of a length and a byte, to which its parameter is added.
type userCodec struct{ parameter uint8 }

func (c userCodec) Encode(dst, src []byte) (int, error) {
	at := 0
	for i := 0; i < len(src); {
		n := 1
		for i+n < len(src) && n < 255 && src[i+n] == src[i] {
			n++
		}
		if at+2 > len(dst) {
			return 0, nil
		}
		dst[at] = byte(n)
		dst[at+1] = src[i] + c.parameter
		at = at + 2
		i = i + n
	}
	return at, nil
}

func (c userCodec) Decode(dst, src []byte) error {
	for ; len(src) >= 2 && len(dst) >= int(src[0]); src = src[2:] {
		run := dst[:src[0]]
		for i := range run {
			run[i] = src[1] - c.parameter
		}
		dst = dst[len(run):]
	}
	if len(src) > 0 || len(dst) > 0 {
		return errors.New("no runs")
	}
	return nil
}

// users returns registries with the codec and the filter.
func users() (*codecs.Registry, *shuffle.Registry) {
	reg := new(codecs.Registry)
	set := new(shuffle.Registry)
	turn := func(dst, src []byte, meta uint8, _ *shuffle.Context) error {
		for i, b := range src {
			dst[i] = b ^ meta
		}
		return nil
	}
	err := errors.Join(reg.Add(codecs.Row{
		ID: userCodecID, Name: "runs",
		NewEncoder: func(p codecs.Params) (codecs.Encoder, error) { return userCodec{p.Meta}, nil },
		NewDecoder: func(p codecs.Params) (codecs.Decoder, error) { return userCodec{p.Meta}, nil },
	}), set.Add(shuffle.Row{ID: userFilterID, Name: "turn", Forward: turn, Backward: turn}))
	if err != nil {
		panic(err) // the rows are constant
	}
	return reg, set
}
