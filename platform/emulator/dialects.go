package emulator

import (
	"fmt"
	"strings"
	"time"
)

// NamedDialect is a Dialect with the name by which commands and tests ask for it.
type NamedDialect struct {
	Name string
	// Seen is where: in the documentation that deployments publish, in a public client, or "invented", which is to say that both leave it open, or
	// that a server may well do so.
	Seen    string
	Dialect Dialect
}

const invented = "invented"

// Dialects returns one dialect for each known disagreement, "classic" first, and mixtures last.
func Dialects() []NamedDialect { //nolint:funlen // it is a list
	return []NamedDialect{
		{"classic", "documentation", Dialect{}},
		{"login-nested", "client: a Java client and Flutter apps read data.user", Dialect{LoginNested: true}},
		{"tokens-in-data", invented, Dialect{TokensInData: true}},
		{"refresh-in-auth", invented, Dialect{RefreshInAuth: true}},
		{"expiry-millis", invented, Dialect{ExpiryMillis: true}},
		{"expiry-absent", invented, Dialect{ExpiryAbsent: true}},
		{"refresh-keeps", invented, Dialect{RefreshKeeps: true}},
		{"refresh-omits", "documentation: so does the answer of signup", Dialect{RefreshOmits: true}},
		{"old-session-lives", invented, Dialect{OldSessionStays: true}},
		{"unauthorized-400", invented, Dialect{Unauthorized400: true}},
		{"stale-is-anonymous", invented, Dialect{StaleIsAnonymous: true}},
		{"status-follows-code", invented, Dialect{StatusFollowsCode: true}},
		{"clock-ahead", invented, Dialect{Clock: 3 * time.Hour}},
		{"clock-behind", invented, Dialect{Clock: -50 * time.Hour}},
		{"code-in-status", "client: a Flutter app looks at either", Dialect{Code: CodeInStatus}},
		{"nameless", invented, Dialect{Nameless: true}},
		{"no-code", "documentation: a sample of publish_post", Dialect{Code: CodeAbsent, Empty: EmptyIsList}},
		{"old-keys", "documentation of an older deployment, client", Dialect{OldKeys: true}},
		{"error-code-key", "documentation: the search pages of the same deployment", Dialect{OldKeys: true, ErrorCodeKey: true}},
		{"no-message", "documentation: samples of get_messages and thread_data", Dialect{NoMessage: true}},
		{"code-last", "documentation: samples have their keys in several orders", Dialect{CodeLast: true}},
		{"extra-keys", "documentation: fields differ by deployment", Dialect{ExtraKeys: true}},
		{"wrong-charset", "client: two of them decode the bytes as UTF-8 once more", Dialect{WrongCharset: true}},
		{"empty-list", invented, Dialect{Empty: EmptyIsList}},
		{"empty-204", "documentation: one that lists 204 alone", Dialect{Empty: EmptyIs204}},
		{"empty-object", invented, Dialect{Empty: EmptyIsList, EmptyAsObject: true}},
		{"localised", "documentation in Chinese and Portuguese, client with Russian dates", Dialect{Localised: true}},
		{"minute-ages", invented, Dialect{MinuteAges: true}},
		{"toggle-nested", "client: a Java client declares it", Dialect{Toggle: ToggleNested}},
		{"toggle-bare", invented, Dialect{Toggle: ToggleBare}},
		{"toggle-silent", invented, Dialect{Toggle: ToggleSilent}},
		{"lists-as-objects", invented, Dialect{ListsAsObjects: true}},
		{"numbers-as-text", invented, Dialect{NumbersAsText: true}},
		{"counts-as-numbers", "client: one model of a pinned post", Dialect{CountsAsNumbers: true}},
		{"flags-as-text", invented, Dialect{FlagsAsText: true}},
		{"flags-as-numbers", invented, Dialect{FlagsAsNumbers: true}},
		{"digits-as-flags", "documentation: so do login and profile", Dialect{DigitsAsFlags: true}},
		{"unicode-escapes", invented, Dialect{UnicodeEscapes: true}},
		{"raw-text", invented, Dialect{RawText: true}},
		{"markup", "client: three apps strip it", Dialect{Markup: true}},
		{"keeps-spaces", invented, Dialect{KeepsSpaces: true}},
		{"at-names", "documentation: lists of people", Dialect{AtNames: true}},
		{"no-at-names", "documentation: chats and notifications", Dialect{NoAtNames: true}},
		{"last-cut", invented, Dialect{LastCut: 50}},
		{"unread-number", "client: a Flutter app turns it into text", Dialect{Unread: UnreadNumber}},
		{"unread-text", "client: a Flutter app reads either", Dialect{Unread: UnreadText}},
		{"no-get-messages", "documentation: one that does not list it", Dialect{Messages: AbsentPage}},
		{"no-get-messages-400", invented, Dialect{Messages: AbsentCode, LastCut: 50}},
		{"newest-page-first", invented, Dialect{NewestPageFirst: true}},
		{"messages-descending", invented, Dialect{MessagesDescending: true}},
		{"read-keeps-unseen", invented, Dialect{ReadKeepsUnseen: true}},
		{"disorder", invented, Dialect{Disorder: true}},
		{"page-cap", invented, Dialect{PageCap: 20}},
		{"page-least", invented, Dialect{PageLeast: 1000}},
		{"page-least-disorder", invented, Dialect{PageLeast: 1000, Disorder: true}},
		{"no-offset", invented, Dialect{PageLeast: 1000, NoOffset: true}},
		{"rows-ascending", invented, Dialect{PageLeast: 1000, RowsAscending: true}},
		{"adverts", "client: a Flutter app counts on one item more", Dialect{Adverts: true}},
		{"null-owners", "documentation: a sample of feeds", Dialect{NullOwners: true}},
		{"no-post-id", "client: it is optional there", Dialect{NoPostID: true}},
		{"unknown-subjects", "client: a Flutter app has a place for them", Dialect{UnknownSubjects: true}},
		{"reply-mentions-too", invented, Dialect{ReplyMentionsToo: true}},
		{"fetch-reads", invented, Dialect{FetchReads: true}},
		{"visits-by-profile", "client: a Flutter app knows notifications of visits", Dialect{VisitsByProfile: true}},
		{"profile-nested", invented, Dialect{ProfileNested: true}},
		{"own-reposts", "client: a Flutter app looks for posts that stand twice in a feed", Dialect{OwnReposts: true}},
		{"repost-stays", invented, Dialect{OwnReposts: true, RepostStays: true}},
		{"replies-listed", invented, Dialect{RepliesListed: true}},
		{"untold", invented, Dialect{Untold: true}},
		{"search-messages-old", invented, Dialect{SearchMessagesOld: true}},
		{"older", "a mixture", olderDialect()},
		{"stringly", "a mixture", stringly()},
		{"no-code-nameless", "a mixture", Dialect{Code: CodeAbsent, Empty: EmptyIsList, Nameless: true, ErrorCodeKey: true, CodeLast: true, NumbersAsText: true}},
	}
}

