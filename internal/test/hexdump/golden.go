package hexdump

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// update is the flag -update of every test binary that imports this package.
var update = flag.Bool("update", false, "rewrite the golden text files from what the tests got")

// Golden compares got with the text file at path and reports the first different line. With the
// flag -update it writes the file instead.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := writeFile(path, got); err != nil {
			t.Fatal(err)
		}
		return
	}

	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update to make it", err)
	}
	if diff := Diff(string(b), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// Diff describes the first line in which two texts differ, or returns "".
func Diff(want, got string) string {
	if want == got {
		return ""
	}

	wantLines := strings.Split(want, "\n")
	gotLines := strings.Split(got, "\n")
	i := 0
	for i < len(wantLines) && i < len(gotLines) && wantLines[i] == gotLines[i] {
		i++
	}
	return fmt.Sprintf("line %d\nwant: %s\ngot:  %s", i+1, lineAt(wantLines, i), lineAt(gotLines, i))
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end of text)"
}
