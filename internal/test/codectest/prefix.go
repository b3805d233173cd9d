package codectest

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// prefix decodes prefixes and ranges of streams if the codec supports it. Those of valid streams
// must be correct, and those of damaged ones must not write outside of their output.
func prefix(t *testing.T, row codecs.Row) {
	p := newPair(t, row, 5)
	dec, ok := p.dec.(codecs.RangeDecoder)
	if !ok {
		return
	}

	for _, kind := range Kinds() {
		for _, n := range []int{50, 3000, 70_000, 300_000} {
			src := kind.Make(n)
			stream := p.encode(t, src, ample(n))
			if stream == nil {
				continue
			}

			for want := 0; want <= n; want += 1 + n/200 {
				dst := newGuarded(want)
				if err := dec.DecodeRange(dst.bytes(), stream, 0, len(dst.bytes())); err != nil ||
					!bytes.Equal(dst.bytes(), src[:want]) {
					t.Fatalf("%s: the first %d of %d bytes of %s: %v, or other bytes", row.Name, want, n, kind.Name, err)
				}
				dst.check(t, "decoding a prefix")
			}

			for lo := 0; lo < n; lo += 1 + n/50 {
				for hi := lo + 1; hi <= n; hi += 1 + (n-lo)/5 {
					dst := newGuarded(n)
					if err := dec.DecodeRange(dst.bytes(), stream, lo, hi); err != nil ||
						!bytes.Equal(dst.bytes()[lo:hi], src[lo:hi]) {
						t.Fatalf("%s: bytes %d to %d of %d of %s: %v, or others", row.Name, lo, hi, n, kind.Name, err)
					}
					dst.check(t, "decoding a range")
				}
			}

			if dec.DecodeRange(make([]byte, n+1), stream, 0, n+1) == nil {
				t.Errorf("%s: %d bytes of %s have a prefix of one more", row.Name, n, kind.Name)
			}

			for at := 0; at < len(stream); at += 1 + len(stream)/100 {
				bad := append([]byte(nil), stream...)
				bad[at] ^= byte(1 + at)
				dst := newGuarded(n / 2)
				if err := dec.DecodeRange(dst.bytes(), bad, 0, len(dst.bytes())); err != nil && err.Error() == "" {
					t.Fatalf("%s: an error without a text", row.Name)
				}
				dst.check(t, "decoding a prefix of a damaged stream")
				dst = newGuarded(n)
				_ = dec.DecodeRange(dst.bytes(), bad, n/3, n/2)
				dst.check(t, "decoding a range of a damaged stream")
			}
		}
	}
}
