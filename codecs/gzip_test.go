package codecs

import (
	"bytes"
	"compress/gzip"
	"testing"
)

func gzipped(t testing.TB, header gzip.Header, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		w := gzip.NewWriter(&b)
		w.Header = header
		if _, err := w.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	d := NewGzipDecoder()
	for _, h := range []gzip.Header{{}, {Name: "a.txt", Comment: "of no use", Extra: []byte("extra")}} {
		for _, parts := range [][]string{{"some text, some text"}, {""}, {"two ", "members"}} {
			b := gzipped(t, h, parts...)
			want := bytes.Join(func() (all [][]byte) {
				for _, p := range parts {
					all = append(all, []byte(p))
				}
				return all
			}(), nil)
			got := make([]byte, len(want))
			if err := d.Decode(got, b); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q: %q %v", parts, got, err)
			}
			if err := d.Decode(make([]byte, len(want)+1), b); err == nil {
				t.Errorf("%q: one byte too many", parts)
			}
			if len(want) > 0 && d.Decode(make([]byte, len(want)-1), b) == nil {
				t.Errorf("%q: one byte too few", parts)
			}
			for i := range b {
				if d.Decode(got, b[:i]) == nil && i > 0 && len(parts) == 1 {
					t.Errorf("%q: decodes from %d of %d bytes", parts, i, len(b))
				}
			}
			b[len(b)-5] ^= 1
			if d.Decode(got, b) == nil {
				t.Errorf("%q: the checksum was not checked", parts)
			}
		}
	}
}

func FuzzGzip(f *testing.F) {
	f.Add(gzipped(f, gzip.Header{Name: "a"}, "some text, some text"), 20)
	f.Add(gzipped(f, gzip.Header{}, "two ", "members"), 11)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		if n < 0 || n > 1<<16 {
			return
		}
		dst := make([]byte, n+8)
		if err := NewGzipDecoder().Decode(dst[:n:n], b); err == nil && !bytes.Equal(dst[n:], make([]byte, 8)) {
			t.Fatal("wrote behind the destination")
		}
	})
}
