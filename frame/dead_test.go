package frame

import "testing"

// TestBytesOfDamagedChunksAreNotDead checks that the bytes of an unreadable chunk, up to the next
// one, do not count as dead.
func TestBytesOfDamagedChunksAreNotDead(t *testing.T) {
	f := must(New(nil))
	for i := range 3 {
		mustAppend(t, f, ramp(100, i))
	}
	info, err := f.Chunk(1)
	if err != nil {
		t.Fatal(err)
	}
	b := must(f.Bytes())
	// in its header, or in its items
	for _, at := range []int64{info.Offset + 4, info.Offset + int64(info.CBytes) - 1} {
		bad := append([]byte{}, b...)
		bad[at] ^= 0x55
		g, err := FromBytes(bad, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := g.Snapshot().Verify(noContext); err == nil || r.Dead != 0 || r.Stored[Verified] != 2 {
			t.Errorf("byte %d changed: %d dead bytes, %v, %v", at, r.Dead, r.Stored, err)
		}
		mustClose(t, g)
	}
	mustClose(t, f)
}
