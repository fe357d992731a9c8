package grammar

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Conditions must all hold. They are written as a list, or as one mapping.
type Conditions []Condition

// Condition is one thing to hold. Of several in one, all must hold.
type Condition struct {
	textfile.At
	Text         *TextCondition            `text:"text" about:"What is said."`
	Sender       *SenderCondition          `text:"sender" about:"Who it comes from."`
	Post         *PostCondition            `text:"post" about:"The post it is about."`
	Hours        OpenClosed                `text:"hours" about:"Whether we are at work: open or closed."`
	Day          textfile.List[Weekdays]   `text:"day" about:"What day of the week it is: Mon, Mon-Fri, or several as a list."`
	Date         textfile.List[text.Dates] `text:"date" about:"What day it is: 2026-12-25, 2027-08-01..2027-08-31, or each year 12-24..01-06; several as a list."`
	Conversation *ConversationCondition    `text:"conversation" about:"How the conversation stands."`
	// Answers are what was answered before in a conversation: {guests: over 150}. Only in conversations.
	Answers Answers `text:"answers" about:"What was answered before, by the name in save_as: a range such as over 150, or one of some texts."`

	pending []textfile.Pair // about the calendar or about an answer, of a branch; see resolve
}

// TextCondition says what a text has to say. Of any_word, any_phrase, contains and matches together one
// entry must be there; of the others none.
type TextCondition struct {
	textfile.At
	AnyWord    textfile.List[string] `text:"any_word" about:"One of these words. Whole words, whatever their case and accents."`
	AnyPhrase  textfile.List[string] `text:"any_phrase" about:"One of these: their words in a row."`
	Contains   textfile.List[string] `text:"contains" about:"One of these, also inside of words."`
	Matches    textfile.List[string] `text:"matches" about:"One of these patterns (RE2). Case does not matter."`
	Only       textfile.List[string] `text:"only" about:"Nothing but these words and phrases, in any order. Emoji beside them do not count; the entry emoji stands for any of them, also alone."`
	NoneWord   textfile.List[string] `text:"none_word" about:"None of these words."`
	NonePhrase textfile.List[string] `text:"none_phrase" about:"None of these phrases."`
	Fuzzy      bool                  `text:"fuzzy" about:"Forgives typing mistakes in words of five letters or more, and one in a word of four in a phrase of three words or more."`
}

// SenderCondition says who it may come from.
type SenderCondition struct {
	textfile.At
	LabelsAny  textfile.List[string] `text:"labels_any" about:"The conversation has one of these labels."`
	LabelsAll  textfile.List[string] `text:"labels_all" about:"The conversation has all of these labels."`
	LabelsNone textfile.List[string] `text:"labels_none" about:"The conversation has none of these labels."`
	InList     textfile.List[string] `text:"in_list" about:"The person is on one of these lists."`
	NotInList  textfile.List[string] `text:"not_in_list" about:"The person is on none of these lists."`
	FollowsMe  *bool                 `text:"follows_me" about:"Whether the person follows us."`
	Followed   *bool                 `text:"followed_by_me" about:"Whether we follow the person."`
	Verified   *bool                 `text:"verified" about:"Whether the platform has verified the person."`
	Writes     textfile.List[string] `text:"writes" about:"The person writes in one of these languages: en, es, pt, fr, de, ar, el, fa, he, hi, ja, ko, ru, th, uk, zh."`
	Is         textfile.List[string] `text:"is" about:"One of these people, by user name."`
	IsNot      textfile.List[string] `text:"is_not" about:"None of these people."`
}

// PostCondition says which posts are meant.
type PostCondition struct {
	textfile.At
	Mine      *bool                 `text:"mine" about:"Whether we wrote it."`
	NewerThan text.Duration         `text:"newer_than" about:"It is younger than this: 14d."`
	OlderThan text.Duration         `text:"older_than" about:"It is older than this."`
	WithTag   textfile.List[string] `text:"with_tag" about:"It has one of these hashtags."`
	Text      *TextCondition        `text:"text" about:"What it says."`
}

