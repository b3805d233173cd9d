package command

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/tree"
)

var update = flag.Bool("update", false, "write docs/cookbook.md and its pictures anew")

// TestCookbook runs the commands of docs/cookbook.md and docs/climate.md one after another, in a
// folder with the files of the demo, and compares what they print with what the pages show, and
// what they write with what the expressions in Go have. With -update it writes the pages and their
// pictures anew.
func TestCookbook(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs the whole demo")
	}
	docs, err := filepath.Abs("../../../docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	cairnOK(t, "demo", "-q", "-out", "planet")
	t.Chdir("planet")

	if n := runPage(t, filepath.Join(docs, "cookbook.md")); n < 40 {
		t.Errorf("the cookbook has %d commands", n)
	}
	if n := runPage(t, filepath.Join(docs, "climate.md")); n < 20 {
		t.Errorf("the cookbook of climate has %d commands", n)
	}
	compareGo(t, string(readFile(t, filepath.Join(docs, "climate.md"))))
}

// runPage runs the commands of a page, and returns their number.
func runPage(t *testing.T, page string) (run int) {
	t.Helper()
	text := string(readFile(t, page))

	// Processors that fuse multiplications and additions round a few of the demo's values
	// differently.
	exact := runtime.GOARCH == "amd64"
	made := &strings.Builder{}
	for _, part := range commandsOf(text) {
		made.WriteString(part.before)
		if part.command == "" {
			continue
		}
		run++
		got := printed(t, part.command)
		measures := strings.HasPrefix(part.command, "cairn advise")
		if exact && !measures && steady(got) != steady(part.output) && !*update {
			t.Errorf("$ %s prints\n%s\nand the page shows\n%s", part.command, got, part.output)
		}
		made.WriteString(got)
	}

	if *update {
		if err := os.WriteFile(page, []byte(made.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range regexp.MustCompile(`!\[[^]]*\]\((images/[^)]+)\)`).FindAllStringSubmatch(text, -1) {
		shown := filepath.Join(filepath.Dir(page), filepath.FromSlash(link[1]))
		comparePicture(t, shown, filepath.Base(shown))
	}
	return run
}

// compareGo evaluates the expressions in Go of a page of recipes, and compares their values with
// those of the file that the commands of the recipe have written.
func compareGo(t *testing.T, text string) {
	t.Helper()
	daily, err := tree.Open(t.Context(), "daily.nc", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer daily.Close()

	compared := 0
	for recipe := range strings.SplitSeq(text, "\n### ") {
		expression := regexp.MustCompile("`tree\\.Calc\\(ctx, t, \"(.*)\", nil\\)`").FindStringSubmatch(recipe)
		written := outputOf(recipe)
		if expression == nil || written == "" {
			continue
		}
		compared++
		title, _, _ := strings.Cut(recipe, "\n")

		r, err := tree.Calc(t.Context(), daily, expression[1], nil)
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		want := numbersOf(t, r)
		_ = r.Close()
		if !hasValues(t, written, want) {
			t.Errorf("%s: no array of %s has the values of %s", title, written, expression[1])
		}
	}
	if compared < 15 {
		t.Errorf("the page has %d expressions in Go", compared)
	}
}

// outputOf returns the last NetCDF file that the commands of a recipe write.
func outputOf(recipe string) (name string) {
	for _, line := range regexp.MustCompile(`(?m)^\$ cairn (calc|reduce|copy|regrid|concat) .*$`).FindAllString(recipe, -1) {
		words := shellWords(strings.TrimPrefix(line, "$ "))
		name = words[len(words)-1]
		if i := slices.Index(words, "-o"); i >= 0 {
			name = words[i+1]
		}
	}
	return name
}

// hasValues reports whether an array of a file has some values.
func hasValues(t *testing.T, file string, want []float64) bool {
	t.Helper()
	at, err := tree.Open(t.Context(), file, nil)
	if err != nil {
		t.Error(err)
		return false
	}
	defer at.Close()

	for n, err := range ndarray.Walk(t.Context(), at, "/") {
		if err != nil || n.Kind != ndarray.ArrayNode {
			continue
		}
		src, err := at.Open(t.Context(), n.Key)
		if err != nil {
			t.Error(err)
			continue
		}
		got := numbersOf(t, src)
		if slices.EqualFunc(got, want, func(a, b float64) bool {
			return math.Abs(a-b) <= 1e-5*(1+math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
		}) {
			return true
		}
	}
	return false
}

// numbersOf returns the items of an array as float64; none if they are no numbers.
func numbersOf(t *testing.T, src ndarray.Source) []float64 {
	t.Helper()
	e, err := compute.Calc(t.Context(), "float64(x)", map[string]ndarray.Source{"x": src}, nil)
	if err != nil {
		return nil
	}
	items, err := ndarray.ReadAny(t.Context(), e)
	if err != nil {
		t.Error(err)
		return nil
	}
	if one, ok := items.(float64); ok {
		return []float64{one}
	}
	return items.([]float64)
}

// A shown is a command of a page and its output, with the text before the output.
type shown struct{ before, command, output string }

// commandsOf splits a page at the outputs of its commands. The last part has no command.
func commandsOf(text string) []shown {
	var parts []shown
	var p shown
	fenced := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(line, "```")
		if fence {
			fenced = !fenced
		}
		command, begins := strings.CutPrefix(line, "$ ")
		begins = begins && fenced
		if p.command != "" && (fence || begins) {
			parts = append(parts, p)
			p = shown{}
		}
		if begins {
			p.command = strings.TrimSpace(command)
		}
		if p.command == "" || begins {
			p.before += line
		} else {
			p.output += line
		}
	}
	return append(parts, p)
}

// printed runs a line of commands, each of which reads what the one before it writes, and returns
// what a terminal shows.
func printed(t *testing.T, line string) string {
	t.Helper()
	var out string
	for i, command := range splitPipe(line) {
		words := shellWords(command)
		if len(words) < 2 || words[0] != "cairn" {
			t.Fatalf("%q is no command of cairn", command)
		}
		args := []string{words[1], "-progress", "none"} // no lines of progress on a slow machine
		for _, word := range words[2:] {
			if found, err := filepath.Glob(word); err == nil && len(found) > 0 {
				args = append(args, found...)
			} else {
				args = append(args, word)
			}
		}
		stdin := strings.NewReader("")
		if i > 0 {
			stdin = strings.NewReader(out)
		}
		r := cairnWith(t.Context(), stdin, args...)
		out = r.stdout + r.stderr
		if r.code != exitOK {
			out += fmt.Sprintf("(exit code %d)\n", r.code)
		}
	}
	return out
}

// splitPipe splits a line of commands at "|" outside of quotes.
func splitPipe(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == '|' && !quoted
	})
}

var changing = regexp.MustCompile(`[0-9.]+ *(ns|µs|ms|s|[KMG]iB/s|B/s)\b`)

// steady returns a text without what changes from run to run: times and speeds, and the spaces
// around them.
func steady(text string) string {
	return strings.Join(strings.Fields(changing.ReplaceAllString(text, " # ")), " ")
}

// comparePicture compares a picture of the page with the one that was drawn.
func comparePicture(t *testing.T, shown, drawn string) {
	t.Helper()
	b := readFile(t, drawn)
	if *update {
		if err := os.WriteFile(shown, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if filepath.Ext(shown) != ".png" {
		if !bytes.Equal(b, readFile(t, shown)) && runtime.GOARCH == "amd64" {
			t.Errorf("%s was drawn differently", shown)
		}
		return
	}
	got, want := decodePicture(t, b), decodePicture(t, readFile(t, shown))
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%s is drawn with bounds %v, and the page shows %v", shown, got.Bounds(), want.Bounds())
	}
	different := 0
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			if got.At(x, y) != want.At(x, y) {
				different++
			}
		}
	}
	if different > got.Bounds().Dx()*got.Bounds().Dy()/100 {
		t.Errorf("%s: %d pixels differ; run go test ./cmd/internal/command -run Cookbook -update", shown, different)
	}
}

func decodePicture(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
