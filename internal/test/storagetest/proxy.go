package storagetest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Faulty is an HTTP handler that passes requests on to another, and makes faults while it is told
// to: it drops and delays requests, cuts and loses answers, answers 429, 500 and 503 itself, and
// carries out requests after their connection has ended.
type Faulty struct {
	next http.Handler
	late sync.WaitGroup // requests that are carried out late

	mu     sync.Mutex
	rnd    *rand.Rand // nil: no faults
	faults map[string]int
}

// NewFaulty returns a Faulty in front of next, without faults.
func NewFaulty(next http.Handler) *Faulty { return &Faulty{next: next, faults: map[string]int{}} }

// A Proxy is a server that is Faulty in front of another one.
type Proxy struct {
	*Faulty
	server *httptest.Server
}

// NewProxy starts a Proxy for t in front of the server at target, without faults.
func NewProxy(t *testing.T, target string) *Proxy {
	p := &Proxy{Faulty: NewFaulty(&forwarder{target: target})}
	p.server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
		p.late.Wait()
	})
	return p
}

// Address returns the host and port of the proxy.
func (p *Proxy) Address() string { return p.server.Listener.Addr().String() }

// Disturb begins a schedule of faults.
func (p *Faulty) Disturb(seed uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rnd = rand.New(rand.NewPCG(seed, 17))
}

// Calm ends the faults, and returns when nothing is carried out late any more.
func (p *Faulty) Calm() {
	p.mu.Lock()
	p.rnd = nil
	p.mu.Unlock()
	p.late.Wait()
}

// Faults returns how often each fault was made. It must not be called between Disturb and Calm.
func (p *Faulty) Faults() map[string]int { return p.faults }

// FaultKinds are the faults that Faulty makes.
var FaultKinds = []string{"drop", "delay", "429", "500", "503", "lose", "cut", "error after", "late"}

// choose returns the fault of the next request, if any, and a number for its details.
func (p *Faulty) choose() (fault string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.rnd == nil || p.rnd.IntN(4) > 0 {
		return "", 0
	}

	fault = FaultKinds[p.rnd.IntN(len(FaultKinds))]
	p.faults[fault]++
	if fault == "late" {
		p.late.Add(1)
	}
	return fault, p.rnd.IntN(1 << 20)
}

// ServeHTTP handles one request.
func (p *Faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, n := p.choose()
	body, err := io.ReadAll(r.Body)
	if err != nil { // the client has gone
		if fault == "late" {
			p.late.Done()
		}
		fault = "drop"
	}

	switch fault {
	case "drop":
		hangUp(w)
	case "429", "500", "503":
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(map[string]int{"429": 429, "500": 500, "503": 503}[fault])
	case "late":
		go func() {
			defer p.late.Done()
			time.Sleep(time.Duration(n%20) * time.Millisecond)
			p.answer(context.WithoutCancel(r.Context()), r, body)
		}()
		hangUp(w)
	case "delay":
		time.Sleep(time.Duration(n%10) * time.Millisecond)
		p.pass(w, r, body, -1)
	case "lose":
		p.answer(r.Context(), r, body)
		hangUp(w)
	case "error after":
		p.answer(r.Context(), r, body)
		w.WriteHeader(http.StatusInternalServerError)
	case "cut":
		p.pass(w, r, body, n)
	default:
		p.pass(w, r, body, -1)
	}
}

// answer carries out a request.
func (p *Faulty) answer(ctx context.Context, r *http.Request, body []byte) *httptest.ResponseRecorder {
	again := r.Clone(ctx)
	again.Body = io.NopCloser(bytes.NewReader(body))
	again.ContentLength = int64(len(body))
	recorder := httptest.NewRecorder()
	p.next.ServeHTTP(recorder, again)
	return recorder
}

// pass passes a request and its answer on. It cuts the answer within its body, if n is not
// negative.
func (p *Faulty) pass(w http.ResponseWriter, r *http.Request, body []byte, n int) {
	recorder := p.answer(r.Context(), r, body)
	answer := recorder.Body.Bytes()
	maps.Copy(w.Header(), recorder.Header())
	w.WriteHeader(recorder.Code)
	if n < 0 || len(answer) == 0 {
		_, _ = w.Write(answer)
		return
	}

	_, _ = w.Write(answer[:n%len(answer)])
	_ = http.NewResponseController(w).Flush()
	hangUp(w)
}

// A forwarder is a handler that makes each request of a server. The server gets changes one at a
// time: some check a condition first and change the object then, without a lock.
type forwarder struct {
	target string     // host:port
	writes sync.Mutex // held while the server changes something
}

// ServeHTTP answers 502 if there is no whole answer.
func (f *forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	out.URL.Scheme = "http"
	out.URL.Host = f.target
	if out.ContentLength == 0 {
		out.Body = http.NoBody
	}

	out.TransferEncoding = nil
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		f.writes.Lock()
		defer f.writes.Unlock()
	}

	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}

	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}

	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answer)
}

// hangUp resets the connection.
func hangUp(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, or the client has gone
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