// ConversationCondition says how the conversation has to stand.
type ConversationCondition struct {
	textfile.At
	Owner string `text:"owner" about:"nobody: the bot has it; anybody: a person has it; or a team. While a person has it, a rule may label, list and notify."`
	First *bool  `text:"first_message" about:"Whether nothing was said before."`
}

// OpenClosed is whether we are at work.
type OpenClosed string

// Open or closed.
const (
	Open   OpenClosed = "open"
	Closed OpenClosed = "closed"
)

// FromText reads open or closed.
func (o *OpenClosed) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, o, Open, Closed)
}

// AnswerCondition is what an answer has to be: a range of numbers, or one of some texts.
type AnswerCondition struct {
	textfile.At
	Range *bounds.Range
	Is    []string
}

// FromText reads a range (over 150, 10..400) or texts.
func (a *AnswerCondition) FromText(n textfile.Node) textfile.Problems {
	a.At = n.At()
	if n.Kind() == textfile.Sequence {
		return n.Decode(&a.Is)
	}
	if r, err := bounds.ParseRange(n.String()); err == nil && n.Kind() == textfile.Scalar && !n.Quoted() {
		a.Range = &r
		return nil
	}
	a.Is = []string{n.String()}
	return nil
}

// Answers are conditions on answers, by their names.
type Answers []AnswerNamed

// AnswerNamed is a condition on one answer.
type AnswerNamed struct {
	AnswerCondition
	Name string
}

// FromText reads a mapping from names to conditions.
func (a *Answers) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() != textfile.Mapping {
		return textfile.Problems{n.Problem("write the answer and what it has to be, for example { guests: over 150 }")}
	}
	var problems textfile.Problems
	for _, p := range n.Pairs() {
		problems = append(problems, a.add(p)...)
	}
	return problems
}

func (a *Answers) add(p textfile.Pair) textfile.Problems {
	named := AnswerNamed{Name: p.Key.String()}
	problems := named.FromText(p.Value)
	*a = append(*a, named)
	return problems
}

// SaidSuffix stands behind the name of an answer for what was said.
const SaidSuffix = ".said"

// Pattern returns the condition as what a text has to say.
func (t *TextCondition) Pattern() match.Pattern {
	return match.Pattern{
		AnyWord: OneByOne(t.AnyWord), AnyPhrase: t.AnyPhrase, Contains: t.Contains, Matches: t.Matches, NoneWord: OneByOne(t.NoneWord),
		NonePhrase: t.NonePhrase, Only: OneByOne(t.Only), Fuzzy: t.Fuzzy,
	}
}

// OtherCommas are those of Arabic, Chinese and Japanese, which YAML does not take for what stands between the entries of a list.
const OtherCommas = "،、，､"

// OneByOne returns words one by one that a list has as one entry, with other commas between them.
func OneByOne(entries []string) []string {
	if !slices.ContainsFunc(entries, func(e string) bool { return strings.ContainsAny(e, OtherCommas) }) {
		return entries
	}
	var all []string
	for _, e := range entries {
		for word := range strings.FieldsFuncSeq(e, func(r rune) bool { return strings.ContainsRune(OtherCommas, r) }) {
			if word = strings.TrimSpace(word); word != "" {
				all = append(all, word)
			}
		}
	}
	return all
}

// IsPositive reports whether something has to be there.
func (t *TextCondition) IsPositive() bool {
	return len(t.AnyWord)+len(t.AnyPhrase)+len(t.Contains)+len(t.Matches)+len(t.Only) > 0
}

// ShownText returns what is asked of an answer, in words.
func (a *AnswerCondition) ShownText() string {
	if a.Range != nil {
		return a.Range.String()
	}
	return strings.Join(a.Is, " or ")
}

const (
	OwnerNobody  = "nobody"  // the bot has the conversation
	OwnerAnybody = "anybody" // a person of ours has it
)

// NeedsOwner reports whether a condition holds only while one of our people has the conversation.
func (c *Condition) NeedsOwner() bool {
	return c.Conversation != nil && c.Conversation.Owner != "" && c.Conversation.Owner != OwnerNobody
}
