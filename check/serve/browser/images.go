package main

import (
	"errors"
	"os"
	"path/filepath"
)

// drawImages writes the pictures of the documents.
func drawImages(b *browser, w *world, dir string) error {
	const climate = "data/climate.b2z/t2m?at=5,0,0"
	for _, p := range []struct {
		name, path    string
		width, height int
		phone, dark   bool
	}{
		{"serve-browse.png", "data", 1000, 640, false, false},
		{"serve-picture.png", climate + "&p=5,62,68", 1280, 860, false, false},
		{"serve-dark.png", "data/large.b2nd?grid=1", 1000, 700, false, true},
		{"serve-phone.png", climate, 390, 780, true, false},
	} {
		t, err := newTab(b, w.host)
		if err != nil {
			return err
		}

		err = all(
			t.size(p.width, p.height, 1, p.phone),
			t.scheme(p.dark),
			t.open(w.url(p.path)),
			t.wait(`document.querySelector('.entries a') || `+shown),
			// lines and histogram
			t.eval(`new Promise(r => setTimeout(() => r(1), 1500))`, nil),
		)
		if err != nil {
			return err
		}

		_, raw, err := t.shot()
		if err := errors.Join(err, t.fault(), os.WriteFile(filepath.Join(dir, p.name), raw, 0o644)); err != nil {
			return err
		}
	}
	return nil
}
