package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// rounds is the number of repetitions of a race.
func rounds() int {
	if testing.Short() {
		return 6
	}
	return 25
}

// runWinners has 8 writers put an object under the same condition at the same time. Exactly one
// must win, and the object must be that one's.
func runWinners(t *testing.T, b storage.Bucket) {
	const writers = 8
	race := func(what, name string, when storage.When) storage.Object {
		var won atomic.Int64
		var winner storage.Object
		var content string
		var wg sync.WaitGroup
		start := make(chan struct{})
		for w := range writers {
			wg.Go(func() {
				data := fmt.Sprintf("%s by %d", what, w)
				<-start
				at, err := b.Put(t.Context(), name, []byte(data), when)
				switch {
				case err == nil && won.Add(1) == 1:
					winner = at
					content = data
				case err != nil && !errors.Is(err, cairn.ErrConflict):
					t.Errorf("%s: %v", what, err)
				}
			})
		}

		close(start)
		wg.Wait()

		if won.Load() != 1 {
			t.Fatalf("%s: %d writers have won", what, won.Load())
		}
		if got, err := getObject(t, b, winner); got != content || err != nil {
			t.Fatalf("%s: %q, %v; %q has won", what, got, err, content)
		}
		return winner
	}

	for i := range rounds() {
		name := fmt.Sprintf("races/%d", i)
		at := race(fmt.Sprintf("first %d", i), name, storage.When{Absent: true})
		race(fmt.Sprintf("second %d", i), name, storage.When{Version: at.Version})
	}
}

// runOldOrNew reads an object while it is replaced. Each read must be of one version.
func runOldOrNew(t *testing.T, b storage.Bucket) {
	const size = 300_000
	content := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, size+i) }
	putObject(t, b, "replaced", content(0), storage.When{})
	read := func() (string, error) {
		at, err := b.Stat(t.Context(), "replaced")
		if err != nil {
			return "", err
		}
		return getObject(t, b, at)
	}

	done := make(chan struct{})
	var wg sync.WaitGroup
	var reads atomic.Int64
	for range 3 {
		wg.Go(func() {
			for {
				got, err := read()
				switch {
				case errors.Is(err, cairn.ErrConflict): // replaced in between
				case err != nil:
					t.Error(err)
					return
				case got != string(content(int(got[0]))):
					t.Errorf("a read of %d bytes that begins with %d is a mixture", len(got), got[0])
				default:
					reads.Add(1)
				}

				select {
				case <-done:
					return
				default:
				}
			}
		})
	}

	for i := 1; i <= rounds() || reads.Load() == 0 && i < 1000; i++ {
		putObject(t, b, "replaced", content(i%200), storage.When{})
	}

	close(done)
	wg.Wait()

	if reads.Load() == 0 {
		t.Error("no read was successful")
	}
}

// runLarge puts objects without bytes and with 20 million.
func runLarge(t *testing.T, b storage.Bucket) {
	none := putObject(t, b, "none", nil, storage.When{Absent: true})
	if got, err := getObject(t, b, none); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}

	data := largeObject()
	at := putObject(t, b, "large", data, storage.When{Absent: true})
	if now, err := b.Stat(t.Context(), "large"); now != at || err != nil {
		t.Errorf("%+v, %v; put was %+v", now, err, at)
	}
	if got, err := getObject(t, b, at); got != string(data) || err != nil {
		t.Errorf("other bytes, %v", err)
	}
	if _, err := b.Put(t.Context(), "large", data, storage.When{Absent: true}); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("put again: %v", err)
	}

	var ranges []storage.Range
	for off := int64(0); off < at.Size; off += at.Size / 50 {
		ranges = append(ranges, storage.Range{Off: off, Data: make([]byte, min(1000, at.Size-off))})
	}

	if err := b.ReadRanges(t.Context(), at, ranges); err != nil {
		t.Error(err)
	}

	for _, r := range ranges {
		if !bytes.Equal(r.Data, data[r.Off:][:len(r.Data)]) {
			t.Errorf("%d bytes at %d are others", len(r.Data), r.Off)
		}
	}

	beyond := []storage.Range{{Off: at.Size - 5, Data: make([]byte, 10)}}
	if err := b.ReadRanges(t.Context(), at, beyond); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a range beyond the end: %v", err)
	}
}

func largeObject() []byte {
	data := make([]byte, 20_000_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	return data
}

// runLargeVersions replaces a large object on condition of its version.
func runLargeVersions(t *testing.T, b storage.Bucket) {
	data := largeObject()
	at := putObject(t, b, "large", data, storage.When{})
	data[0]++
	next := putObject(t, b, "large", data, storage.When{Version: at.Version})
	if next.Version == at.Version {
		t.Errorf("two versions %s", at.Version)
	}

	data[0]++
	_, err := b.Put(t.Context(), "large", data, storage.When{Version: at.Version})
	if !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("put over a version that is gone: %v", err)
	}
	if now, err := b.Stat(t.Context(), "large"); now != next || err != nil {
		t.Errorf("%+v, %v; put was %+v", now, err, next)
	}
}

