package metrics

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// allowKnownHosts lets through to next what asks for a host that cfg knows. A browser asks for the name of the page, wherever
// that name points: without this, a page of somebody else could read the metrics (DNS rebinding).
func allowKnownHosts(next http.Handler, cfg Config) http.Handler {
	names := map[string]bool{"localhost": true}
	for _, h := range append([]string{cfg.Addr}, cfg.Hosts...) {
		names[hostname(h)] = true
	}
	delete(names, "")
	own, err := netip.ParseAddr(hostname(cfg.Addr))
	all := err == nil && own.IsUnspecified()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostname(r.Host)
		ip, err := netip.ParseAddr(host)
		//mutate:metrics-host
		if digits := err == nil && (ip.IsLoopback() || all); !digits && !names[host] {
			http.Error(w, "metrics are not served under this name; NECTAR_METRICS_HOSTS names those that they are served under", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns the host of a text like "Example.org.:9464", "[::1]" or "::1", as it is compared.
func hostname(text string) string {
	host, _, err := net.SplitHostPort(text)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
