package campaigns_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// newsFile is a campaign of two texts in turn, one each morning, each of them twice.
const newsFile = `version: 1
name: News
status: live

campaigns:
  - id: news
    do: publish
    timezone: America/New_York
    starts: 2027-03-13
    ends: 2027-03-20
    texts:
      - The asparagus is hear, come and taste it
      - We are open on Sunday
    slots: [daily 09:30]
    repeat: { each_text: 2 times, gap: 1d }
`

// wroteTexts are the days on which the account has published, and the first words of what.
func (f *filed) wroteTexts() string {
	var all []string
	entries := f.Platform().Ledger().Since(0)
	for _, e := range entries {
		if e.Kind == emulator.Published && e.From == f.Account("bot").ID() {
			all = append(all, e.At.UTC().Format("Mon ")+strings.Join(strings.Fields(e.Text)[:4], " "))
		}
	}
	return strings.Join(all, "; ")
}

// A corrected text waits for people, who see both. In force it comes when it was to come, and no more often; as a new text it comes in its own right.
func TestCorrectedText(t *testing.T) {
	t.Parallel()
	for asNew, want := range map[string]string{
		"":       "Sat The asparagus is hear,; Sun We are open on; Mon The asparagus is here,; Tue We are open on",
		"as-new": "Sat The asparagus is hear,; Sun We are open on; Mon The asparagus is here,; Tue We are open on; Wed The asparagus is here,",
	} {
		t.Run("apply "+asNew, func(t *testing.T) {
			t.Parallel()
			runFile(t, func(*filed) string { return newsFile }, func(f *filed, meanwhile func()) {
				f.until("03-13 10:00")
				f.write("50-menu.yaml", strings.Replace(newsFile, "hear", "here", 1))
				f.until("03-14 10:00")
				f.counts(1, waits+`uses 1 otherwise, rewords 1, "… is hear, come …" → "… is here, come …"`)
				meanwhile()
				f.asks("apply", asNew, map[string]string{
					"":       "in force now: the edit uses 1 otherwise, rewords 1",
					"as-new": "in force now: the edit adds 1, uses 1 otherwise",
				}[asNew])
				meanwhile()
				f.until("03-20 12:00")
				if got := f.wroteTexts(); got != want {
					t.Errorf("it published %s\nand not %s\n%s", got, want, f.book())
				}
			})
		})
	}
}

// A text that gets an id goes on as it was, at once; afterwards it may get any words.
func TestTextGetsAnID(t *testing.T) {
	t.Parallel()
	runFile(t, func(*filed) string { return newsFile }, func(f *filed, meanwhile func()) {
		f.until("03-13 10:00")
		named := strings.NewReplacer("- The", "- id: spring\n        text: The", "- We", "- { id: sunday, text: We", "Sunday", "Sunday }").Replace(newsFile)
		f.write("50-menu.yaml", named)
		f.until("03-14 10:00")
		f.counts(0, waits)
		meanwhile()
		f.write("50-menu.yaml", strings.Replace(named, "The asparagus is hear, come and taste it", "Strawberries came this morning", 1))
		f.until("03-14 11:00")
		f.counts(1, waits)
		f.asks("apply", "", "in force now: the edit uses 1 otherwise, rewords 1")
		meanwhile()
		f.until("03-20 12:00")
		if got, want := f.wroteTexts(), "Sat The asparagus is hear,; Sun We are open on; Mon Strawberries came this morning; Tue We are open on"; got != want {
			t.Errorf("it published %s\nand not %s\n%s", got, want, f.book())
		}
	})
}
