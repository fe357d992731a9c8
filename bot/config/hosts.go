package config

import (
	"net/url"
	"strings"
)

// Hosts are names of hosts that may be reached, as they stand in an address: with a port where it has one.
type Hosts []string

// UnmarshalText reads "hooks.example.org, chat.example.org:8443".
func (h *Hosts) UnmarshalText(text []byte) error {
	var hosts Hosts
	for host := range strings.SplitSeq(string(text), ",") {
		host = strings.TrimSpace(host)
		u, err := url.Parse("https://" + host)
		if err != nil || host == "" || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, " *") {
			return problem("is not a list of hosts with commas between them, without https:// and what follows the host")
		}
		hosts = append(hosts, strings.ToLower(host))
	}
	*h = hosts
	return nil
}
