package jobtext

import (
	"testing"

	"github.com/cairn-go/cairn/job"
)

func TestStatusOfTasks(t *testing.T) {
	s := job.Status{Tasks: 40, Done: 20, Running: 3}
	if got := Bar(s, 20); got != "██████████▒▒········" {
		t.Error(got)
	}
	for want, missing := range map[string][]int64{
		"0-2, 5, 7-8 and 14 more": {0, 1, 2, 5, 7, 8}, "1, 3 and others from 5 on": {1, 3, 5, 7}, " and 20 more": nil,
	} {
		s.Missing = missing
		most := 3
		if len(missing) == 4 {
			most = 2
		}
		if got := Missing(s, most); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s.Done, s.Missing = 40, nil
	if got := Missing(s, 3) + Bar(s, 4); got != "████" {
		t.Error(got)
	}
}
