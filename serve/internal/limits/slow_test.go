package limits

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowRequestsEndWhenStuck fills the share of slow requests. Only one whose client takes
// nothing for long ends for another one, and nothing stays taken.
func TestSlowRequestsEndWhenStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := NewQuota(1000, time.Second)
		client := NewClient(NewQuota(100, time.Second))
		slow := NewSlow(100, 8)
		ended := 0

		request := func() (r *Request, release func()) {
			t.Helper()
			r = client.NewRequest(func() { ended++ })
			release, err := all.Take(r.With(t.Context()), 60)
			if err != nil {
				t.Fatal(err)
			}
			r.Writes(true)
			return r, release
		}
		aside := func(r *Request, want bool, wantEnded int) {
			t.Helper()
			if got := slow.SetAside(r); got != want || ended != wantEnded {
				t.Fatalf("set aside: %v, %d requests ended; want %v, %d", got, ended, want, wantEnded)
			}
		}

		first, releaseFirst := request()
		aside(first, true, 0)
		if used := client.own.Used(); used != 0 {
			t.Errorf("the client still has %d bytes", used)
		}

		second, releaseSecond := request()
		aside(second, false, 0) // the first one has begun to write just now

		first.Writes(false)
		time.Sleep(2 * stuck)
		aside(second, false, 0) // it does not write

		first.Writes(true)
		time.Sleep(stuck)
		aside(second, false, 1)
		aside(second, false, 1) // once

		releaseFirst()
		slow.Leave(first)
		aside(second, true, 1)
		releaseSecond()
		slow.Leave(second)

		if slow.used != 0 || len(slow.clients) != 0 || client.own.Used() != 0 || all.Used() != 0 {
			t.Errorf("%d bytes of slow requests, %d of the client, %d of all are taken", slow.used, client.own.Used(), all.Used())
		}
	})
}
