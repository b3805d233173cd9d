package main

import (
	"os"
	"testing"

	"github.com/cairn-go/cairn/internal/storagetest"
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
	c := config{n: 300, seed: 1, lanes: 8}
	if testing.Short() {
		c.n = 20
	}
	total, err := run(&c)
	if err != nil || total.Failed > 0 {
		t.Fatalf("%d failures: %+v, %v", total.Failed, total.Failures, err)
	}
	t.Logf("%+v", *total)
	if total.Schedules != c.n || total.Commits < 5*c.n || total.Refused < c.n/2 || total.Reads < c.n ||
		total.Unknown > c.n/20 || total.Collected < 20*c.n || total.Kills == 0 {
		t.Errorf("these schedules show little: %+v", *total)
	}
	if len(total.Faults) != len(storagetest.FaultKinds) || !testing.Short() && total.Segments == 0 {
		t.Errorf("faults %v, %d schedules with segments", total.Faults, total.Segments)
	}
}

// TestLossIsNoticed checks that a store that ignores conditions fails.
func TestLossIsNoticed(t *testing.T) {
	total, err := run(&config{n: 10, seed: 1, lanes: 4, blind: true})
	if err != nil || total.Failed == 0 {
		t.Errorf("%+v, %v", *total, err)
	}
}
