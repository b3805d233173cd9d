package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// makeTargets makes a folder to serve, and canaries around it and behind links in it.
func makeTargets(dir string) error {
	data := filepath.Join(dir, "data")
	err := errors.Join(os.MkdirAll(filepath.Join(data, "folder", ".hidden"), 0o777), os.Mkdir(filepath.Join(dir, "outside"), 0o777))
	for _, name := range []string{"canary", "outside/canary", "outside/canary.npy", "data/.canary", "data/folder/.hidden/canary"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(canary+"\n", 20)), 0o600))
	}
	err = errors.Join(err, os.Symlink("../canary", filepath.Join(data, "link")), os.Symlink("../outside", filepath.Join(data, "links")),
		os.Symlink("../../canary", filepath.Join(data, "folder", "link.b2nd")), os.WriteFile(filepath.Join(data, "notes.txt"), []byte("some notes\n"), 0o600))
	if err != nil {
		return err
	}

	ctx := context.Background()
	u, err := ndarray.CreateUntyped(filepath.Join(data, "a.b2nd"), "<f4", ndarray.Shape{700, 900}, &ndarray.Options{Codec: codecs.LZ4})
	if err != nil {
		return err
	}

	d := drawer{rand.New(rand.NewPCG(1, 1))}
	err = u.WriteBox(ctx, d.items(u.DType(), 700*900), []int64{0, 0}, []int64{700, 900})
	huge, failed := ndarray.CreateUntyped(filepath.Join(data, "huge.b2nd"), "<f8", ndarray.Shape{1 << 20, 1 << 20, 4}, nil)
	if err = errors.Join(err, failed); err != nil {
		return err
	}

	e, err := store.Create(filepath.Join(data, "run.b2z"), nil)
	if err == nil {
		err = errors.Join(e.Put(ctx, "/g/a", u, nil), e.Put(ctx, "/b", u, nil), e.Close())
	}
	return errors.Join(err, npy.Save(ctx, filepath.Join(data, "n.npy"), u, nil), zarr.Save(ctx, filepath.Join(data, "folder", "z.zarr"), u, nil),
		u.Close(), huge.Close())
}

// An attacker draws requests.
type attacker struct{ drawer }

var (
	routes = []string{"/", "/api/v1/list/", "/api/v1/info/", "/api/v1/slice/", "/api/v1/points/", "/api/v1/stats/", "/api/v1/chunks/",
		"/api/v1/coordinates/", "/api/v1/tiles/", "/zarr/", "/zarr/", "/files/", "/files/", "/static/", "/healthz", "/metrics", "/api/v2/", "//", "/api/"}
	targets = []string{"data", "data/a.b2nd", "data/a.b2nd", "data/a.b2nd", "data/a", "data/huge.b2nd", "data/huge.b2nd", "data/n.npy", "data/run.b2z",
		"data/run.b2z/g/a", "data/run.b2z/b", "data/folder", "data/folder/z.zarr", "data/folder/z.zarr/zarr.json", "data/notes.txt", "data/link", "data/links",
		"data/links/canary", "data/links/canary.npy", "data/folder/link.b2nd", "data/.canary", "data/folder/.hidden/canary", "canary", "", "data/none"}
	ups    = []string{"../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "..\\", "....//", "..;/", "%252e%252e/", "%c0%ae%c0%ae/", "./", "//", "%00", "..%00/", "~/", "C:/", "\u202e", "%ff"}
	keys   = []string{"/zarr.json", "/.zarray", "/.zattrs", "/.zgroup", "/.zmetadata", "/c/0/0", "/c/1/0", "/0.0", "/0.1", "/c", "/c/", "/c/-1/0", "/c/9/9/9", "/c/99999999999999999999/0", "/0.0.0", "/1e9.0", "/c/00/0", "/c/0/0/"}
	params = []string{"s", "format", "at", "bins", "first", "limit", "after", "search", "dim", "start", "stop", "y", "x", "level", "ty", "tx", "quality", "v", "fields"}
	values = []string{"0", "1", "-1", "0:10", ":", "...", "0,0", "0:700, 0:900", ":,:,:", "0:999999999999,0:9", "::0", "::-1", "9223372036854775807", "-9223372036854775808", "1e308", "NaN", "[0,1,2]",
		"[" + strings.Repeat("1,", 2000) + "1]", strings.Repeat(":,", 40) + ":", "raw", "npy", "b2nd", "json", "csv", "png", "exact", "sampled", "%", "a", "time=2020", "\x00", strings.Repeat("9", 400), "é", "0x10", "1_000", "2", "3", "31", "64"}
	headers = []string{"Range", "If-Range", "If-None-Match", "If-Match", "If-Modified-Since", "Accept-Encoding", "Origin", "Authorization", "X-Forwarded-For", "Content-Length", "Transfer-Encoding", "Expect", "Upgrade", "Connection", "Accept", "Referer", "Cookie"}
	hosts   = []string{"localhost", "127.0.0.1:8080", "[::1]:80", "evil.example", "", "localhost:1:2", "localhost@evil.example", strings.Repeat("a", 300)}
	methods = []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "get", "CONNECT"}
)

