package hexdump

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnnotate(t *testing.T) {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(i)
	}
	got := Annotate(b, []Part{{1, "marker"}, {0, "nothing"}, {18, "two lines"}, {16, "one full line"}, {2, "pair"}})
	want := `0000  00                                               # marker
0001                                                   # nothing
0001  01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10  # two lines
0011  11 12
0013  13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20 21 22  # one full line
0023  23 24                                            # pair
0025  25 26 27                                         # not described
`
	if diff := Diff(want, got); diff != "" {
		t.Error(diff)
	}
	long := Annotate(b[:2], []Part{{1, "first"}, {5, "second"}, {-1, "third"}})
	for _, s := range []string{"# second (5 bytes, 1 left)", "# third (-1 bytes, 0 left)"} {
		if !strings.Contains(long, s) {
			t.Errorf("%q is not in\n%s", s, long)
		}
	}
}

// recorder records the errors of Golden.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.text = fmt.Sprintf(format, args...) }

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "a.txt")
	if err := writeFile(path, "one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "one\ntwo\n" {
		t.Fatalf("%q, %v", b, err)
	}
	if *update {
		return // Golden would write instead of compare
	}
	for got, want := range map[string]string{
		"one\ntwo\n":        "",
		"one\n2\n":          "line 2\nwant: two\ngot:  2",
		"one\ntwo\nthree\n": "line 3\nwant: \ngot:  three",
		"one":               "line 2\nwant: two\ngot:  (end of text)",
	} {
		r := recorder{TB: t}
		Golden(&r, path, got)
		if want == "" && r.text != "" || !strings.Contains(r.text, want) {
			t.Errorf("%q: reported %q, want %q", got, r.text, want)
		}
	}
}
