package byteshuffle

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// interleaved is InterleaveRows by definition.
func interleaved(dst []byte, d int, planes [][]byte, s int, r Rows) {
	for k := range r.Count {
		for i := range r.Items {
			for j, plane := range planes {
				dst[d+k*r.DstPitch+i*len(planes)+j] = plane[s+k*r.SrcPitch+i]
			}
		}
	}
}

// checkRows interleaves or, with one plane, copies rows between guarded memory and compares with
// the definition. Rows begin shift bytes from a cache line and are gap bytes apart.
func checkRows(t *testing.T, to, from *asmtest.Guard, size, shift, gap int, r Rows, down bool) {
	t.Helper()
	row := r.Items * size
	r.DstPitch, r.SrcPitch = row+gap, r.Items+gap%7
	length := r.Items
	if r.Count > 0 {
		length += (r.Count - 1) * r.SrcPitch
	}
	dst := to.Head(shift+max(1, r.Count)*r.DstPitch, 0)
	d := shift
	if down { // from the last row to the first
		d += max(0, r.Count-1) * r.DstPitch
		r.DstPitch = -r.DstPitch
	}
	all := from.Tail(size*(length+5)-5, 0)
	asmtest.Fill(all, uint32(size+row+gap))
	var planes [][]byte
	for j := range size {
		planes = append(planes, all[j*(length+5):][:length])
	}
	want, kept := bytes.Clone(dst), bytes.Clone(all)
	interleaved(want, d, planes, 0, r)
	done, least := false, RowItems
	if size == 1 {
		done, least = CopyRows(dst, d, planes[0], 0, gap, r), cpu.CacheLine
	} else {
		done = InterleaveRows(dst, d, planes, 0, r)
	}
	kernel := cpu.AVX2 || cpu.NEON && size > 1
	if done != (kernel && r.Items >= least && (size <= 2 || size == 4 || size == 8)) {
		t.Fatalf("size %d, %+v: done %v", size, r, done)
	}
	if done && !bytes.Equal(dst, want) || !done && !asmtest.Untouched(dst) {
		t.Fatalf("size %d, shift %d, %+v: wrong bytes", size, shift, r)
	}
	if !bytes.Equal(all, kept) || !to.Intact() || !from.Intact() {
		t.Fatalf("size %d, shift %d, %+v: writes elsewhere", size, shift, r)
	}
}

func TestRows(t *testing.T) {
	to, from := asmtest.NewGuard(t, 1<<20), asmtest.NewGuard(t, 1<<20)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range []int{1, 2, 3, 4, 5, 8} {
			for items := range 200 {
				for i, gap := range []int{0, 64, 13, 960} {
					r := Rows{Items: items, Count: items % 5, Stream: i%2 == items%2}
					checkRows(t, to, from, size, 0, gap, r, i == 1)
					checkRows(t, to, from, size, items%64, gap, r, i == 2)
				}
			}
			for _, items := range []int{256, 4096} {
				checkRows(t, to, from, size, 0, 64, Rows{Items: items, Count: 9, Stream: true}, false)
			}
		}
	})
}

// TestRowsRefuseForeignMemory checks that rows beyond a plane or the destination panic.
func TestRowsRefuseForeignMemory(t *testing.T) {
	if !HasRows(4) {
		return // there is no plain Go for these functions
	}
	dst, plane := make([]byte, 4*64*10), make([]byte, 64*10)
	planes := [][]byte{plane, plane, plane, plane}
	calls := []func(){
		func() { InterleaveRows(dst, 1, planes, 0, Rows{Items: 64, Count: 10, DstPitch: 256, SrcPitch: 64}) },
		func() { InterleaveRows(dst, 0, planes, 1, Rows{Items: 64, Count: 10, DstPitch: 256, SrcPitch: 64}) },
		func() { InterleaveRows(dst, 0, planes, 0, Rows{Items: 64, Count: 2, DstPitch: -256, SrcPitch: 64}) },
		func() { InterleaveRows(dst, 0, planes, 0, Rows{Items: 64, Count: 2, DstPitch: 256, SrcPitch: -64}) },
		func() {
			InterleaveRows(dst, 0, [][]byte{plane, plane[1:], plane, plane}, 0, Rows{Items: 640, Count: 1})
		},
	}
	if rowsFor(1) {
		calls = append(calls, func() { CopyRows(dst, 0, plane, 0, 0, Rows{Items: 641, Count: 1}) }, func() {
			CopyRows(plane, 0, dst, 0, 0, Rows{Items: 64, Count: 11, DstPitch: 64, SrcPitch: 64})
		})
	}
	for i, f := range calls {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("case %d did not panic", i)
				}
			}()
			f()
		}()
	}
}

func FuzzRows(f *testing.F) {
	f.Add(uint8(4), uint8(0), uint16(64), uint8(3), uint16(896), true, false)
	f.Add(uint8(8), uint8(7), uint16(33), uint8(2), uint16(5), true, true)
	to, from := asmtest.NewGuard(f, 1<<20), asmtest.NewGuard(f, 1<<20)
	f.Fuzz(func(t *testing.T, size, shift uint8, items uint16, count uint8, gap uint16, stream, down bool) {
		size = 1 + size%8
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			checkRows(t, to, from, int(size), int(shift)%64, int(gap)%1100,
				Rows{Items: int(items) % 600, Count: int(count) % 9, Stream: stream}, down)
			restore()
		}
	})
}

// BenchmarkRows interleaves rows of 128 bytes into 64 MiB of memory.
func BenchmarkRows(b *testing.B) {
	const rows, pitch = 512, 1 << 10
	memory := make([]byte, 64<<20)
	var planes [][]byte
	for range 4 {
		planes = append(planes, make([]byte, 32*rows))
	}
	for _, stream := range []bool{false, true} {
		b.Run(map[bool]string{false: "usual", true: "stream"}[stream], func(b *testing.B) {
			b.SetBytes(int64(len(memory)))
			for b.Loop() {
				for at := 0; at < len(memory); at += rows * pitch {
					for x := 0; x < pitch; x += 128 {
						InterleaveRows(memory, at+x, planes, 0,
							Rows{Items: 32, Count: rows, DstPitch: pitch, SrcPitch: 32, Stream: stream})
					}
				}
			}
		})
	}
}
