package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Service is how an address is reached.
type Service string

// The services.
const (
	Ntfy     Service = "ntfy"
	Slack    Service = "slack"
	Discord  Service = "discord"
	Telegram Service = "telegram"
	Mail     Service = "mailto"
	Webhook  Service = "webhook"
	server   Service = "smtp" // of mail
)

// examples are the services that are offered, as people write them.
const examples = "ntfy://, slack://, discord://, telegram://, mailto: and https://"

// others are services that people may look for, and what to write in their place.
var others = map[string]string{
	"mattermost": "write slack://HOST/hooks/…: it takes the same", "rocketchat": "write slack://HOST/hooks/…: it takes the same",
	"smtp": "write mailto:team@example.org here, and the server as mail_server", "smtps": "write mailto:team@example.org here, and the server as mail_server",
	"mail": "write mailto:team@example.org", "email": "write mailto:team@example.org", "tgram": "write telegram://", "http": "write https://",
	"generic": "write its address with https://", "webhook": "write its address with https://",
	"teams": "", "gotify": "", "pushover": "", "matrix": "", "googlechat": "", "signal": "", "zulip": "", "pushbullet": "", "ifttt": "", "join": "", "bark": "",
	"opsgenie": "", "pagerduty": "", "lark": "", "wecom": "", "notifiarr": "", "logger": "", "shoutrrr": "", "whatsapp": "", "sms": "",
}

// Address is where notices are sent. The zero value is none. Make one with Parse.
type Address struct {
	service Service
	scheme  string // of the request: https, or http on this machine
	written url.URL
	people  []string // of mail
	names   []string // of the variables
	id      string
}

var (
	variable     = regexp.MustCompile(`\$\{([^}]*)\}?`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	bareVariable = regexp.MustCompile(`\$([A-Z_][A-Z0-9_]*)?`) // of which nothing is secret
	standIn      = regexp.MustCompile(`nectarvariable(\d+)e`)
)

var errNoAddress = errors.New("this is no address: write it like ntfy://ntfy.sh/topic, mailto:team@example.org or https://hooks.example.org/…")

// Parse reads an address. The error says how to write it, and repeats nothing that may be secret.
func Parse(raw string) (Address, error) {
	a, u, err := parse(raw)
	if err != nil {
		return Address{}, err
	}
	scheme := strings.ToLower(u.Scheme)
	switch scheme {
	case "mailto":
		a.service = Mail
		return a, a.recipients(u)
	case "ntfy", "slack", "discord", "telegram":
		a.service = Service(scheme)
	case "https":
		if err := a.checkPasted(u); err != nil {
			return Address{}, err
		}
		a.service = Webhook
	case "http":
		if a.service = Webhook; !isLoopback(u.Hostname()) {
			return Address{}, fmt.Errorf("the webhook at %s must begin with https://", shownHost(u.Host))
		}
	default:
		return Address{}, notOffered(scheme)
	}
	if err := a.place(u); err != nil {
		return Address{}, err
	}
	return a, a.path()
}

// ParseServer reads the address of a mail server: smtp://name:${SMTP_PASSWORD}@smtp.example.org, where STARTTLS is
// required, or smtps:// for TLS from the start.
func ParseServer(raw string) (Address, error) {
	a, u, err := parse(raw)
	if err != nil && !errors.Is(err, errNoAddress) {
		return Address{}, err
	}
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return Address{}, errors.New("write it like smtp://bot%40example.org:${SMTP_PASSWORD}@smtp.example.org, or smtps:// for a server that speaks TLS from the start")
	}
	a.service = server
	if err := a.place(u); err != nil {
		return Address{}, err
	}
	a.scheme = u.Scheme
	if from := a.written.Query().Get("from"); from != "" && !isPerson(from) {
		return Address{}, errors.New("from is no mail address: write ?from=bot@example.org")
	}
	for key := range a.written.Query() {
		if key != "from" {
			return Address{}, errors.New("only ?from=bot@example.org may follow the host")
		}
	}
	if a.mailSender() == "" {
		return Address{}, errors.New("it does not say who writes: add ?from=bot@example.org")
	}
	return a, nil
}

// parse reads what all addresses have in common.
func parse(raw string) (Address, *url.URL, error) {
	var a Address
	var bad error
	text := variable.ReplaceAllStringFunc(raw, func(found string) string {
		name, closed := strings.CutSuffix(found[2:], "}")
		switch {
		case !closed || !variableName.MatchString(name):
			bad = errors.New("write a variable like ${NTFY_TOKEN}: capital letters, digits and _")
		case strings.HasPrefix(strings.ToUpper(name), "NECTAR_"):
			bad = fmt.Errorf("${%s} is a setting of nectar itself, which goes to nobody: give the secret a variable of its own", name)
		}
		a.names = append(a.names, name)
		return fmt.Sprintf("nectarvariable%de", len(a.names)-1)
	})
	if bare := bareVariable.FindStringSubmatch(text); bad == nil && bare != nil {
		bad = errors.New("a variable is written ${NAME}, and a $ itself %24")
		if bare[1] != "" {
			bad = fmt.Errorf("write ${%s} in the place of $%[1]s", bare[1])
		}
	}
	if bad != nil {
		return a, nil, bad
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme == "" || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return a, nil, errNoAddress
	}
	sum := sha256.Sum256([]byte(raw))
	a.id = hex.EncodeToString(sum[:6])
	return a, u, nil
}

