package main

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/shuffle"
)

const blockSize = 128 << 10

// codecsAlone compares the codecs with those in the C library, on shuffled blocks. BloscLZ is
// missing because C-Blosc2 does not export its own.
func (s *contest) codecsAlone() error {
	p := sweep{part: shuffleBlocks, filters: []string{"none"}, threads: []int{1}, chunkSize: blockSize}
	p.codecs = slices.DeleteFunc(slices.Clone(s.codecs), func(codec string) bool { return codec == "blosclz" })
	return s.each(p, s.codecAlone)
}

func (s *contest) codecAlone(set *data.Set, j job) error {
	ours, err := newCodecSide(j, set.Bytes)
	if err != nil {
		return err
	}
	measures := []*result.Measure{j.measure("codecs", "encode", set), j.measure("codecs", "decode", set)}
	for _, m := range measures {
		m.Filter = ""
	}
	return s.compete(s.rounds, measures,
		contender{result.C, func(reps int) (answer, error) { return s.c.command("codec", j.codec.ID(), j.level, blockSize, reps) }},
		both(result.Cairn, ours, set.Bytes, j))
}

// shuffleBlocks returns the data as codecs get it: the planes of each block one after the other.
func shuffleBlocks(set *data.Set) (*data.Set, error) {
	var chain filterchain.Chain
	if err := chain.Set(shuffle.Pipeline{5: shuffle.Byte}, nil); err != nil {
		return nil, err
	}
	var scratch filterchain.Scratch
	out := *set
	out.Bytes = nil
	for block := range slices.Chunk(set.Bytes, blockSize) {
		b, _, err := chain.Forward(&scratch, block, 1, &shuffle.Context{TypeSize: set.TypeSize})
		if err != nil {
			return nil, err
		}
		out.Bytes = append(out.Bytes, b...)
	}
	return &out, nil
}

// codecSide encodes block by block, with room for blocks that grow.
type codecSide struct {
	enc  codecs.Encoder
	dec  codecs.Decoder
	out  [][]byte
	lens []int
}

func newCodecSide(j job, data []byte) (*codecSide, error) {
	var registry *codecs.Registry
	row, err := registry.Lookup(j.codec.ID())
	if err != nil {
		return nil, err
	}
	s := &codecSide{}
	p := codecs.Params{Level: j.level, TypeSize: j.typeSize}
	if s.enc, err = row.NewEncoder(p); err != nil {
		return nil, err
	}
	if s.dec, err = row.NewDecoder(p); err != nil {
		return nil, err
	}
	for range slices.Chunk(data, blockSize) {
		// the same room as the C side's
		s.out = append(s.out, make([]byte, blockSize+blockSize/8+1024))
	}
	s.lens = make([]int, len(s.out))
	return s, nil
}

func (s *codecSide) compress(i int, src []byte) (int64, error) {
	n, err := s.enc.Encode(s.out[i], src)
	if err == nil && n == 0 {
		err = fmt.Errorf("block %d does not fit", i)
	}
	s.lens[i] = n
	return int64(n), err
}

func (s *codecSide) decompress(i int, dst []byte) error {
	return s.dec.Decode(dst, s.out[i][:s.lens[i]])
}
