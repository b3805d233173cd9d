package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// sockets sends some requests by connections of their own: malformed, slow, with bodies that never
// end, and without reading the answer. Meanwhile the server must answer others.
func (c *hostileCounts) sockets(h http.Handler, n int) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}

	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Second, ReadTimeout: 2 * time.Second, WriteTimeout: 2 * budgetTime,
		MaxHeaderBytes: 64 << 10, ErrorLog: nil}
	s.ErrorLog = quietLog()
	var served sync.WaitGroup
	served.Go(func() { _ = s.Serve(l) }) // it ends with Close

	var all sync.WaitGroup
	for k := range min(400, n/100+8) {
		all.Go(func() { c.socket(l.Addr().String(), k) })
	}
	all.Go(func() {
		for range 20 {
			begun := time.Now()
			r, err := http.Get("http://" + l.Addr().String() + "/healthz")
			if err == nil {
				err = r.Body.Close()
			}
			if took := time.Since(begun); err != nil || took > 2*time.Second {
				c.fail("beside slow clients the server answered after %v: %v", took, err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})

	all.Wait()
	err = s.Close()
	served.Wait()
	http.DefaultClient.CloseIdleConnections()
	return err
}

// socket is one hostile connection.
func (c *hostileCounts) socket(address string, k int) {
	a := attacker{drawer{rand.New(rand.NewPCG(c.Seed+1, uint64(k)))}}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		c.fail("connection %d: %v", k, err)
		return
	}
	defer conn.Close()

	c.mu.Lock()
	c.Sockets++
	c.mu.Unlock()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))

	text := a.request()
	switch a.IntN(6) {
	case 0: // slow, byte by byte
		for i := range text {
			if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	case 1: // a body that does not come
		_, _ = fmt.Fprintf(conn, "POST /api/v1/slice/data/a.b2nd HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\nx")
	case 2: // noise
		b := make([]byte, a.IntN(5000))
		for i := range b {
			b[i] = byte(a.Uint32())
		}
		_, _ = conn.Write(b)
	case 3: // headers without end
		for range 100 {
			if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nX-%d: %0*d\r\n", a.IntN(9), a.IntN(5000), 0); err != nil {
				return
			}
		}
	case 4: // an answer that is not read
		_, _ = io.WriteString(conn, "GET /api/v1/slice/data/a.b2nd?format=raw HTTP/1.1\r\nHost: localhost\r\n\r\n")
		time.Sleep(500 * time.Millisecond)
		return
	default:
		_, _ = io.WriteString(conn, text)
	}

	w := &answer{header: http.Header{}}
	_, err = io.Copy(w, conn)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		c.fail("connection %d is still open after 10 s: %.200q", k, text)
	}
	if w.sings {
		c.fail("connection %d: a file outside of the root was served: %.300q", k, text)
	}
}
