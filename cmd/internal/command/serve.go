package command

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	addr, token    string
	cert, key      string
	log            string
	memory         string
	hosts, origins []string
	workers        int
}

func serveVerb(set *flag.FlagSet) action {
	var f serveFlags
	set.StringVar(&f.addr, "addr", "127.0.0.1:8080", "listen at `ADDRESS`:PORT; 127.0.0.1:8080 by default, for this machine only")
	set.Func("host", "answer to the name `HOST` too, besides localhost and the address; * means any name", func(text string) error {
		f.hosts = append(f.hosts, text)
		return nil
	})
	set.Func("cors", "let pages of the site `ORIGIN`, such as https://example.org, read everything; * means any site",
		func(text string) error {
			f.origins = append(f.origins, text)
			return nil
		})
	set.StringVar(&f.token, "token", "", "ask for the token in `FILE`, as Authorization: Bearer TOKEN")
	set.StringVar(&f.cert, "cert", "", "use TLS with the certificate chain in `FILE`.pem")
	set.StringVar(&f.key, "key", "", "use TLS with the private key in `FILE`.pem")
	set.StringVar(&f.log, "log", "text", "log requests to standard error as `FORMAT`: text, json or none; text by default")
	set.StringVar(&f.memory, "memory", "1G", "use at most `SIZE` of memory; 1G by default")
	set.IntVar(&f.workers, "workers", 0, workersUsage)

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no PATH given")
		}

		o, err := f.options(std)
		if err != nil {
			return err
		}

		var roots []serve.Root
		for _, path := range operands {
			if place.Of(path).Kind != place.Local {
				return usagef("%s: serve takes files and folders of this machine", path)
			}
			roots = append(roots, serve.Root{Path: path})
		}
		return f.listen(ctx, std, roots, o)
	}
}

// options turns the flags into options; mistakes are usage errors.
func (f *serveFlags) options(std *streams) (*serve.Options, error) {
	o := &serve.Options{Hosts: f.hosts, Origins: f.origins, Workers: f.workers, Links: std.at.Links}
	host, port, err := net.SplitHostPort(f.addr)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return nil, usagef("-addr: %q is not ADDRESS:PORT, such as 127.0.0.1:8080", f.addr)
	}
	if host != "" {
		o.Hosts = append(o.Hosts, host)
	}

	if (f.cert == "") != (f.key == "") {
		return nil, usagef("-cert and -key need each other")
	}
	for _, origin := range f.origins {
		if origin != "*" && !strings.Contains(origin, "://") {
			return nil, usagef("-cors: %q: want an origin such as https://example.org", origin)
		}
	}

	if o.Memory, err = parseSize("memory", f.memory); err != nil {
		return nil, err
	}
	if o.Memory < minServed {
		return nil, usagef("-memory is %s, must be at least 64M", f.memory)
	}

	switch f.log {
	case "text":
		o.Log = slog.New(slog.NewTextHandler(std.Err, nil))
	case "json":
		o.Log = slog.New(slog.NewJSONHandler(std.Err, nil))
	case "none":
	default:
		return nil, unknownValue("log", "format", f.log, valuesOf("serve", "log"))
	}

	if f.token != "" {
		raw, err := os.ReadFile(f.token)
		if err != nil {
			return nil, err
		}
		if o.Token = strings.TrimSpace(string(raw)); o.Token == "" {
			return nil, fmt.Errorf("-token: %s is empty", f.token)
		}
	}
	return o, checkWorkers(f.workers)
}

// minServed is the least memory of a server.
const minServed = 64 << 20

// listen serves until the context ends, and then lets requests in progress end.
func (f *serveFlags) listen(ctx context.Context, std *streams, roots []serve.Root, o *serve.Options) error {
	h, err := serve.New(roots, o)
	if err != nil {
		return err
	}
	defer h.Close()
	// What is not in Go's heap takes the rest.
	defer keepWithin(o.Memory / 16 * 15)()
	defer ndarray.SetCacheBytes(ndarray.SetCacheBytes(o.Memory / 8))
	decoded.Shared().NoBlocks.Store(false)

	scheme := "http"
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: log.New(errorLog{o.Log}, "", 0)}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("-cert: %w", err)
		}
		scheme = "https"
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
	}

	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("%s://%s/\n", scheme, shownAddress(l.Addr().(*net.TCPAddr)))
	if err := std.Print(ctx, url); err != nil {
		return errors.Join(err, l.Close())
	}

	ended := make(chan error, 1)
	go func() {
		if f.cert != "" {
			ended <- server.ServeTLS(l, "", "")
		} else {
			ended <- server.Serve(l)
		}
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}

	const grace = 10 * time.Second
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(late) != nil {
		_ = server.Close()
	}
	return nil
}

// shownAddress returns the address to open in a browser.
func shownAddress(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(a.Port))
	}
	return a.String()
}

// An errorLog passes what package net/http complains about to a log.
type errorLog struct{ log *slog.Logger }

func (e errorLog) Write(p []byte) (int, error) {
	if e.log != nil {
		e.log.Warn(strings.TrimSpace(string(p)))
	}
	return len(p), nil
}
