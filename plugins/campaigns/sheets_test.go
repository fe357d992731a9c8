package campaigns_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// hourly is a campaign of own texts with a slot each hour, for six days.
func hourly(d *market) campaigns.Campaign {
	c := campaigns.Campaign{
		ID: "spring-menu", Account: "bot", Do: campaigns.Publish, Status: campaigns.Live, Zone: time.UTC,
		Starts: day(d.t, "2027-03-13"), Ends: day(d.t, "2027-03-18"), Turn: campaigns.InOrder,
	}
	for _, weekday := range []string{"Sat", "Sun", "Mon", "Tue", "Wed", "Thu"} {
		for hour := range 24 {
			c.Lines = append(c.Lines, line(d.t, fmt.Sprintf("%s %02d:00", weekday, hour)))
		}
	}
	for _, said := range []string{"Asparagus is here.", "Strawberries, too."} {
		c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(said), Text: said})
	}
	return c
}

// aMinuteBefore lets a bot start before the first slot: it decides none before the platform has answered.
func aMinuteBefore(cfg *bottest.Config) { cfg.Start = cfg.Start.Add(-time.Minute) }

// What is remembered of a busy campaign is the same for who reads it and for a bot that was started anew, and no more than the
// slots of the last days.
func TestSlotsOfTheLastDays(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 0, hourly, func(d *market) {
		d.until("03-15 06:30")
		before := d.stored()
		d.Restart()
		d.Advance(time.Minute)
		if diff := cmp.Diff(before.Memories, d.stored().Memories, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("a new bot remembers (-before +now)\n%s", diff)
		}
		d.until("03-18 23:30")
		m := d.stored().Memories["spring-menu"]
		for id, e := range m.Book {
			if e.State != campaigns.Done || !e.At.Equal(e.Minute) {
				t.Errorf("%s: %+v", id, e)
			}
		}
		if n := len(m.Book); n < 95 || n > 98+12 { // four days, and up to half a day that is forgotten together
			t.Errorf("%d slots are remembered", n)
		}
		if m.Whole != 24*6-12 || strings.Count(strings.Join(d.happened(), "\n"), "publish") != m.Whole {
			t.Errorf("%d were published, as is remembered; in fact\n%s", m.Whole, strings.Join(d.happened(), "\n"))
		}
		if names := d.names("book/"); len(names) > 8 {
			t.Errorf("what is forgotten is kept: %v", names)
		}
	}, aMinuteBefore)
}

// What a version remembered that kept all of a campaign in one place is read, and goes on.
func TestMemoryOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 0, hourly, func(d *market) {
		d.until("03-14 12:30")
		want := d.stored()
		d.Stop()
		d.inOnePlace()
		if diff := cmp.Diff(want.Memories, d.stored().Memories, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("remembered is (-before +now)\n%s", diff)
		}
		d.Start()
		d.until("03-14 18:30")
		if n := len(d.happened()); n != 35 {
			t.Errorf("%d posts\n%s", n, strings.Join(d.happened(), "\n"))
		}
		if n := len(d.stored().Memories["spring-menu"].Book); n != 35 {
			t.Errorf("%d slots are remembered", n)
		}
	}, aMinuteBefore)
}

// names returns under which names something is kept.
func (d *market) names(prefix string) (names []string) {
	d.t.Helper()
	d.sql(func(db *sql.DB) {
		rows, err := db.QueryContext(context.Background(), "SELECT name FROM account_value WHERE plugin = 'campaigns' ORDER BY name")
		if err != nil {
			d.t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				d.t.Fatal(err)
			}
			if strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		}
		if err := rows.Err(); err != nil {
			d.t.Fatal(err)
		}
	})
	return names
}

func (d *market) sql(do func(db *sql.DB)) {
	d.t.Helper()
	db, err := sql.Open("sqlite", d.Database())
	if err != nil {
		d.t.Fatal(err)
	}
	do(db)
	if err := db.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// inOnePlace writes what is remembered of the campaign as the first version did: under one name.
func (d *market) inOnePlace() {
	d.t.Helper()
	d.sql(func(db *sql.DB) {
		read := func(name string) map[string]any {
			var raw []byte
			if err := db.QueryRowContext(context.Background(), "SELECT value FROM account_value WHERE plugin = 'campaigns' AND name = $1", name).Scan(&raw); err != nil {
				d.t.Fatal(name, err)
			}
			var v map[string]any
			if err := json.Unmarshal(raw, &v); err != nil {
				d.t.Fatal(name, err)
			}
			return v
		}
		m := read("memory/spring-menu")
		m["force"] = read("force/spring-menu")
		book, _ := m["book"].(map[string]any)
		if book == nil {
			book = map[string]any{}
		}
		for _, n := range m["sheets"].([]any) {
			maps.Copy(book, read(fmt.Sprintf("book/spring-menu/%v", n)))
		}
		m["book"] = book
		delete(m, "sheets")
		raw, err := json.Marshal(m)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, statement := range []string{
			"UPDATE account_value SET value = $1 WHERE plugin = 'campaigns' AND name = 'memory/spring-menu'",
			"DELETE FROM account_value WHERE plugin = 'campaigns' AND $1 <> '' AND (name LIKE 'force/%' OR name LIKE 'book/%')",
		} {
			if _, err := db.ExecContext(context.Background(), statement, string(raw)); err != nil {
				d.t.Fatal(err)
			}
		}
	})
}
