package emulator

import (
	"fmt"
	"strings"
	"time"
)

// NamedDialect is a Dialect with the name by which commands and tests ask for it.
type NamedDialect struct {
	Name    string
	Dialect Dialect
}

// Dialects returns one dialect for each known disagreement, "classic" first, and mixtures last.
func Dialects() []NamedDialect { //nolint:funlen // it is a list
	return []NamedDialect{
		{"classic", Dialect{}},
		{"login-nested", Dialect{LoginNested: true}},
		{"tokens-in-data", Dialect{TokensInData: true}},
		{"refresh-in-auth", Dialect{RefreshInAuth: true}},
		{"expiry-millis", Dialect{ExpiryMillis: true}},
		{"expiry-absent", Dialect{ExpiryAbsent: true}},
		{"refresh-keeps", Dialect{RefreshKeeps: true}},
		{"refresh-omits", Dialect{RefreshOmits: true}},
		{"old-session-lives", Dialect{OldSessionStays: true}},
		{"unauthorized-400", Dialect{Unauthorized400: true}},
		{"stale-is-anonymous", Dialect{StaleIsAnonymous: true}},
		{"status-follows-code", Dialect{StatusFollowsCode: true}},
		{"clock-ahead", Dialect{Clock: 3 * time.Hour}},
		{"clock-behind", Dialect{Clock: -50 * time.Hour}},
		{"code-in-status", Dialect{Code: CodeInStatus}},
		{"nameless", Dialect{Nameless: true}},
		{"no-code", Dialect{Code: CodeAbsent, Empty: EmptyIsList}},
		{"old-keys", Dialect{OldKeys: true}},
		{"error-code-key", Dialect{OldKeys: true, ErrorCodeKey: true}},
		{"no-message", Dialect{NoMessage: true}},
		{"code-last", Dialect{CodeLast: true}},
		{"extra-keys", Dialect{ExtraKeys: true}},
		{"wrong-charset", Dialect{WrongCharset: true}},
		{"empty-list", Dialect{Empty: EmptyIsList}},
		{"empty-204", Dialect{Empty: EmptyIs204}},
		{"empty-object", Dialect{Empty: EmptyIsList, EmptyAsObject: true}},
		{"localised", Dialect{Localised: true}},
		{"minute-ages", Dialect{MinuteAges: true}},
		{"toggle-nested", Dialect{Toggle: ToggleNested}},
		{"toggle-bare", Dialect{Toggle: ToggleBare}},
		{"toggle-silent", Dialect{Toggle: ToggleSilent}},
		{"lists-as-objects", Dialect{ListsAsObjects: true}},
		{"numbers-as-text", Dialect{NumbersAsText: true}},
		{"counts-as-numbers", Dialect{CountsAsNumbers: true}},
		{"flags-as-text", Dialect{FlagsAsText: true}},
		{"flags-as-numbers", Dialect{FlagsAsNumbers: true}},
		{"digits-as-flags", Dialect{DigitsAsFlags: true}},
		{"unicode-escapes", Dialect{UnicodeEscapes: true}},
		{"raw-text", Dialect{RawText: true}},
		{"markup", Dialect{Markup: true}},
		{"keeps-spaces", Dialect{KeepsSpaces: true}},
		{"at-names", Dialect{AtNames: true}},
		{"no-at-names", Dialect{NoAtNames: true}},
		{"last-cut", Dialect{LastCut: 50}},
		{"unread-number", Dialect{Unread: UnreadNumber}},
		{"unread-text", Dialect{Unread: UnreadText}},
		{"no-get-messages", Dialect{Messages: AbsentPage}},
		{"no-get-messages-400", Dialect{Messages: AbsentCode, LastCut: 50}},
		{"newest-page-first", Dialect{NewestPageFirst: true}},
		{"messages-descending", Dialect{MessagesDescending: true}},
		{"read-keeps-unseen", Dialect{ReadKeepsUnseen: true}},
		{"disorder", Dialect{Disorder: true}},
		{"page-cap", Dialect{PageCap: 20}},
		{"page-least", Dialect{PageLeast: 1000}},
		{"page-least-disorder", Dialect{PageLeast: 1000, Disorder: true}},
		{"no-offset", Dialect{PageLeast: 1000, NoOffset: true}},
		{"rows-ascending", Dialect{PageLeast: 1000, RowsAscending: true}},
		{"adverts", Dialect{Adverts: true}},
		{"null-owners", Dialect{NullOwners: true}},
		{"no-post-id", Dialect{NoPostID: true}},
		{"unknown-subjects", Dialect{UnknownSubjects: true}},
		{"reply-mentions-too", Dialect{ReplyMentionsToo: true}},
		{"fetch-reads", Dialect{FetchReads: true}},
		{"visits-by-profile", Dialect{VisitsByProfile: true}},
		{"profile-nested", Dialect{ProfileNested: true}},
		{"own-reposts", Dialect{OwnReposts: true}},
		{"repost-stays", Dialect{OwnReposts: true, RepostStays: true}},
		{"replies-listed", Dialect{RepliesListed: true}},
		{"untold", Dialect{Untold: true}},
		{"search-messages-old", Dialect{SearchMessagesOld: true}},
		{"older", older()},
		{"stringly", stringly()},
		{"no-code-nameless", Dialect{Code: CodeAbsent, Empty: EmptyIsList, Nameless: true, ErrorCodeKey: true, CodeLast: true, NumbersAsText: true}},
	}
}

// older is a mixture that resembles the oldest documentation in public.
func older() Dialect {
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