func notOffered(scheme string) error {
	cure, known := others[scheme]
	switch {
	case cure != "":
		return fmt.Errorf("%s: is not offered here: %s", scheme, cure)
	case known:
		return fmt.Errorf("%s: is not offered here. There are %s; most services take a webhook, https://", scheme, examples)
	}
	return fmt.Errorf("there is no service %q. There are %s", scheme, examples)
}

// place takes over where the address leads.
func (a *Address) place(u *url.URL) error {
	switch {
	case u.Opaque != "" || u.Hostname() == "":
		return fmt.Errorf("%s: the host is missing: write %s://HOST/…", u.Scheme, u.Scheme)
	case standIn.MatchString(u.Host):
		return errors.New("the host must stand there itself, not in a variable: it is compared with NECTAR_WEBHOOK_HOSTS")
	case u.Fragment != "" || u.RawFragment != "":
		return errors.New("# and what follows has no meaning in an address: write %23")
	}
	a.written, a.scheme = *u, "https"
	if isLoopback(u.Hostname()) && u.Scheme != "https" {
		a.scheme = "http"
	}
	return nil
}

// path checks what stands behind the host.
func (a *Address) path() error {
	parts := strings.Split(strings.Trim(a.written.Path, "/"), "/")
	query := a.written.RawQuery != ""
	switch a.service {
	case Ntfy:
		if len(parts) != 1 || parts[0] == "" || query {
			return errors.New("write it like ntfy://ntfy.sh/TOPIC, with an access token ntfy://${NTFY_TOKEN}@ntfy.sh/TOPIC")
		}
	case Telegram:
		if len(parts) != 1 || parts[0] == "" || a.written.User.String() == "" || query {
			return errors.New("write it like telegram://${TELEGRAM_TOKEN}@api.telegram.org/CHAT, with the number of the chat")
		}
	case Slack:
		if parts[0] == "" || query || a.written.User != nil {
			return errors.New("write it like slack://hooks.slack.com/services/${SLACK_HOOK}: what follows the host in the address that Slack shows")
		}
	case Discord:
		if parts[0] == "" || query || a.written.User != nil {
			return errors.New("write it like discord://discord.com/api/webhooks/${DISCORD_HOOK}: what follows the host in the address that Discord shows")
		}
	default:
	}
	return nil
}

// recipients reads who gets a mail.
func (a *Address) recipients(u *url.URL) error {
	if u.RawQuery != "" {
		return errors.New("mailto: takes mail addresses and nothing behind them")
	}
	to, err := url.PathUnescape(u.Opaque)
	if err != nil || to == "" {
		to = strings.Trim(u.Host+u.Path, "/")
	}
	for one := range strings.SplitSeq(to, ",") {
		if one = strings.TrimSpace(one); !isPerson(one) {
			return errors.New("write it like mailto:team@example.org, of several with commas between them")
		}
		a.people = append(a.people, one)
	}
	return nil
}

func isPerson(address string) bool {
	p, err := mail.ParseAddress(address)
	return err == nil && p.Address == address && !standIn.MatchString(address)
}

// ID names the address: the same one has the same name, and nobody can tell the address from it.
func (a *Address) ID() string { return a.id }

// Service returns how it is reached.
func (a *Address) Service() Service { return a.service }

// Literal reports whether something stands in the address itself that is to be secret.
func (a *Address) Literal() bool {
	password, with := a.written.User.Password()
	secret := a.written.User.Username()
	switch a.service {
	case Ntfy, Telegram:
		return a.written.User != nil && !standIn.MatchString(secret+password)
	case Slack, Discord:
		return !standIn.MatchString(a.written.Path)
	case server:
		return with && !standIn.MatchString(password)
	default:
		return false
	}
}

// String shows the address to people: without anything that may be secret.
func (a *Address) String() string {
	switch a.service {
	case Mail:
		return "mailto:" + strings.Join(a.people, ",")
	case "":
		return "no address"
	default:
		return strings.ToLower(a.written.Scheme) + "://" + shownHost(a.written.Host) + "/…"
	}
}

// mailSender returns who writes the mails of a server.
func (a *Address) mailSender() string {
	if from := a.written.Query().Get("from"); from != "" {
		return from
	}
	if name := a.written.User.Username(); isPerson(name) {
		return name
	}
	return ""
}

// hostPort returns the host with its port.
func (a *Address) hostPort() string { return completeHost(a.written.Host, a.portScheme()) }

func (a *Address) portScheme() string {
	if a.service == server || a.service == Webhook {
		return strings.ToLower(a.written.Scheme)
	}
	return a.scheme
}

// completeHost completes a host with the port that a scheme has without one.
func completeHost(host, scheme string) string {
	u := url.URL{Host: strings.ToLower(host)}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80", "smtp": "587", "smtps": "465"}[scheme]
	}
	return net.JoinHostPort(u.Hostname(), port) //mutate:webhook-port
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// shownHost returns a host as it may be shown.
func shownHost(host string) string {
	const most = 100
	if len(host) > most {
		return host[:most] + "…"
	}
	return host
}

// fillVariables returns a text with the values of its variables.
func (a *Address) fillVariables(text string, lookup func(string) (string, bool)) (string, error) {
	var missing error
	text = standIn.ReplaceAllStringFunc(text, func(found string) string {
		i, err := strconv.Atoi(standIn.FindStringSubmatch(found)[1])
		if err != nil || i >= len(a.names) {
			return found
		}
		value, ok := lookup(a.names[i])
		if !ok || strings.TrimSpace(value) == "" {
			missing = missingVariable(a.names[i])
		}
		return strings.TrimSpace(value)
	})
	return text, missing
}

func missingVariable(name string) error {
	return fmt.Errorf("the variable %s is not set: set it in .env or in the environment of the bot", name)
}
