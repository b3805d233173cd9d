package ndarray

import "testing"

// BenchmarkValues reads records of 16 bytes: unchanged, with other byte orders, as plain bytes, and
// one field of them.
func BenchmarkValues(b *testing.B) {
	type record struct {
		A, B int32
		C    float64
	}
	const n = 1 << 20
	for _, c := range []struct{ name, dtype string }{
		{"direct", "[('A', '<i4'), ('B', '<i4'), ('C', '<f8')]"}, {"swapped", "[('A', '>i4'), ('B', '>i4'), ('C', '>f8')]"},
	} {
		u, err := NewUntyped(c.dtype, Shape{n}, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer u.Close()
		v, err := As[record](u)
		if err != nil {
			b.Fatal(err)
		}
		field, err := ViewAs[int32](u.Field("B"))
		if err != nil {
			b.Fatal(err)
		}
		dst, column, raw := make([]record, n), make([]int32, n), make([]byte, 16*n)
		for i := range dst {
			dst[i] = record{int32(i), int32(i / 7), float64(i % 1000)}
		}
		if err := v.Write(b.Context(), dst); err != nil {
			b.Fatal(err)
		}
		for name, read := range map[string]func() error{
			"bytes":  func() error { return u.ReadInto(b.Context(), raw) },
			"values": func() error { return v.ReadInto(b.Context(), dst) },
			"field":  func() error { return field.ReadInto(b.Context(), column) },
		} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.SetBytes(16 * n)
				b.ReportAllocs()
				for b.Loop() {
					if err := read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
