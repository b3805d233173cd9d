package main

import (
	"os"
	"testing"

	"github.com/cairn-go/cairn/check/harness"
)

func TestMain(m *testing.M) {
	if harness.IsChild(1) {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSchedules runs as many schedules as the gate can afford.
func TestSchedules(t *testing.T) {
	c := harness.Schedules{N: 20, Seed: 1, Lanes: 6}
	if testing.Short() {
		c.N = 8
	}
	total, err := run(&c)
	if err != nil || total.Failed > 0 {
		t.Fatalf("%d failures: %q, %v", total.Failed, total.Failures, err)
	}
	t.Logf("%+v", *total)
	// When processes are killed and stopped depends on the load of the machine.
	if total.Sealed < c.N/2 || total.Sealed+total.Cancelled != c.N || total.Kills < c.N/4 || total.LetDown < c.N/4 {
		t.Errorf("these schedules show little: %+v", *total)
	}
	if canStop() && (total.Stops < c.N/4 || total.WokenLate < c.N/4) {
		t.Errorf("these schedules show little: %+v", *total)
	}
}
