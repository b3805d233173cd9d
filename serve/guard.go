package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/serve/internal/api"
)

// A guard decides who may ask.
type guard struct {
	hosts   []string
	origins []string
	token   *[sha256.Size]byte // its digest, or nil
}

func newGuard(o *Options) guard {
	g := guard{origins: o.Origins}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, o.Hosts...) {
		g.hosts = append(g.hosts, hostName(host))
	}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		g.token = &sum
	}
	return g
}

// hostName returns a host without port, in lower case.
func hostName(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// check fails for a request that must not be answered, and sets the headers that let pages of other
// sites read the answer.
func (g *guard) check(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
	default:
		return api.Failed(http.StatusMethodNotAllowed, "this server is read-only: GET and HEAD only")
	}

	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // and do not wait for the body
		return api.Failed(http.StatusBadRequest, "this server expects no body")
	}

	if !slices.Contains(g.hosts, "*") && !slices.Contains(g.hosts, hostName(r.Host)) && !isLocal(r) {
		return api.Failed(http.StatusMisdirectedRequest,
			"this server does not answer to this name; if it should, start it with -host NAME")
	}

	if err := g.origin(w, r); err != nil {
		return err
	}

	if g.token != nil && r.Method != http.MethodOptions {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		sum := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 || !ok {
			return api.Failed(http.StatusUnauthorized, "the token is missing or wrong: send Authorization: Bearer TOKEN")
		}
	}
	return nil
}

// isLocal reports whether a request names the server by the address at which it arrived, which no
// name of a stranger can do.
func isLocal(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	ip := net.ParseIP(hostName(r.Host))
	return ok && ip != nil && ip.Equal(at.IP)
}

// origin checks which site asks, if a browser says so.
func (g *guard) origin(w http.ResponseWriter, r *http.Request) error {
	head := w.Header()
	if len(g.origins) > 0 {
		head.Add("Vary", "Origin")
	}

	origin := r.Header.Get("Origin")
	if origin == "" {
		return g.site(r)
	}

	if g.allows(origin) {
		head.Set("Access-Control-Allow-Origin", origin)
		head.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		head.Set("Access-Control-Allow-Headers", "Range, If-Range, If-None-Match, Authorization")
		head.Set("Access-Control-Expose-Headers",
			"Accept-Ranges, Content-Range, Content-Length, ETag, X-Cairn-Shape, X-Cairn-DType, X-Cairn-Quality, X-Cairn-Range")
		head.Set("Access-Control-Max-Age", "600")
		head.Set("Cross-Origin-Resource-Policy", "cross-origin")
		return nil
	}

	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return api.Failed(http.StatusForbidden, "pages of this site may not read from this server; if they should, start it with -cors ORIGIN")
}

// site refuses what a page of another site embeds without asking, as browsers tell.
func (g *guard) site(r *http.Request) error {
	if len(g.origins) > 0 || r.Header.Get("Sec-Fetch-Site") != "cross-site" || r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return nil
	}
	return api.Failed(http.StatusForbidden, "pages of other sites may not use this server; if they should, start it with -cors ORIGIN")
}

func (g *guard) allows(origin string) bool {
	return slices.ContainsFunc(g.origins, func(o string) bool { return o == "*" || strings.EqualFold(o, origin) })
}

// clientOf returns the address of a client, without port; of IPv6 the network of 64 bits, which is
// one client's.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil && !ip.IsLoopback() {
		return ip.Mask(net.CIDRMask(64, 128)).String() + "/64"
	}
	return host
}
