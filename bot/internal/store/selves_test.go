package store_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// What is kept of one account and cannot be decoded is told, and hides none of the others.
func TestSelvesBesideABrokenOne(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	for i, account := range []event.Account{ana, berk, "caro"} {
		f.StoreSelf(store.Self{Account: account, Platform: "https://api.social.example", User: platform.UserID(i + 1)})
	}
	f.flush()
	db, err := sql.Open("sqlite", f.path)
	if err == nil {
		_, err = db.ExecContext(t.Context(), `UPDATE fact SET value = '{' WHERE account = ? AND name = 'self'`, string(berk))
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	all, newest, err := f.SelvesSince(t.Context(), time.Time{})
	if err == nil || !strings.Contains(err.Error(), "decode who "+string(berk)+" is: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v", err)
	}
	names := map[event.Account]bool{}
	for _, s := range all {
		names[s.Account] = true
	}
	if len(all) != 2 || !names[ana] || !names["caro"] || newest.IsZero() {
		t.Errorf("known are %+v, until %v", all, newest)
	}
}
