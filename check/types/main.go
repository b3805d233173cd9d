// Command types type-checks packages and their tests, as the compiler would for other platforms,
// from their source alone:
//
//	go run ./check/types -platforms linux/arm64,windows/amd64 [-tags purego] ./... ./check/...
//
// It takes a few seconds where go build and go vet compile for a minute: of the standard library,
// only the declarations are read. The analyses of go vet are not made. Errors end the program with
// status 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
)

func main() {
	platforms := flag.String("platforms", runtime.GOOS+"/"+runtime.GOARCH, "systems and processors, with commas")
	tags := flag.String("tags", "", "build tags, with commas")
	flag.Parse()

	failed := false
	files := newSources()

	for platform := range strings.SplitSeq(*platforms, ",") {
		checked, err := check(files, build{dir: ".", platform: platform, tags: *tags}, flag.Args())
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages\n", platform, checked)
	}

	if failed {
		os.Exit(1)
	}
}
