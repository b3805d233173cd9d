// Package page is the web page of package serve: static files, without a build step, which ask only
// the server that they come from.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/show/chart"
)

//go:embed static
var static embed.FS

// Policy is the Content-Security-Policy of the page.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A Page serves the page at "/" and what belongs to it below "/static/".
type Page struct {
	assets map[string]asset // by name
	// part of the addresses of assets: changes with each of them, so that browsers may keep them
	hash  string
	index []byte
}

type asset struct {
	content []byte
	kind    string
}

// New returns the page.
func New() (*Page, error) {
	p := &Page{assets: map[string]asset{}}
	files, err := fs.ReadDir(static, "static")
	if err != nil {
		return nil, err
	}

	sum := sha256.New()
	add := func(name string, content []byte) {
		p.assets[name] = asset{content, kindOf(name)}
		fmt.Fprintln(sum, name, len(content))
		sum.Write(content)
	}

	for _, f := range files {
		content, err := static.ReadFile("static/" + f.Name())
		if err != nil {
			return nil, err
		}
		add(f.Name(), content)
	}

	maps, err := colourMaps()
	if err != nil {
		return nil, err
	}

	add("colours.json", maps)
	p.hash = hex.EncodeToString(sum.Sum(nil)[:8])
	index := string(p.assets["index.html"].content)
	p.index = []byte(strings.ReplaceAll(index, "ASSETS", "static/"+p.hash))
	delete(p.assets, "index.html")
	return p, nil
}

// kindOf returns the media type of a file; the system's own table may know others.
func kindOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return "application/json"
	default:
		return mime.TypeByExtension(ext)
	}
}

// ServeHTTP answers "/" and "/static/…".
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	if r.URL.Path == "/" || r.URL.Path == "" {
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		send(w, r, p.index, `"`+p.hash+`"`)
		return
	}

	name, ok := strings.CutPrefix(r.URL.Path, "/static/"+p.hash+"/")
	a, found := p.assets[name]
	if !ok || !found {
		http.NotFound(w, r)
		return
	}

	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	send(w, r, a.content, `"`+p.hash+`"`)
}

// send writes an answer, or that the browser has it.
func send(w http.ResponseWriter, r *http.Request, content []byte, tag string) {
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // a client that has gone away is no fault
	}
}

// colourMaps returns the colour maps of charts, as JSON.
func colourMaps() ([]byte, error) {
	type row struct {
		Name      string `json:"name"`
		Diverging bool   `json:"diverging"`
		Colours   string `json:"colours"` // rrggbb after rrggbb
	}

	const steps = 160
	var rows []row
	for _, name := range chart.ColourNames() {
		c, ok := chart.ColoursNamed(name)
		if !ok {
			return nil, fmt.Errorf("no colour map %s", name)
		}
		var text strings.Builder
		for i := range steps {
			at := c.At(float64(i) / (steps - 1))
			fmt.Fprintf(&text, "%02x%02x%02x", at.R, at.G, at.B)
		}
		rows = append(rows, row{name, c.Diverging(), text.String()})
	}
	return json.Marshal(rows)
}
