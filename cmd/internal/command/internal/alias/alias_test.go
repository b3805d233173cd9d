package alias

import (
	"net/url"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	var n Names
	for _, c := range [][2]string{
		{"https://h/b", "https://h/b"},
		{"https://me:pw@h/a", "https://h/a"},
		{"https://you:pw@h/a", "https://h/a?...2"},
		{"https://h/a", "https://h/a?...3"},
		{"https://h/a?sig=1", "https://h/a?..."},
		{"https://h/a?sig=2", "https://h/a?...4"},
		{"https://h/a?sig=1", "https://h/a?..."},
		{"https://me:pw@h/x.zarr", "https://h/x.zarr"},
		{"https://me:pw@h/y/", "https://h/y/"},
		{"https://me:pw@h/y/z", "https://h/y/z"},
		{"https://me:pw@ho st/a", "https://..."},
		{"https://me:pw@[::1/a", "https://...?...2"},
	} {
		if got := n.Of(c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
		if c[0] != c[1] && n.Link(c[1]) != c[0] {
			t.Errorf("%s is %s, want %s", c[1], n.Link(c[1]), c[0])
		}
	}
	for name, want := range map[string]string{
		"https://h/x.zarr/zarr.json": "https://me:pw@h/x.zarr/zarr.json",
		"https://h/x.zarr/":          "https://me:pw@h/x.zarr/",
		"https://h/y/c/0":            "https://me:pw@h/y/c/0",
		"https://h/y":                "https://h/y",
		"https://h/x.zarray":         "https://h/x.zarray",
		"https://other/":             "https://other/",
	} {
		if got := n.Link(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// FuzzNames checks that names show neither users nor queries, and lead back to the URL.
func FuzzNames(f *testing.F) {
	f.Add("https://me:s3cr3t@h/a?b=c#d", "https://h/a?x")
	f.Add("http://me:s3cr3t@ho st/", "http://[::1]:80//@/?")
	f.Fuzz(func(t *testing.T, a, b string) {
		var n Names
		a, b = "https://"+strings.TrimPrefix(a, "https://"), "http://"+strings.TrimPrefix(b, "http://")
		for _, link := range []string{a, b, a} {
			name := n.Of(link)
			if got := n.Link(name); got != link {
				t.Fatalf("%q is %q, which is %q", link, name, got)
			}
			at, err := url.Parse(name)
			if name != "https://..." && name != "http://..." && (err != nil || at.User != nil ||
				at.RawQuery != "" && !strings.HasPrefix(at.RawQuery, "...")) {
				t.Fatalf("%q shows %q: %v", link, name, err)
			}
		}
		if n.Of(a) == n.Of(b) && a != b {
			t.Fatalf("%q and %q are both %q", a, b, n.Of(a))
		}
	})
}
