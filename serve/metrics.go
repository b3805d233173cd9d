package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// bounds are the upper edges of the buckets of durations, in seconds.
var bounds = [...]float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}

// Metrics count requests, in Prometheus' terms.
type metrics struct {
	mu       sync.Mutex
	inFlight int64
	requests map[requestKey]int64
	routes   map[string]*routeMetrics
}

type requestKey struct {
	route string
	code  int
}

type routeMetrics struct {
	buckets [len(bounds) + 1]int64
	seconds float64
	bytes   int64
}

func (m *metrics) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight++
}

func (m *metrics) end(rec *recorder, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.inFlight--
	if m.requests == nil {
		m.requests = map[requestKey]int64{}
		m.routes = map[string]*routeMetrics{}
	}

	m.requests[requestKey{rec.route, rec.code()}]++
	r := m.routes[rec.route]
	if r == nil {
		r = &routeMetrics{}
		m.routes[rec.route] = r
	}

	i, _ := slices.BinarySearch(bounds[:], took.Seconds())
	r.buckets[i]++
	r.seconds += took.Seconds()
	r.bytes += rec.bytes
}

// text writes the metrics in the text format of Prometheus.
func (m *metrics) text(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()

	family(b, "cairn_requests_total", "counter", "requests answered, by route and status")
	keys := slices.SortedFunc(maps.Keys(m.requests), func(x, y requestKey) int {
		return strings.Compare(fmt.Sprint(x), fmt.Sprint(y))
	})
	for _, k := range keys {
		fmt.Fprintf(b, "cairn_requests_total{route=%q,code=\"%d\"} %d\n", k.route, k.code, m.requests[k])
	}

	routes := slices.Sorted(maps.Keys(m.routes))
	family(b, "cairn_response_bytes_total", "counter", "bytes of bodies written, by route")
	for _, name := range routes {
		fmt.Fprintf(b, "cairn_response_bytes_total{route=%q} %d\n", name, m.routes[name].bytes)
	}

	family(b, "cairn_request_seconds", "histogram", "time to answer, by route")
	for _, name := range routes {
		r := m.routes[name]
		sum := int64(0)
		for i, n := range r.buckets {
			edge := "+Inf"
			if i < len(bounds) {
				edge = fmt.Sprint(bounds[i])
			}
			sum += n
			fmt.Fprintf(b, "cairn_request_seconds_bucket{route=%q,le=%q} %d\n", name, edge, sum)
		}

		fmt.Fprintf(b, "cairn_request_seconds_sum{route=%q} %g\n", name, r.seconds)
		fmt.Fprintf(b, "cairn_request_seconds_count{route=%q} %d\n", name, sum)
	}

	gauge(b, "cairn_requests_in_flight", "requests in progress", m.inFlight)
}

func family(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func gauge(b *strings.Builder, name, help string, v int64) {
	family(b, name, "gauge", help)
	fmt.Fprintf(b, "%s %d\n", name, v)
}

// serveMetrics answers /metrics.
func (h *Handler) serveMetrics(w http.ResponseWriter, r *http.Request, _ string) error {
	var b strings.Builder
	h.metrics.text(&b)
	gauge(&b, "cairn_open", "arrays and trees that are open", int64(h.catalog.OpenCount()))
	gauge(&b, "cairn_memory_bytes", "bytes of the memory for requests that are in use", h.limits.Memory.Used())
	gauge(&b, "cairn_memory_limit_bytes", "bytes of the memory for requests", h.limits.Memory.Size())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(b.String()))
	}
	return nil
}
