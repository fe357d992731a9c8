package rules_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// What is said names the next opening as it is when that leaves, by the clock of the folder: whoever reads "tomorrow" reads it the day after.
func TestNextOpen(t *testing.T) {
	t.Parallel()
	const office, always = "Mon-Fri 09:00-18:30", "Mon-Sun 00:00-24:00"
	tests := []struct {
		name  string
		hours string // of the folder
		quiet string // and its quiet hours
		zone  string // Europe/Lisbon unless set
		rule  string // more of the rule
		at    string
		want  string
	}{
		{"closed", office, "", "", "", "2027-03-02 23:00", "tomorrow at 9:00"},
		{"open", office, "", "", "", "2027-03-02 10:00", "tomorrow at 9:00"},
		{"held by quiet hours", office, "22:00-08:00", "", "", "2027-03-02 23:00", "today at 9:00"},
		{"with a pause over midnight", office, "", "", "    reply_after: 2h\n", "2027-03-02 23:00", "today at 9:00"},
		{"just before it opens", office, "", "", "    reply_after: 2m\n", "2027-03-02 08:59", "today at 9:00"},
		{"open, with a pause until it closes", office, "", "", "    reply_after: 2m\n", "2027-03-02 18:29", "tomorrow at 9:00"},
		{"open again after a pause", office, "", "", "    reply_after: 24h\n", "2027-03-02 10:00", "tomorrow at 9:00"},
		{"on ask", office, "", "", "    status: ask\n", "2027-03-02 23:00", "on Wednesday at 9:00"},
		{"on ask, on the day itself", office, "", "", "    status: ask\n", "2027-03-03 02:00", "on Wednesday at 9:00"},
		{"elsewhere", office, "", "Asia/Tokyo", "", "2027-03-02 16:00", "today at 9:00"},
		{"before a short break", "[Mon-Fri 09:00-12:50, Mon-Fri 13:00-18:00]", "", "", "", "2027-03-02 12:00", "today at 13:00"},
		{"when the clocks change", "[Sun 00:00-04:00, Sun 04:10-10:00]", "", "", "", "2027-03-28 00:30", "today at 4:10"},
		{"over midnight", "[Mon-Sun 22:00-02:00]", "", "", "", "2027-03-02 23:00", "tomorrow at 22:00"},
		{"around the clock", always, "", "", "", "2027-03-02 10:07", "tomorrow at 0:00"},
		{"around the clock, at midnight", always, "", "", "", "2027-03-02 00:00", "tomorrow at 0:00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse("2006-01-02 15:04", test.at)
			if err != nil {
				t.Fatal(err)
			}
			settings := "version: 1\ntimezone: " + cmp.Or(test.zone, "Europe/Lisbon") + "\nhours:\n  open: " + test.hours + "\n"
			if test.quiet != "" {
				settings += "quiet_hours: " + test.quiet + "\n"
			}
			v := compiled(t, rules.Sources{
				"10-test.yaml": []byte("version: 1\nname: test\nstatus: live\nrules:\n" +
					rule("when", "    when: message\n    then: [{ reply: \"{{next_open}}\" }]\n"+test.rule+per)),
				"settings.yaml": []byte(settings),
			})
			r := rehearse.NewRehearsal(v, at)
			scenes, err := r.Says(r.Guest("ana"), event.KindMessage, "are you there?", 0)
			if err != nil {
				t.Fatal(err)
			}
			a := scenes[0].Decision.Actions[0]
			if a.Text != test.want {
				t.Errorf("on %s people read %q, want %q", a.Due.Format("Monday 15:04 MST"), a.Text, test.want)
			}
		})
	}
}
