package command

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
)

// A serving is the verb serve at work.
type serving struct {
	url  string
	log  *strings.Builder
	code chan int
	end  context.CancelFunc
}

// startServe runs the verb and waits for its address.
func startServe(t *testing.T, args ...string) *serving {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, w := io.Pipe()
	s := &serving{log: &strings.Builder{}, code: make(chan int, 1), end: cancel}
	std := &streams{Console: console.Console{Out: w, Err: s.log}, in: strings.NewReader("")}
	go func() {
		s.code <- std.run(ctx, append([]string{"serve", "-addr", "127.0.0.1:0"}, args...))
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("no address, but %q: %v", line, err)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// TestServeLimitsMemory checks that the collector keeps the process below -memory while it serves.
func TestServeLimitsMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	s := startServe(t, "-memory", "256M", t.TempDir())
	if got := debug.SetMemoryLimit(-1); got != 240<<20 {
		t.Errorf("the limit is %d", got)
	}

	s.end()
	<-s.code
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d afterwards", got)
	}
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b2nd")
	importBytes(t, npyFile(t, "<i4", false, 3), path)
	token := filepath.Join(dir, "token.txt")
	if err := os.WriteFile(token, []byte("opensesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServe(t, "-log", "json", "-token", token, path)
	for given, status := range map[string]int{"": 401, "Bearer opensesame": 200} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"api/v1/slice/a.b2nd?format=json", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", given)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != status || status == 200 && !strings.Contains(string(body), `"shape":[3]`) {
			t.Errorf("with %q: status %d, %s, %v", given, answer.StatusCode, body, err)
		}
	}
	s.end()
	select {
	case code := <-s.code:
		if code != 0 || strings.Count(s.log.String(), `"msg":"request"`) != 2 {
			t.Errorf("exit code %d, log %s", code, s.log)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server does not end")
	}
}

// TestServeByTLS checks the flags -cert and -key with a certificate of its own.
func TestServeByTLS(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, content := range map[string][]byte{"cert.pem": cert,
		"key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startServe(t, "-log", "none", "-cert", filepath.Join(dir, "cert.pem"), "-key", filepath.Join(dir, "key.pem"), dir)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(s.url + "healthz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if !strings.HasPrefix(s.url, "https://") || answer.StatusCode != 200 {
		t.Errorf("%s: status %d", s.url, answer.StatusCode)
	}
}
