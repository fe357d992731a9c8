package grammar

import (
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Settings are what all files of a folder share: its settings.yaml.
type Settings struct {
	textfile.At
	Version      int                                 `text:"version,required" about:"The version of this format: 1."`
	Timezone     text.Zone                           `text:"timezone" about:"The time zone of all hours, for example Europe/Lisbon."`
	Language     string                              `text:"language" about:"The language people write in: en, es, pt, fr or de."`
	Hours        *text.Hours                         `text:"hours" about:"When we are at work."`
	QuietHours   *text.Quiet                         `text:"quiet_hours" about:"When we leave people alone, for example 22:00-08:00."`
	InQuietHours InQuiet                             `text:"in_quiet_hours" about:"hold (done afterwards, spread out) or drop (not done)."`
	StopWords    textfile.List[string]               `text:"stop_words" about:"Whoever writes one of these, with nothing beside it but polite words, and asks nothing, is left alone by every rule until they write a start word. They are told so once."`
	StartWords   textfile.List[string]               `text:"start_words" about:"What ends that, in the same place of a message. The first one is named in stop_answer. Unless written, those of the language: start and others."`
	StopAnswer   template.Template                   `text:"stop_answer" about:"What somebody is told who writes a stop word; {{start_word}} is the first start word. Unless written, a text in the language."`
	Introduce    template.Template                   `text:"introduce" about:"Stands in front of the first message that the bot sends to a person, once a person: that nobody of you writes there, and how to reach one. Unless written, nothing does."`
	Who          textfile.Map[Team]                  `text:"who" about:"The people and teams who get notices and conversations."`
	Call         textfile.List[string]               `text:"call" about:"The teams that are called for what no rule names a team for: answers that wait for approval, a source that is not heard, an account that cannot sign in. All of them unless set."`
	MailServer   *Server                             `text:"mail_server" about:"The server that sends mails: smtp://bot%40example.org:${SMTP_PASSWORD}@smtp.example.org, or smtps://. Its host must be allowed in NECTAR_WEBHOOK_HOSTS."`
	Heartbeat    *Address                            `text:"heartbeat" about:"An address with https:// that is called each minute while all is well, so that a watch outside rings when it is not called."`
	Publishing   *Publishing                         `text:"publishing" about:"How much each account publishes at most: own posts and reposts, by rules, campaigns and programs together. Where there is a campaign: 24 per 1d, 2m apart, unless written."`
	Apply        Apply                               `text:"apply" about:"at_once: an edit of campaigns that removes or moves slots takes effect when it is saved. Unless written, it waits for nectar campaigns apply."`
	Lists        textfile.Map[textfile.List[string]] `text:"lists" about:"Lists of people, by user name, that rules may ask for. More are added by rules and by nectar lists."`
}

// Publishing says how much an account publishes at most.
type Publishing struct {
	textfile.At
	Most  *text.Limit    `text:"most" about:"12 per 1d. 24 per 1d unless written."`
	Apart *text.Duration `text:"at_least_apart" about:"10m. 2m unless written."`
	Rules *int           `text:"for_rules" about:"2: how many of most rules and programs have; slots have the rest. Unless written, they have what the slots of that time leave."`
}

// Apply says when edits of campaigns take effect.
type Apply string

// AtOnce lets edits take effect when they are saved.
const AtOnce Apply = "at_once"

// FromText reads at_once.
func (a *Apply) FromText(n textfile.Node) textfile.Problems { return textfile.OneOf(n, a, AtOnce) }

// Team is somebody who gets notices: a list of addresses, or a mapping.
type Team struct {
	Addresses textfile.List[Address] `text:"addresses" about:"Where the team is called: ntfy://ntfy.sh/TOPIC, slack://, discord://, telegram://, mailto:team@example.org, https:// for a webhook. What is secret stands in .env: ${NAME}. Hosts must be allowed in NECTAR_WEBHOOK_HOSTS."`
	Quiet     *text.Quiet            `text:"quiet" about:"When the team is not called, for example 22:00-08:00; it is told afterwards."`
	Urgent    textfile.List[string]  `text:"urgent" about:"What rings in quiet hours all the same: handoff, deaf, late, parked, second_bot, crashed and disk unless set."`
	Webhook   string                 `text:"webhook" about:"Notices are also sent to this address, each at once and in JSON. Its host must be allowed in NECTAR_WEBHOOK_HOSTS."`
}

// Replies are the saved replies of a folder: its replies.yaml.
type Replies struct {
	textfile.At
	Version int               `text:"version,required" about:"The version of this format: 1."`
	Replies textfile.Map[Say] `text:"replies" about:"Texts by name; a rule says saved: name."`
}
