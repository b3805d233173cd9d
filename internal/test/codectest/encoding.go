package codectest

import (
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// roundTrip encodes every kind of data in every size at every level, but large sizes at three
// levels only.
func roundTrip(t *testing.T, row codecs.Row) {
	for level := range Levels {
		limit := 2048
		if testing.Short() {
			limit = 512
		}
		if level == 5 || !testing.Short() && (level == 1 || level == 9) {
			limit = 32768
		}

		p := newPair(t, row, level)
		for _, kind := range Kinds() {
			for _, n := range Sizes(limit) {
				src := kind.Make(n)
				if stream := p.encode(t, src, ample(n)); stream != nil {
					p.mustDecode(t, stream, src, kind.Name)
				}
			}
		}
	}

	p := newPair(t, row, 5)
	for _, kind := range Kinds() {
		src := kind.Make(300_001)
		if stream := p.encode(t, src, ample(len(src))); stream != nil {
			p.mustDecode(t, stream, src, kind.Name)
		}
	}
}

// room encodes into buffers of every size that is too small, and into some larger ones. All output
// must decode.
func room(t *testing.T, row codecs.Row) {
	for _, level := range []int{1, 5, 9} {
		p := newPair(t, row, level)
		for _, kind := range Kinds() {
			for _, n := range []int{16, 100, 5000} {
				if testing.Short() && level != 5 && n != 100 {
					continue
				}

				src := kind.Make(n)
				full := len(p.encode(t, src, ample(n)))
				step := 1 + full/40
				for r := 0; r <= full+70; r += step {
					if r > full-20 {
						step = 1
					}
					if stream := p.encode(t, src, r); stream != nil {
						p.mustDecode(t, stream, src, kind.Name)
					}
				}
			}
		}

		// Compressible data must fit into its own length: otherwise a codec that always gives up
		// would pass.
		for _, kind := range Kinds()[:2] {
			if src := kind.Make(8192); p.encode(t, src, len(src)) == nil && level > 0 {
				t.Errorf("%s level %d: 8192 bytes of %s do not fit into as many", row.Name, level, kind.Name)
			}
		}
	}
}

// reuse compares the output of a used encoder with that of a new one.
func reuse(t *testing.T, row codecs.Row) {
	for _, level := range []int{1, 3, 5, 9} {
		used := newPair(t, row, level)
		for _, kind := range Kinds()[1:6] {
			src := kind.Make(6000)
			used.encode(t, kind.Make(7000), 8000)
			used.encode(t, src, 40)
			want := newPair(t, row, level).encode(t, src, ample(len(src)))
			got := used.encode(t, src, ample(len(src)))
			if string(got) != string(want) {
				t.Errorf("%s level %d: a used encoder makes %d bytes of %s, a fresh one %d, and not the same", row.Name, level, len(got), kind.Name, len(want))
			}
		}
	}
}
