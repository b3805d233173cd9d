package lint

import (
	"bufio"
	"bytes"
	"fmt"
	"go/build/constraint"
	"io/fs"
	"path"
	"strings"
)

// Names with a meaning in file names and build constraints. A name added by a new release of Go is
// reported as an unknown tag.
var (
	archNames = words("386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")
	osNames   = words("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows unix")
)

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

func checkConstraints(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		names := append([]string(nil), p.Assembly...)
		for _, f := range p.Files {
			names = append(names, f.Name)
		}

		for _, name := range names {
			tags, line, err := t.tags(name)
			if err != nil {
				out = append(out, Problem{"constraints", name, line, err.Error()})
				continue
			}
			for _, tag := range tags {
				if why := refuseTag(p, tag); why != "" {
					out = append(out, Problem{"constraints", name, line, why})
				}
			}
		}
	}
	return out
}

func refuseTag(p *Package, tag string) string {
	asm := match("internal/asm/...", p.Dir)
	osfile := match("internal/osfile/...", p.Dir)
	suite := match("internal/test/asmtest", p.Dir)
	switch {
	case archNames[tag] && !asm:
		return fmt.Sprintf("architecture %s is named outside of internal/asm", tag)
	case osNames[tag] && !osfile && !suite:
		return fmt.Sprintf("operating system %s is named outside of internal/osfile", tag)
	case tag == "purego" && !asm:
		return "the purego tag belongs to internal/asm"
	case !archNames[tag] && !osNames[tag] && tag != "purego":
		return fmt.Sprintf("build tag %s is not one this module uses", tag)
	}
	return ""
}

// tags returns the tags in a file's name and build constraint, and the line of the constraint.
func (t *Tree) tags(name string) (tags []string, line int, err error) {
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), path.Ext(name)), "_test")
	parts := strings.Split(base, "_")
	for _, part := range parts[max(1, len(parts)-2):] {
		if archNames[part] || osNames[part] && part != "unix" {
			tags = append(tags, part)
		}
	}

	source, err := fs.ReadFile(t.FS, name)
	if err != nil {
		return nil, 0, err
	}

	expr, line, err := buildLine(source)
	if expr != nil {
		// visits every tag
		expr.Eval(func(tag string) bool { tags = append(tags, tag); return true })
	}
	return unique(tags), line, err
}

// buildLine finds the build constraint before the package clause.
func buildLine(source []byte) (expr constraint.Expr, line int, err error) {
	s := bufio.NewScanner(bytes.NewReader(source))
	s.Buffer(nil, len(source)+1)
	for n := 1; s.Scan(); n++ {
		text := s.Text()
		if strings.HasPrefix(text, "package ") {
			break
		}
		if constraint.IsGoBuild(text) {
			expr, err := constraint.Parse(text)
			return expr, n, err
		}
	}
	return nil, 0, s.Err()
}

func unique(list []string) []string {
	seen := map[string]bool{}
	out := list[:0]
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func checkAssembly(t *Tree) []Problem {
	var out []Problem
	for _, p := range t.Packages {
		for _, name := range p.Assembly {
			if !match("internal/asm/...", p.Dir) {
				out = append(out, Problem{"assembly", name, 0, "assembly belongs under internal/asm"})
			}

			source, err := fs.ReadFile(t.FS, name)
			if err != nil {
				out = append(out, Problem{"assembly", name, 0, err.Error()})
				continue
			}

			expr, line, _ := buildLine(source)
			if expr == nil || expr.Eval(func(string) bool { return true }) {
				out = append(out, Problem{"assembly", name, line, "is built under -tags purego; the first line must say //go:build !purego"})
			}
		}
	}
	return out
}
