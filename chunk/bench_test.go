package chunk

import (
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

func BenchmarkEncode2MiB(b *testing.B) {
	src := sample("patches", 2<<20, 4, 1)
	for _, row := range plainCodecs() {
		b.Run(row.Name, func(b *testing.B) {
			e, err := NewEncoder(&Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0)})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			var out []byte
			for b.Loop() {
				if out, err = e.Append(out[:0], src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode2MiB(b *testing.B) {
	src := sample("patches", 2<<20, 4, 1)
	for _, row := range plainCodecs() {
		b.Run(row.Name, func(b *testing.B) {
			c := encode(b, &Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0)}, src)
			d, dst := NewDecoder(nil), make([]byte, len(src))
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Decode(dst, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
