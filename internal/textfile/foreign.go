package textfile

import (
	"slices"
	"strings"
)

// foreignWords are words of other products, behind what they may be called here, the likeliest first.
const foreignWords = `
when: trigger triggers on event events
if: condition conditions where filter filters
then: action actions do perform steps
reply say ask: respond response responses answer answers text send
message: dm direct_message private_message pm send_message
status: enabled active state mode disabled
wait reply_after after: delay sleep pause
merge_messages: debounce batch
any_word: keyword keywords words any contains_word
any_phrase: phrase phrases keyphrases
none_word: not_word exclude excludes except no_word
matches: regex regexp pattern match
contains: includes substring has
id: name key slug
name: title label description
timezone: tz time_zone zone
language: lang locale
limits per_person: cooldown rate_limit throttle limit frequency
per_person: per_user user_limit
ask: question prompt
expect: type validate input
save_as: save variable var store_as
if_wrong: on_error retry invalid
if_silent: timeout on_timeout
goto next: go_to jump next_step transition
handoff: agent transfer escalate human
label: tag add_tag add_label
hours: working_hours business_hours opening_hours office_hours
quiet_hours: do_not_disturb silent_hours
conversations: flow flows dialogs scenarios
`

// foreignWord returns what a word of another product is called here, when that is one of known.
func foreignWord(word string, known []string) string {
	word = strings.ToLower(word)
	for line := range strings.SplitSeq(foreignWords, "\n") {
		ours, theirs, _ := strings.Cut(line, ": ")
		if !slices.Contains(strings.Fields(theirs), word) {
			continue
		}
		for our := range strings.FieldsSeq(ours) {
			if slices.Contains(known, our) {
				return our
			}
		}
	}
	return ""
}
