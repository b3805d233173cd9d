package deflate_test

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/deflate"
	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// FuzzDecode compares every tier with the library: both must accept the same streams, find the same
// end, and decode to the same bytes.
func FuzzDecode(f *testing.F) {
	for _, n := range []int{0, 1, 300, 3000} {
		for _, content := range samples(n) {
			for _, level := range libraryLevels {
				f.Add(uint32(n), libraryEncode(f, content, level))
			}
		}
	}
	for _, bits := range []string{
		"1 01 00000 00000 0000 000 000 100 000 0 1111111 0 1011011 00000000000000000000000000",
		"1 10 11000110 000000000000000000000000",
		"0 10 0000000 1 10 00110000 0000001 00000 0000000",
	} {
		f.Add(uint32(4), pack(bits))
	}
	d := new(deflate.Decoder)
	f.Fuzz(func(t *testing.T, n uint32, stream []byte) {
		n %= 1 << 18
		dst, check := guarded(t, int(n))
		used, err := d.Decode(dst, stream)
		check()
		restore := cpu.Limit(cpu.TierNone)
		plain := make([]byte, n)
		plainUsed, plainErr := d.Decode(plain, stream)
		restore()
		if plainErr != err || plainUsed != used || err == nil && !bytes.Equal(plain, dst) {
			t.Fatalf("plain Go: %v, this tier: %v", plainErr, err)
		}
		want, wantUsed, ok := libraryDecode(int(n), stream)
		if ok != (err == nil) {
			t.Fatalf("%v, the library accepts it: %v, with %d bytes", err, ok, len(want))
		}
		if ok && (!bytes.Equal(dst, want) || used != wantUsed) {
			t.Fatalf("the library decodes to other bytes, or uses %d instead of %d", wantUsed, used)
		}
	})
}
