// Command pcodec exchanges random numbers in both forms of Pcodec with the library pcodec, in both
// directions: every type of numbers, mode, kind of differences and level, and pages of all sizes.
//
//	go run ./check/pcodec -python PYTHON -cases 2000 -seed 1
//
// PYTHON has pcodec and numpy. It prints its counts as JSON, and exits with 1 if there was a
// difference.
package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/pcodec"
)

//go:embed peer.py
var peerSource string

type counts struct {
	Seed            uint64
	Versions        string
	Arrays, Numbers int
	Pages           int // of wrapped chunks, in both directions
	Failed          int
	Failures        harness.Failures[string]
}

// exchange is an array in both forms, as the peer sends and gets it.
type exchange struct {
	Op         string   `json:"op"`
	Type       string   `json:"type"`
	What       string   `json:"what"`
	Numbers    []byte   `json:"numbers"`
	Standalone []byte   `json:"standalone"`
	Header     []byte   `json:"header"`
	Meta       []byte   `json:"meta"`
	Pages      [][]byte `json:"pages"`
	Sizes      []int    `json:"sizes"`
}

var types = map[string]pcodec.Type{
	"u1": pcodec.Uint8, "i1": pcodec.Int8, "u2": pcodec.Uint16, "i2": pcodec.Int16,
	"u4": pcodec.Uint32, "i4": pcodec.Int32, "u8": pcodec.Uint64, "i8": pcodec.Int64,
	"f2": pcodec.Float16, "f4": pcodec.Float32, "f8": pcodec.Float64,
}

func main() {
	python := flag.String("python", "python3", "`PROGRAM` with pcodec and numpy")
	cases := flag.Int("cases", 2000, "exchange `N` arrays")
	seed := flag.Uint64("seed", 0, "`SEED` of all choices; 0 takes one from the clock")
	one := flag.Int("case", -1, "run only case `K`")
	flag.Parse()

	c := counts{Seed: harness.Seed(*seed)}
	err := run(&c, *python, *cases, *one)
	harness.Exit(cmp.Or(err, harness.Report("pcodec", &c, c.Failed)))
}

func run(c *counts, python string, cases, one int) error {
	peer, versions, err := harness.Python(python, peerSource)
	if err != nil {
		return err
	}
	defer peer.Close()
	c.Versions = versions

	for k := range cases {
		if one >= 0 && k != one {
			continue
		}
		var theirs exchange
		if err := peer.Call(map[string]any{"op": "write", "seed": c.Seed, "case": k}, &theirs); err != nil {
			return fmt.Errorf("case %d: %w", k, err)
		}

		c.Arrays++
		c.Numbers += len(theirs.Numbers) / types[theirs.Type].Size()
		c.Pages += len(theirs.Pages)
		if err := decode(&theirs); err != nil {
			c.fail(k, &theirs, err)
		}

		ours := encode(&theirs, rand.New(rand.NewPCG(c.Seed, uint64(k))))
		c.Pages += len(ours.Pages)
		var answer struct{ Difference string }
		err := peer.Call(ours, &answer)
		if err == nil && answer.Difference != "" {
			err = fmt.Errorf("the library reads: %s", answer.Difference)
		}
		if err != nil {
			c.fail(k, &theirs, err)
		}
	}
	return nil
}

func (c *counts) fail(k int, e *exchange, err error) {
	c.Failed++
	c.Failures.Add(fmt.Sprintf("case %d, %s: %v", k, e.What, err))
}

// decode decodes both forms, the pages from the last to the first.
func decode(e *exchange) error {
	got := make([]byte, len(e.Numbers))
	var d pcodec.Decoder
	if err := d.Decode(got, e.Standalone); err != nil {
		return err
	}
	if !bytes.Equal(got, e.Numbers) {
		return fmt.Errorf("other numbers of the standalone form")
	}

	clear(got)
	var w pcodec.WrappedDecoder
	t := types[e.Type]
	if n, err := w.ReadHeader(append(bytes.Clone(e.Header), "more"...)); err != nil || n != len(e.Header) {
		return fmt.Errorf("%d of %d bytes of the header: %w", n, len(e.Header), err)
	}
	if n, err := w.ReadMeta(t, append(bytes.Clone(e.Meta), "more"...)); err != nil || n != len(e.Meta) {
		return fmt.Errorf("%d of %d bytes of the metadata: %w", n, len(e.Meta), err)
	}

	end := len(got)
	for i := len(e.Pages) - 1; i >= 0; i-- {
		begin := end - e.Sizes[i]*t.Size()
		n, err := w.ReadPage(got[begin:end], append(bytes.Clone(e.Pages[i]), "more"...))
		if err != nil || n != len(e.Pages[i]) {
			return fmt.Errorf("%d of %d bytes of page %d: %w", n, len(e.Pages[i]), i, err)
		}
		end = begin
	}
	if !bytes.Equal(got, e.Numbers) {
		return fmt.Errorf("other numbers of the wrapped form")
	}
	return nil
}

// encode encodes the numbers in both forms, at another level and in other pages.
func encode(e *exchange, rng *rand.Rand) *exchange {
	t := types[e.Type]
	enc := pcodec.NewEncoder(t, rng.IntN(13))
	out := &exchange{Op: "read", Type: e.Type, Numbers: e.Numbers, Header: pcodec.AppendHeader(nil),
		Standalone: enc.Append(nil, e.Numbers)}
	for left := len(e.Numbers) / t.Size(); left > 0; {
		n := min(left, 1+rng.IntN(1<<rng.IntN(13)))
		if len(out.Sizes) > 12 {
			n = left
		}
		out.Sizes = append(out.Sizes, n)
		left -= n
	}
	out.Meta, out.Pages = enc.Wrap(e.Numbers, out.Sizes)
	return out
}
