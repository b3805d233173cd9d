package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// download selects with the mouse and compares the files with the array.
func download(t *tab, w *world) error {
	dir, err := os.MkdirTemp("", "download-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	err = t.b.call("", "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir}, nil)
	if err != nil {
		return err
	}

	if err := t.openArray(w, "data/dims3.b2nd?at=2,0,0"); err != nil {
		return err
	}
	at, err := t.stage()
	if err != nil {
		return err
	}

	x := float64(at.Min.X+at.Max.X) / 2
	y := float64(at.Min.Y+at.Max.Y) / 2
	err = all(
		t.drag(x-60, y-40, x+50, y+30, 6, true),
		t.wait(`/sel=\d+:\d+,\d+:\d+/.test(location.hash)`),
		t.eval(`document.querySelector('.bounds input').focus()`, nil),
	)
	if err != nil {
		return err
	}

	// The files must have the items of the selection that the page shows.
	var s string
	if err := t.eval(`document.querySelector('.selector').textContent.slice(1, -1)`, &s); err != nil {
		return err
	}
	want, err := wantedItems(w, s)
	if err != nil {
		return err
	}

	for _, format := range []string{"npy", "b2nd", "csv", "json", "png"} {
		name, err := t.fetchFile(dir, format)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", format, s, err)
		}
		if err := compareFile(name, format, want); err != nil {
			return fmt.Errorf("%s of %s: %w", format, s, err)
		}
	}
	return nil
}

func wantedItems(w *world, s string) ([]float32, error) {
	a, err := ndarray.OpenAs[float32](filepath.Join(w.dir, "dims3.b2nd"), nil)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	selectors, err := ndarray.Parse(s)
	if err != nil {
		return nil, err
	}
	return a.Read(context.Background(), selectors...)
}

// fetchFile clicks a link and waits for the file.
func (t *tab) fetchFile(dir, format string) (string, error) {
	if err := t.click(fmt.Sprintf(`.downloads a[href*="format=%s"]`, format)); err != nil {
		return "", err
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(dir, "*."+format))
		if len(found) > 0 {
			return found[0], nil
		}
	}
	return "", errors.New("nothing was downloaded")
}

func compareFile(name, format string, want []float32) error {
	var src ndarray.Source
	switch format {
	case "npy":
		a, err := npy.Open(name, nil)
		if err != nil {
			return err
		}
		defer a.Close()
		src = a
	case "b2nd":
		a, err := ndarray.Open(name, nil)
		if err != nil {
			return err
		}
		defer a.Close()
		src = a
	case "json":
		raw, err := os.ReadFile(name)
		var got struct{ Values [][]float32 }
		if err == nil {
			err = json.Unmarshal(raw, &got)
		}
		return errors.Join(err, check(len(got.Values) > 0 && got.Values[0][0] == want[0] && len(got.Values)*len(got.Values[0]) == len(want),
			"%.60s", raw))
	case "csv":
		raw, err := os.ReadFile(name)
		return errors.Join(err, check(strings.Count(string(raw), "\n") > 1, "%.60q", raw))
	default:
		raw, err := os.ReadFile(name)
		return errors.Join(err, check(strings.HasPrefix(string(raw), "\x89PNG"), "no picture"))
	}

	v, err := ndarray.ViewAs[float32](src)
	if err != nil {
		return err
	}
	got, err := v.Read(context.Background())
	if err != nil {
		return err
	}

	if len(got) != len(want) {
		return fmt.Errorf("%d items, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("item %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}
