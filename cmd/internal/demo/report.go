package demo

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// Report is the verdict of a demo, and what it cost.
type Report struct {
	Messages         int      `json:"messages"`
	Replies          int      `json:"replies"`
	Lost             int      `json:"lost"`
	Doubled          int      `json:"doubled"`
	OutOfOrder       int      `json:"out_of_order"`
	LikesWrong       int      `json:"likes_wrong"`
	RepostsWrong     int      `json:"reposts_wrong"`
	FollowsWrong     int      `json:"follows_wrong"`
	Flickers         int      `json:"flickers"`
	Logins           int      `json:"logins"`
	Refreshes        int      `json:"refreshes"`
	Kills            int      `json:"kills"`
	Seconds          float64  `json:"seconds"`
	RepliesPerSecond float64  `json:"replies_per_second"`
	MessagesPerRead  float64  `json:"messages_per_read"`
	BotCPUSeconds    float64  `json:"bot_cpu_seconds"`
	BotPeakRSSMB     float64  `json:"bot_peak_rss_mb"`
	WrittenPerReply  float64  `json:"written_bytes_per_reply,omitempty"` // to the disk; left out where the system does not tell
	P50Ms            float64  `json:"p50_ms"`
	P99Ms            float64  `json:"p99_ms"`
	OK               bool     `json:"ok"`
	Details          []string `json:"details,omitempty"`

	Load      *LoadReport  `json:"load,omitempty"`
	Idle      *IdleReport  `json:"idle,omitempty"`
	Campaigns *ShopReport  `json:"campaigns,omitempty"`
	Workers   *worksReport `json:"workers,omitempty"`
}

func newReport(v judge.Verdict, ex expense, took time.Duration, kills int, reads int64) Report {
	r := Report{
		Messages: v.Messages, Replies: v.Replies, Lost: v.Lost, Doubled: v.Doubled, OutOfOrder: v.OutOfOrder,
		LikesWrong: v.LikesWrong, RepostsWrong: v.RepostsWrong, FollowsWrong: v.FollowsWrong, Flickers: v.Flickers,
		Logins: v.Logins, Refreshes: v.Refreshes, Kills: kills, Seconds: took.Seconds(),
		BotCPUSeconds: ex.cpu.Seconds(), BotPeakRSSMB: ex.peak,
		P50Ms: toMillis(v.P50), P99Ms: toMillis(v.P99), OK: v.OK(), Details: v.Details,
	}
	if took > 0 {
		r.RepliesPerSecond = float64(v.Replies) / took.Seconds()
	}
	if v.Replies > 0 {
		r.WrittenPerReply = float64(ex.written / int64(v.Replies))
	}
	if reads > 0 {
		r.MessagesPerRead = float64(v.Messages) / float64(reads)
	}
	return r
}

func toMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// tellingReplies is from how many replies on it is told what one of them wrote: of few, most is the making of the database.
const tellingReplies = 1000

// print writes the verdict for people.
func (r Report) print(out io.Writer) error {
	word := "ALL CLEAR: nothing lost, nothing doubled, nothing out of order."
	if !r.OK {
		word = "NOT CLEAR:"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe platform's verdict\n")
	fmt.Fprintf(&b, "  messages %d, replies %d: lost %d, doubled %d, out of order %d\n", r.Messages, r.Replies, r.Lost, r.Doubled, r.OutOfOrder)
	fmt.Fprintf(&b, "  wrong at the end: likes %d, reposts %d, follows %d; flickers %d\n", r.LikesWrong, r.RepostsWrong, r.FollowsWrong, r.Flickers)
	fmt.Fprintf(&b, "  the bot was killed %d times, signed in %d times, refreshed its session %d times\n", r.Kills, r.Logins, r.Refreshes)
	fmt.Fprintf(&b, "  %.1f s, %.0f replies/s, %.1f messages per read; answer after %.0f ms (median), %.0f ms (99 of 100)\n",
		r.Seconds, r.RepliesPerSecond, r.MessagesPerRead, r.P50Ms, r.P99Ms)
	fmt.Fprintf(&b, "  the bot used %.2f s of CPU and %.0f MB of memory\n", r.BotCPUSeconds, r.BotPeakRSSMB)
	if r.WrittenPerReply > 0 && r.Replies >= tellingReplies {
		fmt.Fprintf(&b, "  it wrote %.1f KB a reply to the disk\n", r.WrittenPerReply/1000)
	}
	if r.Load != nil {
		r.Load.print(&b)
	}
	if r.Idle != nil {
		r.Idle.print(&b)
	}
	if r.Workers != nil {
		r.Workers.print(&b)
	}
	fmt.Fprintf(&b, "%s\n", word)
	for _, d := range r.Details {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	_, err := io.WriteString(out, b.String())
	if err != nil {
		return fmt.Errorf("print the verdict: %w", err)
	}
	return nil
}
