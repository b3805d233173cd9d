package page

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, p *Page, path, tag string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	p.ServeHTTP(w, r)
	return w
}

// TestAssets follows every reference of the page, and of its modules to each other.
func TestAssets(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	index := get(t, p, "/", "")
	if index.Code != http.StatusOK || !strings.Contains(index.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatal(index.Code, index.Header())
	}
	wanted := regexp.MustCompile(`(?:href|src)="(static/[^"]+)"`).FindAllStringSubmatch(index.Body.String(), -1)
	var queue []string
	for _, m := range wanted {
		queue = append(queue, "/"+m[1])
	}
	seen := map[string]bool{}
	imports := regexp.MustCompile(`from '\./([\w.]+)'`)
	for len(queue) > 0 {
		path := queue[0]
		if queue = queue[1:]; seen[path] {
			continue
		}
		seen[path] = true
		w := get(t, p, path, "")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") == "" ||
			!strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d, %v", path, w.Code, w.Header())
		}
		if again := get(t, p, path, w.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", path, again.Code)
		}
		for _, m := range imports.FindAllStringSubmatch(w.Body.String(), -1) {
			queue = append(queue, path[:strings.LastIndex(path, "/")+1]+m[1])
		}
	}
	for name := range p.assets {
		if name != "colours.json" && !seen["/static/"+p.hash+"/"+name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
	for _, path := range []string{"/static/", "/static/0/app.js", "/static/" + p.hash + "/index.html", "/static/" + p.hash + "/../page.go", "/x"} {
		if w := get(t, p, path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestNothingIsFetchedFromElsewhere looks for addresses in what is served.
func TestNothingIsFetchedFromElsewhere(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`https?://[^\s'"]*|//[a-z]+\.[a-z]+`)
	allowed := map[string]bool{"http://www.w3.org/2000/svg": true}
	total := 0
	for name, a := range p.assets {
		total += len(a.content)
		for _, found := range names.FindAllString(string(a.content), -1) {
			if !allowed[found] {
				t.Errorf("%s: %s", name, found)
			}
		}
		if strings.Contains(string(a.content), "innerHTML") || strings.Contains(string(a.content), "eval(") {
			t.Errorf("%s makes HTML or code of text", name)
		}
	}
	if total > 200<<10 {
		t.Errorf("the page has %d bytes", total)
	}
}

func TestColourMapsAreThoseOfCharts(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	text := string(p.assets["colours.json"].content)
	if !strings.Contains(text, `"name":"lagoon","diverging":false`) || !strings.Contains(text, `"name":"balance","diverging":true`) {
		t.Errorf("%.200s", text)
	}
}
