package notify

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"

	"github.com/wneessen/go-mail"
)

// sendMail sends a digest as a mail, in plain text.
func (c *Client) sendMail(ctx context.Context, a *Address, d *Digest) error {
	s := &c.cfg.Server
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := msg.From(s.mailSender()); err != nil {
		return fmt.Errorf("the sender of mails: %w", err)
	}
	if err := msg.To(a.people...); err != nil {
		return fmt.Errorf("the recipients of mails: %w", err)
	}
	msg.Subject("Nectar: " + cut(oneLine(d.titleText()), 150))
	msg.SetDate()
	msg.SetMessageID()
	if d.Urgent {
		msg.SetImportance(mail.ImportanceHigh)
	}
	msg.SetBodyString(mail.TypeTextPlain, d.text(styles[Mail], false))
	client, err := c.mailer(ctx, s)
	if err != nil {
		return err
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("the mail server %s: %w", shownHost(s.written.Host), err)
	}
	return nil
}

// mailer returns what speaks to a mail server, until all is done. Beyond this machine nothing is said without TLS.
func (c *Client) mailer(all context.Context, s *Address) (*mail.Client, error) {
	_, port, err := net.SplitHostPort(s.hostPort())
	if err != nil {
		return nil, fmt.Errorf("the mail server: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("the mail server: %w", err)
	}
	host, secure := s.written.Hostname(), &tls.Config{ServerName: s.written.Hostname(), MinVersion: tls.VersionTLS12}
	if c.cfg.TLS != nil {
		secure = c.cfg.TLS.Clone()
		secure.ServerName = host
	}
	policy, auth := mail.TLSMandatory, mail.SMTPAuthAutoDiscover //mutate:called-tls
	switch {
	case s.scheme == "smtps":
		policy = mail.TLSOpportunistic // it speaks TLS already
	case isLoopback(host):
		policy, auth = mail.NoTLS, mail.SMTPAuthPlain
	}
	options := []mail.Option{
		mail.WithPort(number), mail.WithTimeout(deadline), mail.WithTLSConfig(secure), mail.WithTLSPolicy(policy), mail.WithDialContextFunc(c.dialer(all, s.scheme == "smtps", secure)),
	}
	if user := s.written.User; user != nil {
		name, err := s.fillVariables(user.Username(), c.cfg.Lookup)
		if err != nil {
			return nil, err
		}
		password, _ := user.Password()
		if password, err = s.fillVariables(password, c.cfg.Lookup); err != nil {
			return nil, err
		}
		options = append(options, mail.WithSMTPAuth(auth), mail.WithUsername(name), mail.WithPassword(password))
	}
	client, err := mail.NewClient(host, options...)
	if err != nil {
		return nil, fmt.Errorf("the mail server %s: %w", shownHost(s.written.Host), err)
	}
	return client, nil
}

// dialer returns what connects to a mail server: until all is done, with TLS from the start or not, and of which not
// much is read.
func (c *Client) dialer(all context.Context, speaksTLS bool, secure *tls.Config) mail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.cfg.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(all, func() { _ = conn.Close() }) // the library waits at each step anew
		bounded := &limited{conn, mostAnswer}
		if !speaksTLS {
			return bounded, nil
		}
		t := tls.Client(bounded, secure)
		if err := t.HandshakeContext(ctx); err != nil {
			_ = conn.Close() // it was of no use
			return nil, err
		}
		return t, nil
	}
}
