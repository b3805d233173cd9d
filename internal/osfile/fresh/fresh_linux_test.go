package fresh_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cairn-go/cairn/internal/osfile/fresh"
)

// child names the environment variable of the processes in which TestAdvice looks at memory: new
// ones, for advice stays with addresses that are used again.
const child = "CAIRN_TEST_FRESH"

// TestAdvice checks which memory the system will back with huge pages: large slices, though not
// beyond their ends, no small ones, and none at all if that is switched off, or if the system has
// no huge pages.
func TestAdvice(t *testing.T) {
	if os.Getenv(child) != "" {
		checkAdvice(t, os.Getenv(fresh.Variable) != "off" && showsAdvice(t))
		return
	}

	for _, setting := range []string{"", "on", "off"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAdvice$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1", fresh.Variable+"="+setting)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestAdvice") {
			t.Errorf("%s=%s: %v\n%s", fresh.Variable, setting, err, out)
		}
	}
}

func checkAdvice(t *testing.T, want bool) {
	const size = 64 << 20
	for _, n := range []int{1, 1 << 20, 4<<20 - 1} {
		small := fresh.Make[byte](n)
		if advised(t, addressOf(small)+uintptr(n/2)) {
			t.Errorf("a slice of %d bytes has huge pages", n)
		}
	}

	made := fresh.Make[uint64](size / 8)
	start := addressOf(made)

	// The huge pages at the ends are those that lie within the slice as a whole. Later slices may
	// have those beyond.
	for _, page := range []uintptr{start &^ (2<<20 - 1), (start + size) &^ (2<<20 - 1)} {
		inside := page >= start && page+2<<20 <= start+size
		if got := advised(t, page+1<<20); got && !inside {
			t.Error("there are huge pages beyond the ends of a slice")
		}
	}

	grown := fresh.Grow(make([]float32, 1<<20), size/4)
	for what, at := range map[string]uintptr{"made": start, "grown": addressOf(grown[:1])} {
		if got := advised(t, at+size/2); got != want {
			t.Errorf("a slice that was %s: huge pages %v, want %v", what, got, want)
		}
	}

	for i := 0; i < len(made); i += 512 {
		if made[i] != 0 {
			t.Fatalf("item %d is %d", i, made[i])
		}
	}
}

// showsAdvice reports whether the system takes advice and shows that it has.
func showsAdvice(t *testing.T) bool {
	b, err := unix.Mmap(-1, 0, 8<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(b) }()
	return unix.Madvise(b, unix.MADV_HUGEPAGE) == nil && advised(t, addressOf(b))
}

// advised reports whether the system was asked for huge pages at an address.
func advised(t *testing.T, address uintptr) bool {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	found := false
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			found = from <= address && address < to
		}
		if fields := strings.Fields(lines.Text()); found && len(fields) > 0 && fields[0] == "VmFlags:" {
			return slices.Contains(fields, "hg")
		}
	}
	return false
}

func addressOf[T any](s []T) uintptr { return reflect.ValueOf(s).Pointer() }
