package runscan

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// reference is the definition.
func reference(b []byte, period int) bool {
	for i := period; i < len(b); i++ {
		if b[i] != b[i-period] {
			return false
		}
	}
	return true
}

var periods = []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 20, 24, 31, 32, 33, 48, 64, 96, 100}

// repeat fills b with repetitions of pseudo-random bytes.
func repeat(b []byte, period int) {
	asmtest.Fill(b[:min(period, len(b))], uint32(period))
	for i := period; i < len(b); i++ {
		b[i] = b[i-period]
	}
}

// TestKernels changes single bytes of repeating memory, at both ends of pages that fault.
func TestKernels(t *testing.T) {
	memory := asmtest.NewGuard(t, 5000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, period := range periods {
			for i, size := range asmtest.Counts(2000) {
				b := memory.Head(size, i%33)
				if i%2 == 0 {
					b = memory.Tail(size, i%33)
				}
				repeat(b, period)
				if !Repeats(b, period) {
					t.Fatalf("period %d: %d bytes do not repeat", period, size)
				}
				for at := 0; at < size; at += 1 + size/97 {
					b[at] ^= 1 << (at % 8)
					if got, want := Repeats(b, period), reference(b, period); got != want {
						t.Fatalf("period %d, %d bytes, byte %d changed: %v", period, size, at, got)
					}
					b[at] ^= 1 << (at % 8)
				}
				if !memory.Intact() {
					t.Fatalf("period %d, %d bytes: writes", period, size)
				}
			}
		}
	})
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{}, uint8(1), uint16(0), uint16(0))
	f.Add([]byte("0123456789ab"), uint8(12), uint16(1000), uint16(900))
	f.Add([]byte("ab"), uint8(2), uint16(1000), uint16(2000))
	f.Fuzz(func(t *testing.T, start []byte, period uint8, size, change uint16) {
		p := max(1, int(period))
		b := make([]byte, int(size)%4096)
		copy(b, start)
		for i := p; i < len(b); i++ {
			b[i] = b[i-p]
		}
		if int(change) < len(b) {
			b[change] ^= 1 << (change % 8)
		}
		want := reference(b, p)
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			got := Repeats(b, p)
			restore()
			if got != want {
				t.Errorf("%v: %v", tier, got)
			}
		}
	})
}

// BenchmarkTiers alternates between the tiers and reports the median speed of each.
func BenchmarkTiers(b *testing.B) {
	for _, period := range []int{1, 8, 12, 20} {
		for _, size := range []int{4 << 10, 128 << 10, 1 << 20, 64 << 20} {
			b.Run(fmt.Sprintf("period=%d/%dKiB", period, size>>10), func(b *testing.B) {
				memory := make([]byte, size)
				repeat(memory, period)
				times := map[cpu.Tier][]time.Duration{}
				rounds := max(1, 4<<20/size)
				for b.Loop() {
					for _, tier := range cpu.Tiers() {
						restore := cpu.Limit(tier)
						begin := time.Now()
						for range rounds {
							if !Repeats(memory, period) {
								b.Fatal("does not repeat")
							}
						}
						times[tier] = append(times[tier], time.Since(begin))
						restore()
					}
				}
				b.ReportMetric(0, "ns/op")
				for tier, all := range times {
					slices.Sort(all)
					b.ReportMetric(float64(rounds*size)/float64(all[len(all)/2].Nanoseconds()), tier.String()+"-GB/s")
				}
			})
		}
	}
}

// TestMany checks every byte of a large block.
func TestMany(t *testing.T) {
	b := bytes.Repeat([]byte{7}, 1<<20)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, at := range []int{0, 1, 31, 32, 191, 192, 1<<20 - 1} {
			b[at]++
			if Repeats(b, 1) {
				t.Errorf("a change at %d is not seen", at)
			}
			b[at]--
		}
		if !Repeats(b, 1) {
			t.Error("does not repeat")
		}
	})
}
