// Command browser drives the page of package serve in a real Chromium, over the DevTools protocol,
// and fails if something is not as it must be: on the page, in its pixels, in the console, or in
// what it asks of the network.
//
//	go run ./check/serve/browser -axe DIR            every step
//	go run ./check/serve/browser -images docs/images the pictures of the documents
//	go run ./check/serve/browser -kinds DIR          every kind of array, with pictures in DIR
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	program := flag.String("browser", "chromium", "the program of the browser")
	axe := flag.String("axe", "", "directory with node_modules/axe-core, for the audit of accessibility")
	images := flag.String("images", "", "directory to write pictures to, instead of the steps")
	all := flag.String("kinds", "", "instead of the steps, look at every kind of array, and write pictures to this directory")
	only := flag.String("only", "", "run only the steps whose name contains this")
	flag.Parse()
	err := run(*program, *axe, *images, *all, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(program, axe, images, all, only string) (err error) {
	b, err := startBrowser(program)
	if err != nil {
		return err
	}
	defer func() {
		if closing := b.close(); err == nil {
			err = closing
		}
	}()

	w, err := newWorld()
	if err != nil {
		return err
	}
	defer func() {
		if closing := errors.Join(w.stop(), os.RemoveAll(w.dir)); err == nil {
			err = closing
		}
	}()

	if images != "" {
		return drawImages(b, w, images)
	}
	if all != "" {
		// Look at every kind of array.
		if err := os.MkdirAll(all, 0o755); err != nil {
			return err
		}
		t, err := newTab(b, w.host)
		if err != nil {
			return err
		}

		if err = t.size(1280, 900, 1, false); err != nil {
			return err
		}
		return lookAtKinds(t, w, true, all)
	}

	audit := ""
	if axe != "" {
		raw, err := os.ReadFile(filepath.Join(axe, "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			return fmt.Errorf("axe-core is not installed: %w", err)
		}
		audit = string(raw)
	}
	return runSteps(b, w, audit, only)
}

// runSteps runs every step in a tab of its own.
func runSteps(b *browser, w *world, audit, only string) error {
	count := 0
	for _, s := range steps() {
		if !strings.Contains(s.name, only) || s.name == "audit" && audit == "" {
			continue
		}
		began := time.Now()
		t, err := newTab(b, w.host)
		if err != nil {
			return err
		}

		t.audit = audit
		if err = t.size(1280, 900, 1, false); err == nil {
			err = s.do(t, w)
		}
		if err == nil {
			err = t.fault()
		}
		if err != nil {
			t.err = nil // for a picture of the failure
			if _, raw, bad := t.shot(); bad == nil {
				name := filepath.Join(os.TempDir(), "browser-failed.png")
				_ = os.WriteFile(name, raw, 0o644)
				err = fmt.Errorf("%w (picture: %s)", err, name)
			}
			return fmt.Errorf("%s: %w", s.name, err)
		}

		if err := t.call("Page.close", nil, nil); err != nil {
			return err
		}
		fmt.Printf("%-12s %5.1f s\n", s.name, time.Since(began).Seconds())
		count++
	}

	if count == 0 {
		return fmt.Errorf("no step is called %q", only)
	}
	fmt.Println(count, "steps, no error in the console, no request to elsewhere")
	return nil
}