// oddNames are valid names that need care in URLs and lists.
var oddNames = []string{"a b", "a+b", "a%2Fb", "a%b", "a&b=c", "a?b", "a#b", "a;b", "a'b", "a\"b", "a<b>c", "a:b", "a*b",
	"..a", "a...b", "é", "e\u0301", "日本/語", "😀/ü", "~a", "a@b", "a,b", "(a)", "[a]", "{a}",
	"$a", "!a", "a=b", "a|b", "^a`"}

// runOddNames puts, lists, reads and deletes objects of odd names.
func runOddNames(t *testing.T, b storage.Bucket) {
	for _, name := range oddNames {
		putObject(t, b, "odd/"+name, []byte(name), storage.When{Absent: true})
	}

	want := slices.Sorted(slices.Values(oddNames))
	if got := namesOf(t, b, "odd/"); !slices.Equal(got, prefixed("odd/", want)) {
		t.Errorf("listed %q, want %q", got, want)
	}

	for _, name := range oddNames {
		at, err := b.Stat(t.Context(), "odd/"+name)
		if err != nil {
			t.Error(err)
			continue
		}

		if got, err := getObject(t, b, at); got != name || err != nil {
			t.Errorf("%q has %q, %v", name, got, err)
		}
		if got := namesOf(t, b, "odd/"+name); len(got) == 0 || got[0] != "odd/"+name {
			t.Errorf("%q: listed %q", name, got)
		}
		if err := b.Delete(t.Context(), "odd/"+name); err != nil {
			t.Error(err)
		}
	}

	if got := namesOf(t, b, "odd/"); len(got) > 0 {
		t.Errorf("%q are there after they were deleted", got)
	}
}

func prefixed(prefix string, names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, prefix+n)
	}
	return out
}

func namesOf(t *testing.T, b storage.Bucket, prefix string) []string {
	t.Helper()
	var names []string
	for o, err := range b.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, o.Name)
	}
	return names
}

// runCancelled checks that a context that is done ends each method, and changes nothing.
func runCancelled(t *testing.T, b storage.Bucket) {
	at := putObject(t, b, "kept", []byte("kept"), storage.When{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Put(ctx, "new", []byte("x"), storage.When{})
	errs := map[string]error{"put": err, "delete": b.Delete(ctx, "kept")}
	_, errs["stat"] = b.Stat(ctx, "kept")
	errs["read"] = b.ReadRanges(ctx, at, []storage.Range{{Data: make([]byte, 4)}})
	for _, err := range b.List(ctx, "") {
		errs["list"] = err
	}

	for what, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}

	if len(errs) != 5 {
		t.Error("list has ended without error")
	}
	if got, err := getObject(t, b, at); got != "kept" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := b.Stat(t.Context(), "new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a put without a context: %v", err)
	}

	data := make([]byte, 20_000_000)
	for _, after := range []time.Duration{0, 3 * time.Millisecond, 30 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		begin := time.Now()
		_, err := b.Put(ctx, "cancelled", data, storage.When{})
		took := time.Since(begin)
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || took > after+30*time.Second) {
			t.Errorf("put with %v: %v after %v", after, err, took)
		}
		cancel()
	}
}

// runEverything has goroutines put, read, list and delete the same few objects. Whatever is read
// must have been put under its name.
func runEverything(t *testing.T, b storage.Bucket) {
	var wg sync.WaitGroup
	for seed := range uint64(6) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 9))
			for i := range 5 * rounds() {
				if err := anything(t, b, rnd, fmt.Sprintf("every/%d", rnd.IntN(4)), i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func anything(t *testing.T, b storage.Bucket, rnd *rand.Rand, name string, i int) error {
	at, err := b.Stat(t.Context(), name)
	switch rnd.IntN(5) {
	case 0:
		_, err = b.Put(t.Context(), name, bytes.Repeat([]byte(name), 1+rnd.IntN(500)), storage.When{})
	case 1:
		when := storage.When{Version: at.Version, Absent: err != nil}
		_, err = b.Put(t.Context(), name, bytes.Repeat([]byte(name), 1+i), when)
	case 2:
		if err != nil {
			break
		}

		var got string
		got, err = getObject(t, b, at)
		if err == nil && got != strings.Repeat(name, len(got)/len(name)) {
			err = fmt.Errorf("%s has other bytes", name)
		}
	case 3:
		for o, listErr := range b.List(t.Context(), "every/") {
			if err = listErr; err == nil && o.Size%int64(len(name)) != 0 {
				err = fmt.Errorf("%s has %d bytes", o.Name, o.Size)
			}
		}
	case 4:
		err = b.Delete(t.Context(), name)
	}

	if errors.Is(err, cairn.ErrConflict) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
