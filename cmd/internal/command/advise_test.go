package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAdvise(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.npy")
	if err := os.WriteFile(in, npyFile(t, "<i4", false, 60, 70), 0o600); err != nil {
		t.Fatal(err)
	}
	text := cairnOK(t, "advise", "-for", "size", "-time", "200ms", "-n", "3", in)
	if !strings.Contains(text, "60 × 70 <i4\n") || !strings.Contains(text, "\ncairn copy -codec ") {
		t.Errorf("advise says\n%s", text)
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 && !strings.HasPrefix(line, "cairn copy") && !strings.HasPrefix(line, in) {
			t.Errorf("a long line: %s", line)
		}
	}
	var a advice
	out := cairnOK(t, "advise", "-json", "-for", "size", "-time", "1s", "-access", ":,1", in)
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Settings) == 0 || a.Settings[0].Ratio <= 1 {
		t.Fatalf("%v in %s", err, out)
	}
	// The command works.
	words := shellWords(a.Settings[0].Command)
	words[len(words)-1] = filepath.Join(dir, words[len(words)-1])
	cairnOK(t, words[1:]...)
	info := cairnOK(t, "info", filepath.Join(dir, "a.new.b2nd"))
	if !strings.Contains(info, a.Settings[0].Codec+", level ") {
		t.Errorf("%s made\n%s", a.Settings[0].Command, info)
	}
	if text := cairnOK(t, "advise", "-time", "1s", filepath.Join(dir, "a.new.b2nd")); !strings.Contains(text, "(now)") {
		t.Errorf("the present setting is not shown:\n%s", text)
	}
}
