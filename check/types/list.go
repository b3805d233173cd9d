package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A build says what packages are built for.
type build struct {
	dir      string // where packages are named from
	platform string // system/processor
	tags     string // with commas
}

// A listed is a package, as go list describes it. The packages of a test are listed apart from the
// package that they test: the package with its inner tests, under the name "path [path.test]", the
// outer tests, and each package in between that has to be compiled again.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	GoFiles    []string // of tests too, in the packages of a test
	CgoFiles   []string
	SFiles     []string
	ImportMap  map[string]string // from a path in the source to that of the package, if they differ
	Module     *struct{ GoVersion string }
	Error      *struct{ Err string }
}

// list returns packages, their tests, and all that they import.
func list(b build, patterns []string) ([]listed, error) {
	system, processor, ok := strings.Cut(b.platform, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not a platform, such as linux/amd64", b.platform)
	}

	args := []string{"list", "-e", "-deps", "-test", "-tags", b.tags,
		"-json=ImportPath,Name,Dir,Standard,GoFiles,CgoFiles,SFiles,ImportMap,Module,Error", "--"}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")

	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaint.String())
	}

	var all []listed
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// isTestMain reports whether p is the program that go test generates around tests.
func (p *listed) isTestMain() bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test")
}

// path returns the path that p has in its code: without the test that it is compiled for.
func (p *listed) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}