// olderDialect is a mixture that resembles the oldest documentation in public.
func olderDialect() Dialect {
	return Dialect{
		OldKeys: true, LoginNested: true, RefreshKeeps: true, ExpiryMillis: true, StatusFollowsCode: true,
		CodeLast: true, Adverts: true, NullOwners: true, NoPostID: true, Toggle: ToggleNested, PageCap: 20,
		LastCut: 50, MessagesDescending: true, NewestPageFirst: true,
	}
}

// stringly is a mixture in which hardly a value has the documented type.
func stringly() Dialect {
	return Dialect{
		TokensInData: true, RefreshInAuth: true, RefreshOmits: true, Unauthorized400: true, NoMessage: true,
		ExtraKeys: true, WrongCharset: true, Empty: EmptyIsList, EmptyAsObject: true, Localised: true,
		Toggle: ToggleBare, ListsAsObjects: true, NumbersAsText: true, CountsAsNumbers: true, FlagsAsText: true,
		DigitsAsFlags: true, UnicodeEscapes: true, AtNames: true, Unread: UnreadText,
		UnknownSubjects: true, ReplyMentionsToo: true,
	}
}

// ParseDialect returns the dialect of that name.
func ParseDialect(name string) (Dialect, error) {
	known := Dialects()
	names := make([]string, len(known))
	for i, n := range known {
		if n.Name == name {
			return n.Dialect, nil
		}
		names[i] = n.Name
	}
	return Dialect{}, fmt.Errorf("unknown dialect %q: want one of %s", name, strings.Join(names, ", "))
}
