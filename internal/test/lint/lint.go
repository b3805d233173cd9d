// Package lint checks the conventions of this module that a compiler cannot check: which package
// may import which, where build constraints may occur, that global state does not change, that
// exported names are documented, and so on.
//
// Its test applies every rule to this module, so they run as part of `go test ./...` and only
// there.
package lint

import (
	"fmt"
	"sort"
)

// A Problem is a violation of a rule.
type Problem struct {
	Rule string // name of the rule, as in [Rules]
	File string // slash-separated path from the module root
	Line int    // 1 for the first line; 0 for a problem with the whole file or folder
	Text string // what is wrong and how to fix it
}

// String returns the problem in the form that editors recognize, "chunk/header.go:12: rule: text".
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", p.File, p.Rule, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Rule, p.Text)
}

// A Rule is a check of a whole tree.
type Rule struct {
	Name  string
	Doc   string // one sentence that states the rule
	Check func(*Tree) []Problem
}

// Rules returns all rules. They are independent, so a test can apply one to a tree of its own.
func Rules() []Rule {
	return []Rule{
		// what packages use and share
		{"imports", "packages import downward only, along the import table, and third-party modules only where it says so", checkImports},
		{"constraints", "architectures are named only under internal/asm, operating systems only under internal/osfile", checkConstraints},
		{"assembly", "every assembly file is excluded by the purego tag", checkAssembly},
		{"state", "no init functions and no package-level variable that changes after start", checkState},
		{"immutable", "what never changes is not written to", checkImmutable},
		{"environment", "no library package reads the environment", checkEnvironment},
		{"lending", "memory is lent, and its owner kept alive, in one place", checkLending},

		// where questions are answered
		{"facts", "codecs, filters and kinds of dtypes are told apart in their tables only", checkFacts},
		{"meaning", "attributes that say what items mean are read in internal/cf only", checkMeaning},
		{"error text", "no product code decides by the text of an error", checkErrorText},
		{"limits", "every bound that users can meet says what it bounds", checkLimits},

		// how the code and its text look
		{"comments", "exported names have a doc comment that starts with the name, packages have a package comment", checkComments},
		{"overview", "doc.go of the module names every public package", checkOverview},
		{"width", "comments are wrapped at 100 columns, but for links and directives", checkWidth},
		{"script width", "comments in assembly, C, scripts and nested modules are wrapped at 100 columns", checkScriptWidth},
		{"text width", "text in Markdown files is wrapped at 100 columns", checkTextWidth},
		{"size", "folders have at most 60 files, files 400 lines of code and functions 70", checkSize},
		{"air", "long functions come in paragraphs, and a statement assigns one thing", checkAir},
		{"names", "no folder or file is named after nothing in particular", checkNames},
		{"unfinished", "no comment marks unfinished work", checkUnfinished},

		// what the tests cover
		{"skips", "no test skips itself for want of something", checkSkips},
		{"processes", "the gate knows the tests that start their own binary", checkProcesses},
		{"fuzz", "every exported decoder of bytes is named beside a fuzz target of its package", checkFuzz},

		// that the documents are right
		{"links", "relative links between the documents lead somewhere", checkLinks},
		{"named", "Go files, tests and names of packages that the documents mention exist", checkNamed},
		{"sources", "Go files that comments name are there", checkSources},
		{"readme", "the program in README.md is the example that the tests run", checkReadme},
		{"recipes", "the Go code in the documents is part of the tests", checkRecipes},
		{"support", "every row of docs/support.md and docs/promises.md names tests that exist", checkSupport},
	}
}

// Run applies all rules to a tree and returns the problems by file and line.
func Run(t *Tree) []Problem {
	var all []Problem
	for _, r := range Rules() {
		all = append(all, r.Check(t)...)
	}

	sort.SliceStable(all, func(i, j int) bool {
		if all[i].File != all[j].File {
			return all[i].File < all[j].File
		}
		return all[i].Line < all[j].Line
	})
	return all
}
