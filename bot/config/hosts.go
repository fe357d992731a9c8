package config

import (
	"net/url"
	"strings"
)

// readHosts reads names of hosts that may be reached, as they stand in an address, with a port where it has one: "hooks.example.org,
// chat.example.org:8443".
func readHosts(text string) (any, problem) {
	var hosts []string
	for host := range strings.SplitSeq(text, ",") {
		host = strings.TrimSpace(host)
		u, err := url.Parse("https://" + host)
		if err != nil || host == "" || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, " *") {
			return nil, "is not a list of hosts with commas between them, without https:// and what follows the host"
		}
		hosts = append(hosts, strings.ToLower(host))
	}
	return hosts, ""
}
