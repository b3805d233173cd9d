package httprange

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

// TestCredentials checks that the caller's headers and credentials arrive.
func TestCredentials(t *testing.T) {
	s := serve(t, map[string]served{"/f": {data: pattern(1 << 20), tag: `"1"`}})
	at, err := url.Parse(s.URL + "/f?sig=abc")
	check(t, err)
	at.User = url.UserPassword("me", "secret")
	for _, c := range []struct {
		link string
		o    *Options
		want string
	}{
		{at.String(), nil, "Basic bWU6c2VjcmV0"},
		{s.URL + "/f?sig=abc", &Options{User: "me", Password: "secret"}, "Basic bWU6c2VjcmV0"},
		{at.String(), &Options{Token: "xyz"}, "Bearer xyz"},
		{s.URL + "/f?sig=abc", &Options{Header: http.Header{"authorization": {"Other"}}}, "Other"},
	} {
		s.since()
		open(t, c.link, c.o)
		for _, r := range s.since() {
			if got := r.Header.Get("Authorization"); got != c.want || r.URL.RawQuery != "sig=abc" {
				t.Errorf("%s: %q, query %q", c.want, got, r.URL.RawQuery)
			}
		}
	}
	if _, err := Open(t.Context(), s.URL, &Options{Token: "a", User: "b"}); err == nil {
		t.Error("a token and a user")
	}
}

// TestSecretsStaySecret checks that errors and formatted values have no credentials and no query.
func TestSecretsStaySecret(t *testing.T) {
	secret := "s3cr3t"
	o := &Options{User: secret, Password: secret, Header: http.Header{"X-Key": {secret}}}
	s := serve(t, nil)
	at, err := url.Parse(s.URL + "/none?sig=" + secret)
	check(t, err)
	at.User = url.UserPassword("me", secret)
	closed := httptest.NewServer(nil)
	closed.Close()
	redirects := serve(t, nil)
	redirects.instead(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Location", "http://me:"+secret+"@other.invalid:70000/?sig="+secret)
		w.WriteHeader(http.StatusFound)
		return true
	})
	var texts []string
	for _, link := range []string{
		at.String(), strings.Replace(at.String(), s.URL[7:], closed.URL[7:], 1),
		redirects.URL, "http://me:" + secret, "ftp://me:" + secret + "@host/", "http://me:" + secret + "@ho st/",
		"http://me:" + secret + "@[::1", "https://me:" + secret + "@" + s.URL[7:] + "/?sig=" + secret,
	} {
		_, err := Open(t.Context(), link, &Options{Attempts: 1, Token: ""})
		if err == nil {
			t.Errorf("%s could be opened", link)
			continue
		}
		texts = append(texts, err.Error(), fmt.Sprintf("%#v", err))
	}
	c, where, err := newClient(at.String(), o)
	check(t, err)
	for _, value := range []any{o, *o, c, &source{client: c, url: where}, struct{ O Options }{*o}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%q"} {
			texts = append(texts, fmt.Sprintf(verb, value))
		}
	}
	for _, text := range texts {
		if strings.Contains(text, secret) {
			t.Errorf("has the secret: %s", text)
		}
	}
}

// TestRedirects checks which redirects are followed, and that other hosts get no credentials.
func TestRedirects(t *testing.T) {
	data := pattern(100_000)
	s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
	other := serve(t, map[string]served{"/g": {data: data, tag: `"1"`}})
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/f", http.StatusTemporaryRedirect)
		case "/other":
			http.Redirect(w, r, other.URL+"/g", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			return false
		}
		return true
	})
	o := &Options{Token: "xyz", Header: http.Header{"X-Key": {"1"}, "Cookie": {"a=b"}}}
	open(t, s.URL+"/same", o)
	for _, r := range s.since() {
		if r.Header.Get("Authorization") != "Bearer xyz" || r.Header.Get("X-Key") != "1" {
			t.Errorf("%s without credentials", r.URL)
		}
	}
	if _, err := Open(t.Context(), s.URL+"/loop", o); err == nil || !strings.Contains(err.Error(), "10 redirects") {
		t.Error(err)
	}
	if _, err := Open(t.Context(), s.URL+"/other", o); !errors.Is(err, cairn.ErrUnsupported) ||
		!strings.Contains(err.Error(), "another host") {
		t.Error(err)
	}
	if n := len(other.since()); n != 0 {
		t.Errorf("%d requests to another host", n)
	}
	allowed := *o
	allowed.OtherHosts = true
	open(t, s.URL+"/other?sig=1", &allowed)
	for _, r := range other.since() {
		for _, name := range []string{"Authorization", "X-Key", "Cookie", "Referer"} {
			if got := r.Header.Get(name); got != "" {
				t.Errorf("another host gets %s %q", name, got)
			}
		}
	}
}

func TestSameHost(t *testing.T) {
	for _, c := range []struct {
		home, at string
		want     bool
	}{
		{"http://a/", "http://a:80/x", true},
		{"http://a/", "https://A/", true},
		{"https://a/", "http://a/", false},
		{"http://a:8080/", "https://a/", false},
		{"http://a/", "http://a:81/", false},
		{"http://a.b/", "http://b/", false},
		{"http://b/", "http://a.b/", false},
		{"https://a:443", "https://a", true},
	} {
		home, err := url.Parse(c.home)
		check(t, err)
		at, err := url.Parse(c.at)
		check(t, err)
		if got := sameHost(home, at); got != c.want {
			t.Errorf("%s, %s: %v", c.home, c.at, got)
		}
	}
}

// TestDowngrade checks that no redirect leads from https to http.
func TestDowngrade(t *testing.T) {
	plain := serve(t, map[string]served{"/f": {data: pattern(10), tag: `"1"`}})
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/f", http.StatusFound))
	defer secure.Close()
	_, err := Open(t.Context(), secure.URL, &Options{OtherHosts: true, Transport: secure.Client().Transport})
	if err == nil || !strings.Contains(err.Error(), "from https to http") {
		t.Error(err)
	}
	// A certificate that nobody vouches for is not tried again.
	if _, err := Open(t.Context(), secure.URL, nil); err == nil || !strings.Contains(err.Error(), "certificate") ||
		strings.Contains(err.Error(), "attempts") {
		t.Error(err)
	}
}
