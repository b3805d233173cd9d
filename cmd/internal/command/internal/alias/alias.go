// Package alias gives URLs names without secrets: what the command prints and reports instead of
// them.
package alias

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// Names are the names of the URLs of a run. The zero value has none. It is safe for concurrent use.
type Names struct {
	mu    sync.Mutex
	links map[string]string // by name
}

// Of returns the name of a URL: without user and password, and with "..." for its query, where
// signatures are. Different URLs have different names.
func (n *Names) Of(link string) string {
	shown := hide(link)
	n.mu.Lock()
	defer n.mu.Unlock()

	for i := 2; ; i++ {
		if other, taken := n.links[shown]; !taken || other == link {
			break
		}
		shown = strings.TrimSuffix(hide(link), "?...") + "?..." + strconv.Itoa(i)
	}

	if n.links == nil {
		n.links = map[string]string{}
	}
	n.links[shown] = link
	return shown
}

// hide returns a URL without what may be secret. Of what is no URL nothing but the scheme is left.
func hide(link string) string {
	at, err := url.Parse(link)
	if err != nil {
		scheme, _, _ := strings.Cut(link, "//")
		return scheme + "//..."
	}

	if at.User == nil && at.RawQuery == "" && at.Fragment == "" {
		return link
	}

	at.User = nil
	at.Fragment = ""
	at.RawFragment = ""
	if at.RawQuery != "" {
		at.RawQuery = "..."
	}
	return at.String()
}

// Link returns the URL of a name, or of something in a directory that has one. Other names are
// returned as they are.
func (n *Names) Link(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if link, ok := n.links[name]; ok {
		return link
	}

	found := ""
	for shown := range n.links {
		if dir := strings.TrimSuffix(shown, "/"); len(shown) > len(found) && strings.HasPrefix(name, dir+"/") {
			found = shown
		}
	}

	if found == "" {
		return name
	}
	rest := name[len(strings.TrimSuffix(found, "/")):]
	return strings.TrimSuffix(n.links[found], "/") + rest
}
