package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if isChild(os.Args) {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSchedules runs as many schedules as the gate can afford.
func TestSchedules(t *testing.T) {
	c := config{n: 20, seed: 1, lanes: 6}
	if testing.Short() {
		c.n = 8
	}
	total, err := run(&c)
	if err != nil || total.Failed > 0 {
		t.Fatalf("%d failures: %q, %v", total.Failed, total.Failures, err)
	}
	t.Logf("%+v", *total)
	// When processes are killed and stopped depends on the load of the machine.
	if total.Sealed < c.n/2 || total.Sealed+total.Cancelled != c.n || total.Kills < c.n/4 || total.LetDown < c.n/4 {
		t.Errorf("these schedules show little: %+v", *total)
	}
	if canStop() && (total.Stops < c.n/4 || total.WokenLate < c.n/4) {
		t.Errorf("these schedules show little: %+v", *total)
	}
}
