package diskcache

import (
	"bytes"
	"testing"
)

func TestPlace(t *testing.T) {
	p := place{source: [16]byte{1, 15: 255}, version: [16]byte{0xab}, extent: extent{4096, maxExtent}}
	want := "010000000000000000000000000000ff-ab000000000000000000000000000000-1000-800000"
	if got := p.name(); got != want || p.folder() != "01" {
		t.Errorf("%s in %s", got, p.folder())
	}
	if got, ok := parsePlace(want); !ok || got != p {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, bad := range []string{"", want + "0", want + "-", want[1:], "0A" + want[2:], want[:67] + "-1-1", want[:66] + "01-1",
		want[:66] + "+1-1", want[:66] + "1-0", want[:66] + "7fffffffffffffff-1"} {
		if p, ok := parsePlace(bad); ok {
			t.Errorf("%s is %+v", bad, p)
		}
	}
}

// FuzzExtent reads ranges from arbitrary files. What is accepted is a file that we would write, and
// has the bytes that it holds.
func FuzzExtent(f *testing.F) {
	var k key
	copy(k[:], "0123456789abcdef0123456789abcdef")
	for _, n := range []int{1, 100, pageSize, 2*pageSize + 7} {
		data := pattern(n)
		e := extent{1000, int64(n)}
		f.Add(append(e.head(k, data), data...), int64(1000), int64(n), int64(1000), n)
		f.Add(append(e.head(k, data), data...), int64(1000), int64(n), int64(1000)+int64(n)/2, n/3)
		f.Add(e.head(k, data), int64(1000), int64(n), int64(1000), 1)
	}
	f.Add([]byte(magic), int64(0), int64(maxExtent), int64(0), maxExtent)
	f.Fuzz(func(t *testing.T, file []byte, off, n, from int64, size int) {
		e := extent{off, n}
		if !e.valid() || from < off || from >= e.end() || size < 1 || int64(size) > e.end()-from {
			return
		}
		p := make([]byte, size)
		if e.readFrom(bytes.NewReader(file), int64(len(file)), k, p, from) != nil {
			return
		}
		data := file[e.headSize():]
		if !bytes.Equal(p, data[from-off:][:size]) {
			t.Fatal("other bytes")
		}
		whole := e.readFrom(bytes.NewReader(file), int64(len(file)), k, make([]byte, n), off) == nil
		if same := bytes.Equal(append(e.head(k, data), data...), file); whole != same {
			t.Fatalf("accepted: %v, as written: %v", whole, same)
		}
	})
}

// FuzzPlace checks that a name that is accepted is one that we would give, and so for totals.
func FuzzPlace(f *testing.F) {
	f.Add("010000000000000000000000000000ff-ab000000000000000000000000000000-1000-800000", formatTotal(1<<30))
	f.Add("---", make([]byte, 12))
	f.Fuzz(func(t *testing.T, name string, total []byte) {
		if p, ok := parsePlace(name); ok && (p.name() != name || !p.valid()) {
			t.Fatalf("%q is %+v", name, p)
		}
		if len(total) != 12 {
			return
		}
		if n, ok := parseTotal([12]byte(total)); ok && (n < 0 || !bytes.Equal(formatTotal(n), total)) {
			t.Fatalf("%x is %d", total, n)
		}
	})
}
