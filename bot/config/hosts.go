package config

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// isHost reports whether an address has a host that there may be, and a port, if any.
func isHost(u *url.URL) bool {
	name := u.Hostname()
	if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) || strings.HasSuffix(u.Host, ":") {
		return false
	}
	if net.ParseIP(name) != nil {
		return true
	}
	if strings.Contains(name, ":") || len(name) > longestName { // an address that is none
		return false
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		if label == "" || len(label) > longestLabel || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.ContainsFunc(label, notInName) {
			return false
		}
	}
	return true
}

// The bounds of DNS, in bytes.
const (
	longestName  = 253
	longestLabel = 63
)

func notInName(r rune) bool {
	return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// readHosts reads names of hosts that may be reached, as they stand in an address, with a port where it has one: "hooks.example.org,
// chat.example.org:8443".
func readHosts(text string) (any, problem) {
	var hosts []string
	for host := range strings.SplitSeq(text, ",") {
		host = strings.TrimSpace(host)
		u, err := url.Parse("https://" + host)
		if err != nil || host == "" || u.Host != host || u.Hostname() == "" || !isHost(u) {
			return nil, "is not a list of hosts with commas between them, without https:// and what follows the host"
		}
		hosts = append(hosts, strings.ToLower(host))
	}
	return hosts, ""
}