// request draws a request as text.
func (a attacker) request() string {
	var b strings.Builder
	method := pick(a.drawer, "GET", "GET", "GET", "GET", "HEAD")
	if a.IntN(10) == 0 {
		method = pick(a.drawer, methods...)
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.%d\r\n", method, a.address(), min(1, a.IntN(20)))

	host := "localhost"
	if a.IntN(20) == 0 {
		host = pick(a.drawer, hosts...)
	}
	fmt.Fprintf(&b, "Host: %s\r\n", host)
	for range a.IntN(4) {
		name := pick(a.drawer, headers...)
		fmt.Fprintf(&b, "%s: %s\r\n", name, a.value(name))
	}

	b.WriteString("\r\n")
	if a.IntN(20) == 0 {
		b.WriteString(strings.Repeat("body", a.IntN(1000)))
	}
	return b.String()
}

// address draws a path and a query.
func (a attacker) address() string {
	path := pick(a.drawer, targets...)
	if a.IntN(2) == 0 {
		path = targets[1+a.IntN(12)] // where there is something
	}

	switch a.IntN(12) {
	case 0, 1: // climb
		at := a.IntN(len(path) + 1)
		path = path[:at] + strings.Repeat(pick(a.drawer, ups...), 1+a.IntN(6)) + pick(a.drawer, path[at:], "canary", "outside/canary", "etc/passwd")
	case 2:
		b := []byte(path + "x")
		b[a.IntN(len(b))] = byte(a.Uint32())
		path = url.PathEscape(string(b))
		if a.IntN(2) == 0 {
			path = strings.ReplaceAll(path, "%2F", "/")
		}
	case 3:
		path += strings.Repeat("/"+path, a.IntN(100))
	}

	route := pick(a.drawer, routes...)
	if route == "/zarr/" || a.IntN(20) == 0 {
		path += pick(a.drawer, keys...)
	}
	query := a.query(route)
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '_' // it would end the address
		}
		return r
	}, route+path+query)
}

// query draws parameters: some that the route takes, some that may be wrong.
func (a attacker) query(route string) string {
	query := ""
	add := func(name, value string) { query += "&" + name + "=" + url.QueryEscape(value) }
	small := func() string { return fmt.Sprintf("%d:%d,%d:%d", a.IntN(300), a.IntN(700), a.IntN(300), a.IntN(900)) }

	if a.IntN(3) > 0 {
		switch route {
		case "/api/v1/slice/":
			add("s", small())
			add("format", pick(a.drawer, "raw", "npy", "b2nd", "json", "csv", "png"))
		case "/api/v1/stats/":
			add("s", small())
		case "/api/v1/points/":
			add("at", fmt.Sprintf("%d,%d", a.IntN(700), a.IntN(900)))
		case "/api/v1/tiles/":
			add("y", "0")
			add("x", "1")
			add("level", fmt.Sprint(a.IntN(12)))
			add("ty", fmt.Sprint(a.IntN(4)))
			add("tx", fmt.Sprint(a.IntN(4)))
		case "/api/v1/coordinates/":
			add("dim", fmt.Sprint(a.IntN(3)))
		}
	}

	for range pick(a.drawer, 0, 0, 0, 0, 1, 4) {
		add(pick(a.drawer, params...), a.parameter())
	}

	if query != "" {
		query = "?" + query[1:]
	}
	return query
}

func (a attacker) parameter() string {
	switch a.IntN(4) {
	case 0:
		return fmt.Sprintf("%d:%d,%d:%d", a.IntN(700), a.IntN(900), a.IntN(900), a.IntN(1200))
	case 1:
		return fmt.Sprint(a.Int64N(1 << (1 + a.IntN(62))))
	}
	return pick(a.drawer, values...)
}

// value draws the value of a header.
func (a attacker) value(name string) string {
	switch name {
	case "Range":
		return a.ranges()
	case "If-Range", "If-None-Match", "If-Match":
		return pick(a.drawer, "*", `"x"`, `W/"x"`, `"`, strings.Repeat(`"a",`, 500), "Mon, 02 Jan 2006 15:04:05 GMT")
	case "Content-Length":
		return pick(a.drawer, "0", "5", "-1", "99999999999999999999")
	case "Transfer-Encoding":
		return pick(a.drawer, "chunked", "gzip", "identity")
	case "Accept-Encoding":
		return pick(a.drawer, "gzip", "identity;q=0", "*", "gzip;q=1e9", strings.Repeat("gzip,", 200))
	case "Origin":
		return pick(a.drawer, "null", "http://evil.example", "http://localhost", "http://localhost.evil.example", "//", "http://127.0.0.1:8080")
	}
	return pick(a.drawer, "Bearer x", "100-continue", "websocket", "close", "close, upgrade", strings.Repeat("x", a.IntN(3000)), "1.2.3.4")
}

func (a attacker) ranges() string {
	one := func() string {
		n := int64(1) << a.IntN(40)
		first := a.Int64N(n)
		last := a.Int64N(n)
		return pick(a.drawer, fmt.Sprintf("%d-%d", min(first, last), max(first, last)), fmt.Sprintf("%d-", first),
			fmt.Sprintf("-%d", last), fmt.Sprintf("%d-%d", first, last), "0-0", "-0", "-", "a-b", fmt.Sprintf("0-%d", int64(math.MaxInt64)))
	}
	text := "bytes=" + one()
	for range pick(a.drawer, 0, 0, 0, 2, 50, 1500) {
		text += pick(a.drawer, ",", ", ", ",,") + one()
	}
	return pick(a.drawer, text, text, text, "bytes="+strings.Repeat("0-,", 1000)+"0-", "items=0-1", "bytes", "bytes==")
}
