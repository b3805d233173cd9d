package httprange

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/storage/diskcache"
)

// secret is every secret of the tests below.
const secret = "s3cr3t"

// withSecrets returns a URL with a user, a password and a signature.
func withSecrets(t *testing.T, link string) string {
	t.Helper()
	at, err := url.Parse(link)
	check(t, err)
	at.User = url.UserPassword(secret, secret)
	at.RawQuery = "X-Amz-Signature=" + secret + "&sig=" + secret
	return at.String()
}

// requireSilent fails if an error shows a secret, in any form.
func requireSilent(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
			text := fmt.Sprintf(verb, e)
			basic := "czNjcjN0OnMzY3IzdA" // of the user and the password
			if strings.Contains(text, secret) || strings.Contains(text, basic) {
				t.Errorf("%s: %s", what, text)
			}
		}
	}
}

// raw answers a request with bytes that need not be an answer, and closes the connection.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	}
}

// answer answers with a status and a header.
func answer(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range header {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
	}
}

const part = "Content-Range: bytes 300000-300999/1048576"

// errorAnswers are answers that fail, after a file was opened or while it is.
var errorAnswers = map[string]http.HandlerFunc{
	"401": answer(401), "403": answer(403), "404": answer(404), "407": answer(407), "410": answer(410), "412": answer(412),
	"418": answer(418), "429": answer(429, "Retry-After: 0"), "500": answer(500), "503": answer(503, "Retry-After: 3600"),
	"416": answer(416), "416 of another size": answer(416, "Content-Range: bytes */7"),
	"200": answer(200, "Content-Length: 5000000000"), "206 without a range": answer(206), "206 of a wrong range": answer(206, part+"x"),
	"another tag": answer(206, part, `ETag: "2"`), "a coding": answer(206, part, `ETag: "1"`, "Content-Encoding: gzip"),
	"several parts": answer(206, part, `ETag: "1"`, "Content-Type: multipart/byteranges; boundary=x"),
	"another size":  answer(206, "Content-Range: bytes 300000-300999/7", `ETag: "1"`),
	"other bytes":   answer(206, "Content-Range: bytes 0-999/1048576", `ETag: "1"`),
	"truncated":     raw("HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\n" + part + "\r\nContent-Length: 1000\r\n\r\nabc"),
	"no answer":     raw(""), "no HTTP": raw("220 smtp\r\n"), "a bad status": raw("HTTP/1.1 2x6\r\n\r\n"),
	"a bad header": raw("HTTP/1.1 206 OK\r\nbad header\r\n\r\n"), "a bad length": raw("HTTP/1.1 206 OK\r\nContent-Length: x\r\n\r\n"),
	"large header":           raw("HTTP/1.1 206 OK\r\nX: " + strings.Repeat("y", 2*maxHeader) + "\r\n\r\n"),
	"bad chunks":             raw("HTTP/1.1 206 OK\r\nETag: \"1\"\r\n" + part + "\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
	"redirect to nothing":    answer(302),
	"redirect to a scheme":   answer(302, "Location: ftp://me:"+secret+"@h/?sig="+secret),
	"redirect to no URL":     answer(302, "Location: http://me:"+secret+"@[::1/?sig="+secret),
	"redirect elsewhere":     answer(307, "Location: http://me:"+secret+"@other.invalid/"+secret+"?sig="+secret),
	"redirect in circles":    answer(308, "Location: /f?sig="+secret),
	"redirect with a user":   answer(301, "Location: //"+secret+":"+secret+"@other.invalid/"),
	"redirect to a bad port": answer(302, "Location: http://me:"+secret+"@h:99999999/?sig="+secret),
	"silence":                func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
}

// TestErrorsKeepSecrets goes through every way to fail, while a file is opened, read and asked for,
// with secrets in the URL, the options and the redirects.
func TestErrorsKeepSecrets(t *testing.T) {
	data := pattern(1 << 20)
	for name, fail := range errorAnswers {
		s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
		cache, err := diskcache.Open(t.TempDir(), nil)
		check(t, err)
		idle := time.Duration(0)
		if name == "silence" {
			idle = 300 * time.Millisecond
		}
		for _, o := range []*Options{
			{Attempts: 2, Idle: idle},
			{Attempts: 1, Token: secret, Header: http.Header{"X-Key": {secret}}, Cache: cache, Idle: idle},
		} {
			link := withSecrets(t, s.URL+"/f")
			s.instead(nil)
			f, err := Open(t.Context(), link, o)
			for i := 0; err != nil && idle > 0 && i < 100; i++ {
				// A busy machine may be slower than that.
				f, err = Open(t.Context(), link, o)
			}
			check(t, err)
			s.instead(func(w http.ResponseWriter, r *http.Request) bool { fail(w, r); return true })
			_, err = f.ReadAt(make([]byte, 1000), 300_000)
			requireSilent(t, name, err)
			check(t, f.Close())
			_, err = Open(t.Context(), link, o)
			requireSilent(t, name+", while opening", err)
			files, err := NewFS(t.Context(), o)
			check(t, err)
			_, err = files.Stat(link)
			requireSilent(t, name+", of Stat", err)
			check(t, files.Close())
		}
		check(t, cache.Close())
	}
}

// TestOtherErrorsKeepSecrets does so for what fails without an answer.
func TestOtherErrorsKeepSecrets(t *testing.T) {
	s := serve(t, map[string]served{"/f": {data: pattern(1 << 20), tag: `"1"`}, "/unpinned": {data: pattern(10)}})
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, closed.Close())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	once := Options{Attempts: 1}
	for name, c := range map[string]struct {
		ctx  context.Context
		link string
		o    Options
	}{
		"a closed port":       {link: withSecrets(t, "http://"+closed.Addr().String()+"/f"), o: once},
		"a certificate":       {link: withSecrets(t, secure.URL+"/f"), o: once},
		"https to http":       {link: withSecrets(t, strings.Replace(s.URL, "http:", "https:", 1)+"/f"), o: once},
		"no version":          {link: withSecrets(t, s.URL+"/unpinned"), o: once},
		"an ended context":    {ctx: ended, link: withSecrets(t, s.URL+"/f")},
		"a bad header":        {link: withSecrets(t, s.URL+"/f"), o: Options{Attempts: 1, Header: http.Header{"X": {secret + "\n"}}}},
		"a bad token":         {link: withSecrets(t, s.URL+"/f"), o: Options{Attempts: 1, Token: secret + "\x00"}},
		"two credentials":     {link: withSecrets(t, s.URL+"/f"), o: Options{Token: secret, User: secret}},
		"a negative option":   {link: withSecrets(t, s.URL+"/f"), o: Options{Attempts: -1, Token: secret}},
		"another scheme":      {link: withSecrets(t, "ftp://h/f")},
		"no host":             {link: "http://" + secret + ":" + secret + "@/f?sig=" + secret},
		"a space":             {link: "http://me:" + secret + "@ho st/f"},
		"a bracket":           {link: "http://me:" + secret + "@[::1/f"},
		"a bad port":          {link: "http://me:" + secret + "@h:" + secret + "/f"},
		"an escape":           {link: "http://me:" + secret + "%zz@h/f?sig=" + secret},
		"a control character": {link: "http://me:" + secret + "@h/\x7f?sig=" + secret},
	} {
		ctx := c.ctx
		if ctx == nil {
			ctx = t.Context()
		}
		_, err := Open(ctx, c.link, &c.o)
		requireSilent(t, name, err)
		files, err := NewFS(ctx, &c.o)
		if err != nil {
			requireSilent(t, name+", of NewFS", err)
			continue
		}
		_, err = files.ReadDir(c.link)
		requireSilent(t, name+", of ReadDir", err)
		_, err = files.OpenRW(c.link)
		requireSilent(t, name+", of OpenRW", err)
		check(t, files.Close())
	}
}

