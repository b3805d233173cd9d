package command

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
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

// TestAdviseForCairn has advice about the codec that only cairn reads, with and without a loss, and
// runs its commands.
func TestAdviseForCairn(t *testing.T) {
	t.Chdir(t.TempDir())
	items := make([]float32, 30*40*50)
	for i := range items {
		items[i] = float32(280 + 20*math.Sin(float64(i)/700) + math.Sin(float64(i*i)))
	}
	u, err := ndarray.Create[float32]("t.b2nd", ndarray.Shape{30, 40, 50}, nil)
	if err == nil {
		err = errors.Join(u.Write(t.Context(), items), u.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	const note = "for cairn only, as C-Blosc2 refuses the codec numeric:\nnumeric "
	plain := cairnOK(t, "advise", "-for", "size", "-time", "300ms", "t.b2nd")
	if !strings.Contains(plain, note) || strings.Contains(plain, "exact") ||
		strings.Index(plain, "numeric") < strings.Index(plain, note) {
		t.Errorf("advise says\n%s", plain)
	}

	lossy := cairnOK(t, "advise", "-for", "size", "-time", "300ms", "-maxerror", "0.5", "t.b2nd")
	if !strings.Contains(lossy, "rounded to an error of 0.5, largest error 0.") || !strings.Contains(lossy, "  exact  ") ||
		!strings.Contains(lossy, note) {
		t.Errorf("advise -maxerror says\n%s", lossy)
	}
	var a advice
	out := cairnOK(t, "advise", "-json", "-for", "size", "-time", "300ms", "-maxerror", "0.5", "t.b2nd")
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Own) == 0 || a.Bound != "an error of 0.5" {
		t.Fatalf("%v in %s", err, out)
	}
	for _, s := range []advisedSetting{a.Settings[0], a.Own[0]} {
		if s.Exact == 0 || s.Exact >= s.Ratio {
			t.Errorf("a ratio of %g, exactly %g", s.Ratio, s.Exact)
		}
		words := shellWords(s.Command)
		result := cairnWith(t.Context(), nil, append(words[1:], "-force")...)
		if result.code != exitOK || !strings.Contains(result.stderr, "largest error 0.") {
			t.Errorf("%s says %s", s.Command, result.stderr)
		}
		if info := cairnOK(t, "info", "t.new.b2nd"); !strings.Contains(info, s.Codec+", level ") {
			t.Errorf("%s made\n%s", s.Command, info)
		}
	}
	if !slices.Equal(shellWords(a.Own[0].Command)[2:4], []string{"-codec", "numeric"}) {
		t.Errorf("for cairn only: %s", a.Own[0].Command)
	}
	if now := cairnOK(t, "advise", "-time", "300ms", "t.new.b2nd"); !strings.Contains(now, "(now)") ||
		strings.Index(now, "(now)") < strings.Index(now, note) {
		t.Errorf("the present setting is not among those for cairn:\n%s", now)
	}
}

// TestAdviseRefused asks for losses that there cannot be.
func TestAdviseRefused(t *testing.T) {
	in := filepath.Join(t.TempDir(), "a.npy")
	writeFile(t, in, npyFile(t, "<i4", false, 6, 7))
	for want, flags := range map[string][]string{
		"-precision and -digits exclude each other": {"-precision", "3", "-digits", "2"},
		"exclude each other":                        {"-maxerror", "3", "-digits", "2"},
		"-keepbits: 99 bits":                        {"-keepbits", "99"},
		"items of dtype <i4 are exact":              {"-maxerror", "3"},
	} {
		r := cairnWith(t.Context(), nil, append([]string{"advise", in}, flags...)...)
		if r.code == exitOK || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit %d, says %s", flags, r.code, r.stderr)
		}
	}
}
