// Package webhost tells the hosts of one platform from those of another.
package webhost

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
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
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// SharedDomain returns what the hosts of one platform share: social.example of www.social.example and api.social.example. Where everybody may have
// a host below a name, as in co.uk, each of those is a platform of its own.
func SharedDomain(host string) string {
	if net.ParseIP(host) != nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil { // it is such a name itself
		return host
	}
	return domain
}

// IsLocal reports whether a host is one of this machine, as that of an emulator is: it says nothing of the platform's addresses.
func IsLocal(host string) bool {
	return net.ParseIP(host) != nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost")
}
