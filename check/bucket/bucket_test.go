package main

import (
	"os"
	"testing"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/test/storagetest"
)

func TestMain(m *testing.M) {
	if harness.IsChild(0) {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSchedules runs as many schedules as the gate can afford.
func TestSchedules(t *testing.T) {
	c := config{Schedules: harness.Schedules{N: 300, Seed: 1, Lanes: 8}}
	if testing.Short() {
		c.N = 20
	}
	total, err := run(&c)
	if err != nil || total.Failed > 0 {
		t.Fatalf("%d failures: %+v, %v", total.Failed, total.Failures, err)
	}
	t.Logf("%+v", *total)
	if total.Schedules != c.N || total.Commits < 5*c.N || total.Refused < c.N/2 || total.Reads < c.N ||
		total.Unknown > c.N/20 || total.Collected < 10*c.N || total.Kills == 0 {
		t.Errorf("these schedules show little: %+v", *total)
	}
	if len(total.Faults) != len(storagetest.FaultKinds) || !testing.Short() && total.Segments == 0 {
		t.Errorf("faults %v, %d schedules with segments", total.Faults, total.Segments)
	}
}

// TestLossIsNoticed checks that a store that ignores conditions fails.
func TestLossIsNoticed(t *testing.T) {
	total, err := run(&config{harness.Schedules{N: 10, Seed: 1, Lanes: 4}, true})
	if err != nil || total.Failed == 0 {
		t.Errorf("%+v, %v", *total, err)
	}
}