var throughProxy = flag.Bool("through-proxy", false, "TestProxyErrors is the process whose environment has a proxy")

// TestProxyErrors checks what is said about a proxy of the environment, which is read once in a
// process.
func TestProxyErrors(t *testing.T) {
	if *throughProxy {
		_, err := Open(t.Context(), "http://"+secret+":"+secret+"@example.invalid/f?sig="+secret, &Options{Attempts: 1})
		requireSilent(t, "a proxy", err)
		fmt.Println("error:", err)
		return
	}
	for _, proxy := range []string{"http://me:" + secret + "@127.0.0.1:1", "http://me:" + secret + "@[::1"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestProxyErrors$", "-through-proxy")
		cmd.Env = append(os.Environ(), "HTTP_PROXY="+proxy, "http_proxy="+proxy)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), secret) || !strings.Contains(string(out), "error: ") {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// TestProxy reads through a proxy of the environment, which gets its own credentials and none of
// the server's.
func TestProxy(t *testing.T) {
	const link = "http://far.invalid/f"
	if *throughProxy {
		f, err := Open(t.Context(), link, nil)
		check(t, err)
		p := make([]byte, 10)
		_, err = f.ReadAt(p, 300_000)
		check(t, err, f.Close())
		fmt.Printf("read %x\n", p)
		return
	}
	data := pattern(1 << 20)
	var asked atomic.Int64
	s := serve(t, nil)
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		user, _, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		if r.URL.String() != link || user != "me" {
			http.Error(w, r.URL.String(), http.StatusTeapot)
			return true
		}
		asked.Add(1)
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		return true
	})
	proxy := strings.Replace(s.URL, "http://", "http://me:"+secret+"@", 1)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestProxy$", "-through-proxy")
	cmd.Env = append(os.Environ(), "HTTP_PROXY="+proxy, "http_proxy="+proxy, "NO_PROXY=", "no_proxy=")
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("read %x\n", data[300_000:300_010]); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	if asked.Load() < 3 {
		t.Errorf("the proxy was asked %d times", asked.Load())
	}
}
