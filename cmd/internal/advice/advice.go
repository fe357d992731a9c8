// Package advice says in plain words what a person can do about what a platform answered, or did not.
package advice

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// AdviceOn says in plain words what an error of the platform means and what to do about it; "" when
// the error says it all.
func AdviceOn(err error) string {
	if paused, ok := errors.AsType[*session.PausedError](err); ok {
		if paused.Refused {
			return "the platform refuses the sign-in: check the e-mail address and the password"
		}
		err = paused.Err // it does not unwrap
	}
	var unreachable *platform.Unreachable
	var unreadable *platform.Unreadable
	switch {
	case errors.Is(err, platform.ErrRateLimited): // with an envelope or without
		return "the platform asks for a pause: try again later, or set a slower pace"
	case errors.As(err, &unreachable):
		return adviceOnNetwork(err)
	case errors.As(err, &unreadable):
		return adviceOnAnswer(unreadable)
	case errors.Is(err, platform.ErrServer):
		return "the platform has trouble of its own: try again later"
	}
	return ""
}

// WhyLine says an error in one line: advice if there is any, otherwise its first line.
func WhyLine(err error) string {
	if said := AdviceOn(err); said != "" {
		return said
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// adviceOnNetwork is advice about a call that got no answer.
func adviceOnNetwork(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &dns):
		return "there is no host of that name, or no network: check the base address"
	case errors.As(err, &certificate) && trustsNobody():
		return "this machine trusts no authority, so that no certificate is good: install the package ca-certificates, or name them by SSL_CERT_FILE"
	case errors.As(err, &certificate):
		return "the host has no valid certificate for this name: check the base address; its owner has to put the certificate right"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return "the host does not speak https there: check https:// and the port of the base address"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing answers at that address: check the host and the port of the base address; or the platform is down"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in time: the platform is slow or down, or a firewall is in between"
	}
	return "the platform cannot be reached: check the base address and the network"
}

// trustsNobody reports whether the machine has no certificates of authorities, as small containers have none.
func trustsNobody() bool {
	roots, err := x509.SystemCertPool()
	return err != nil || roots.Equal(x509.NewCertPool())
}

// adviceOnAnswer is advice about an answer that is not the platform's.
func adviceOnAnswer(answer *platform.Unreadable) string {
	const wrongAddress = ": check the base address; it ends with the part that names the mobile API, like /mobile_api"
	switch {
	case errors.Is(answer, context.DeadlineExceeded), errors.Is(answer, os.ErrDeadlineExceeded):
		return "the rest of the answer does not arrive in time: the platform or the network is slow"
	case errors.Is(answer, platform.ErrTooLarge):
		return "the answer is longer than what the bot takes: the address is right, and the platform sends too much at once"
	case answer.Looks == platform.LooksCut && (errors.Is(answer, platform.ErrCutOff) || errors.Is(answer, io.ErrUnexpectedEOF)):
		return "the answer breaks off in the middle: look at the network, and at proxies in between"
	case answer.Looks == platform.LooksTLS:
		return "the host speaks https there: begin the base address with https://"
	case answer.HTTPStatus >= http.StatusInternalServerError:
		return "the platform has trouble of its own: try again later"
	case answer.Looks == platform.LooksPage:
		return "a web page answers, not the mobile API" + wrongAddress
	}
	return "something else than the mobile API answers" + wrongAddress
}
