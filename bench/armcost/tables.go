package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools are the programs to call, and what the tables are made from.
type tools struct {
	page, wheel, table, only, objdump, mca, qemu, cc, python string

	functions bool
	dir       string // of files that are no longer needed afterwards
}

// The sides of the tables, in order.
const (
	cairn = iota
	plain // cairn without assembly
	blosc2
	sides
)

// A work is one row of a table: what the subjects are asked to do.
type work struct {
	name      string
	verb      string
	what      string
	typeSize  int
	data      string
	onlyCairn bool // C-Blosc2 has nothing like it
}

func (t *tools) tables() error {
	if err := writeData(t.dir); err != nil {
		return err
	}
	subjects, err := t.build()
	if err != nil {
		return err
	}
	for _, table := range []struct {
		name  string
		works []work
	}{{"filters", filters()}, {"codecs", codecs()}} {
		if t.table != "" && t.table != table.name {
			continue
		}
		text := header
		for _, w := range table.works {
			if !strings.Contains(w.name, t.only) {
				continue
			}
			row, err := t.row(subjects, w)
			if err != nil {
				return err
			}
			text += row
		}
		if err := t.put(table.name, text); err != nil {
			return err
		}
	}
	return nil
}

// build compiles the three subjects.
func (t *tools) build() ([]*subject, error) {
	library, err := t.library()
	if err != nil {
		return nil, err
	}
	at := func(name string) string { return filepath.Join(t.dir, name) }
	for name, tags := range map[string]string{"cairn": "", "plain": "purego"} {
		c := exec.Command("go", "build", "-tags", tags, "-o", at(name), "./armcost/subject")
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if _, err := output(t.cc, "-O2", "-static", "-I"+filepath.Join(library, "include"), "-o", at("blosc2"),
		"armcost/driver/subject.c", filepath.Join(library, "lib", "libblosc2.a"), "-lpthread", "-lm"); err != nil {
		return nil, err
	}
	var out []*subject
	for _, name := range []string{"cairn", "plain", "blosc2"} {
		s, err := t.subject(at(name))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// bloscVersion is the python-blosc2 whose wheel for ARM contains the library to compare with.
const bloscVersion = "4.14.1"

// library returns a directory with the C library for ARM and its headers.
func (t *tools) library() (string, error) {
	dir := filepath.Join(t.dir, "wheel")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	wheel := t.wheel
	if wheel == "" {
		if _, err := output(t.python, "-m", "pip", "download", "--quiet", "--dest", dir, "--no-deps",
			"--platform", "manylinux_2_28_aarch64", "--only-binary=:all:", "blosc2=="+bloscVersion); err != nil {
			return "", err
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.whl"))
		if err != nil || len(found) != 1 {
			return "", fmt.Errorf("pip left %d wheels", len(found))
		}
		wheel = found[0]
	}
	_, err := output(t.python, "-m", "zipfile", "-e", wheel, dir)
	return filepath.Join(dir, "blosc2"), err
}

const header = "| | instructions per byte: cairn | plain Go | C | N1, cycles per byte: cairn | plain Go | C " +
	"| V1: cairn | plain Go | C |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"

// row measures one work on all sides.
func (t *tools) row(subjects []*subject, w work) (string, error) {
	var found [sides]*figure
	data := filepath.Join(t.dir, w.data)
	encoded, size := os.DevNull, fmt.Sprint(w.typeSize)
	if w.verb == "decode" { // what C-Blosc2 encodes
		encoded = filepath.Join(t.dir, "encoded")
		if _, err := output(t.qemu, subjects[blosc2].path, "encode", w.what, size, data, encoded, "1"); err != nil {
			return "", err
		}
	}
	for side, s := range subjects {
		if side == blosc2 && w.onlyCairn {
			continue
		}
		f, err := t.measure(s, w.verb, w.what, size, data, encoded)
		if err != nil {
			return "", err
		}
		found[side] = &f
		if t.functions {
			fmt.Printf("%s, side %d: %s\n", w.name, side, strings.Join(f.top(12), ", "))
		}
	}
	row := "| " + w.name
	each := func(value func(f *figure) float64) {
		for _, f := range found {
			if f == nil {
				row += " | –"
				continue
			}
			row += " | " + digits(value(f)/dataSize)
		}
	}
	each(func(f *figure) float64 { return f.instructions })
	for core := range cores {
		each(func(f *figure) float64 { return f.cycles[core] })
	}
	return row + " |\n", nil
}

// digits returns a number with about three digits.
func digits(v float64) string {
	switch {
	case v < 0.1:
		return fmt.Sprintf("%.3f", v)
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// put replaces a table of the page, which stands between two comments with its name, or prints it.
func (t *tools) put(name, text string) error {
	if t.page == "" || t.only != "" {
		fmt.Print(text)
		return nil
	}
	page, err := os.ReadFile(t.page)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table %s", t.page, name)
	}
	return os.WriteFile(t.page, []byte(before+begin+text+end+after), 0o644)
}
