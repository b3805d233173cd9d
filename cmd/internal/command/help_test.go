package command

import (
	"encoding/json"
	"flag"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/manual"
)

// TestOverviewFitsAScreen checks that help fits 24 lines of 80 characters, the last of which is the
// prompt's.
func TestOverviewFitsAScreen(t *testing.T) {
	text := cairnOK(t, "help")
	if n := strings.Count(text, "\n"); n > 23 {
		t.Errorf("help has %d lines:\n%s", n, text)
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d characters in %q", n, line)
		}
	}
	for _, v := range verbs() {
		if n := utf8.RuneCountInString(v.brief); n == 0 || n > manual.MostBrief {
			t.Errorf("the brief of %s has %d characters, and at most %d fit", v.name, n, manual.MostBrief)
		}
	}
}

// TestExamples checks that each verb has three examples, whose flags exist.
func TestExamples(t *testing.T) {
	for _, v := range verbs() {
		if n := len(manual.Examples(v.name)); n != 3 {
			t.Errorf("%s has %d examples", v.name, n)
		}
		help := cairnOK(t, "help", v.name)
		for _, e := range manual.Examples(v.name) {
			if utf8.RuneCountInString(e.Command) > 74 || !strings.Contains(help, e.Command) {
				t.Errorf("the example %q is too long, or not in help", e.Command)
			}
			_, command, ok := strings.Cut(e.Command, "cairn ")
			if !ok {
				t.Errorf("the example %q is another command", e.Command)
				continue
			}
			name, rest, _ := strings.Cut(command, " ")
			if strings.TrimLeft(name, "-") != v.name && v.name != "completion" {
				t.Errorf("the example %q is of another verb than %s", e.Command, v.name)
			}
			rest, _, _ = strings.Cut(rest, " > ")
			set, _ := v.flags()
			if _, err := parseFlags(set, shellWords(rest), nil); err != nil {
				t.Errorf("the example %q: %v", e.Command, err)
			}
		}
	}
}

// TestHelpListsAllFlags checks that help on a verb lists each flag that it takes, but for those
// that the overview says all verbs take.
func TestHelpListsAllFlags(t *testing.T) {
	overview := cairnOK(t, "help")
	for _, v := range verbs() {
		help := cairnOK(t, "help", v.name)
		set, _ := v.flags()
		set.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(help, "  -"+f.Name+" ") && !strings.Contains(overview, " -"+f.Name) {
				t.Errorf("neither help on %s nor the overview lists -%s", v.name, f.Name)
			}
		})
	}
}

// TestExpressionsOfHelp checks that calc knows all functions that help on it lists.
func TestExpressionsOfHelp(t *testing.T) {
	help := cairnOK(t, "help", "calc")
	names := regexp.MustCompile(`[a-z][a-z0-9_]*`)
	listed := 0
	_, terms := manual.Terms("calc")
	for _, term := range terms {
		if !strings.Contains(help, "  "+term.Name+" ") {
			t.Errorf("help on calc has no row for %s", term.Name)
		}
		if term.Name != "functions" && term.Name != "of complex numbers" && term.Name != "reductions" {
			continue
		}

		text, _, _ := strings.Cut(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(term.Text, ""), ";")
		for _, name := range names.FindAllString(text, -1) {
			r := cairnWith(t.Context(), nil, "calc", name+"(b)")
			if !strings.Contains(r.stderr, `no array is named "b"`) {
				t.Errorf("help on calc lists %s: %s", name, r.stderr)
			}
			listed++
		}
	}
	if listed < 70 {
		t.Errorf("help on calc lists %d functions", listed)
	}
}

func TestManualPage(t *testing.T) {
	page := cairnOK(t, "help", "-man")
	for _, v := range verbs() {
		if !strings.Contains(page, "\n.SS "+v.name) {
			t.Errorf("the manual page has no section on %s", v.name)
		}
		for _, f := range v.ofManual().Flags {
			if !strings.Contains(page, `\fB\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fR`) {
				t.Errorf("the manual page does not mention -%s", f.Name)
			}
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	run := exec.Command(groff, "-man", "-Tutf8", "-ww")
	run.Stdin = strings.NewReader(page)
	var complaints strings.Builder
	run.Stderr = &complaints
	if out, err := run.Output(); err != nil || complaints.Len() > 0 || len(out) < len(page)/2 {
		t.Errorf("groff: %v, %s", err, complaints.String())
	}
}

func TestVersionAsJSON(t *testing.T) {
	var b build
	if err := json.Unmarshal([]byte(cairnOK(t, "version", "-json")), &b); err != nil || b.Version == "" || b.Go == "" {
		t.Errorf("%+v, %v", b, err)
	}
	b = build{Version: "v1", Go: "go2", Platform: "a/b", Revision: "0123456789abcdef", Time: "now",
		Modified: true, Tags: "purego"}
	if got := b.text(); got != "cairn v1 go2 a/b 0123456789ab now modified tags=purego\n" {
		t.Errorf("the version is %q", got)
	}
}
