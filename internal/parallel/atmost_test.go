package parallel

import "testing"

func TestWorkersIn(t *testing.T) {
	if n := WorkersIn(t.Context(), 3); n != 3 {
		t.Errorf("without a bound: %d", n)
	}
	for most, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 3: 3, 9: 3} {
		if n := WorkersIn(AtMost(t.Context(), most), 3); n != want {
			t.Errorf("3 workers, at most %d: %d", most, n)
		}
	}
	if n := WorkersIn(AtMost(AtMost(t.Context(), 1), 2), 3); n != 2 {
		t.Errorf("the last bound counts: %d", n)
	}
}
