package lint

import (
	"go/ast"
	"io/fs"
	"regexp"
	"strings"
)

// gate is the script that runs everything before a change lands.
const gate = ".ci/run"

// emulatedSkip matches a part of the pattern of tests that the gate leaves out where it emulates a
// processor.
var emulatedSkip = regexp.MustCompile(`(?m)^starts_processes\+?='\|?([^']+)'`)

// checkProcesses checks that the gate knows the tests that start their own binary: it would begin
// without the emulator.
func checkProcesses(t *Tree) []Problem {
	text, err := fs.ReadFile(t.FS, gate)
	if err != nil {
		return nil // a download of the module does not contain it
	}

	var names []string
	for _, m := range emulatedSkip.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}

	known := regexp.MustCompile("^(" + strings.Join(names, "|") + ")")
	var out []Problem
	for _, p := range t.Packages {
		for _, f := range p.Files {
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && f.Test && strings.HasPrefix(fn.Name.Name, "Test") && startsItself(fn) && !known.MatchString(fn.Name.Name) {
					out = append(out, t.problem("processes", f.Name, fn.Pos(),
						"%s starts its own binary, and is not among starts_processes in %s", fn.Name.Name, gate))
				}
			}
		}
	}
	return out
}

// startsItself reports whether a function mentions the path of the running binary and commands.
func startsItself(fn *ast.FuncDecl) bool {
	return fn.Body != nil && (mentions(fn.Body, "os", "Args") || mentions(fn.Body, "os", "Executable")) &&
		(mentions(fn.Body, "exec", "Command") || mentions(fn.Body, "exec", "CommandContext"))
}
