// Package webhost tells the hosts of one platform from those of another.
package webhost

import (
	"net"
	"net/url"
	"strings"
)

// PlatformOf returns what the hosts of a platform share, of the address of a page there; "" where it says nothing of a platform.
func PlatformOf(address string) string {
	host := HostOf(address)
	if IsLocal(host) {
		return ""
	}
	return SharedDomain(host)
}

// HostOf returns the host of an address, in small letters.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// SharedDomain returns what the hosts of one platform share: social.example of www.social.example and api.social.example.
func SharedDomain(host string) string {
	labels := strings.Split(host, ".")
	if net.ParseIP(host) != nil || len(labels) < 3 {
		return host
	}
	most := 2
	if last := labels[len(labels)-1]; len(last) == 2 && len(labels[len(labels)-2]) <= 3 { // co.uk
		most = 3
	}
	return strings.Join(labels[max(len(labels)-most, 0):], ".")
}

// IsLocal reports whether a host is one of this machine, as that of an emulator is: it says nothing of the platform's addresses.
func IsLocal(host string) bool {
	return net.ParseIP(host) != nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost")
}
