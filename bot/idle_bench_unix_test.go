//go:build unix

package bot_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/bot/store/storetest"
)

// BenchmarkIdleOnServer reports what an account with 20 chats costs that has signed in and was polled, and has nothing to do: memory of
// the worker that serves it, and room in the database.
func BenchmarkIdleOnServer(b *testing.B) {
	s, err := storetest.New()
	switch {
	case storetest.MayBeMissing(err):
		b.Skip(err)
	case err != nil:
		b.Fatal(err)
	}
	defer s.Stop()
	const accounts = 2500
	of, platform := quarter(accounts), newCanned(b, 20)
	for b.Loop() {
		st, err := store.Open(b.Context(), store.Options{Path: s.URL(""), Key: secretKey})
		if err != nil {
			b.Fatal(err)
		}
		empty := room(b, s.URL(""))
		polled := platform.await(accounts)
		t := newTaker(b, st, of, platform)
		before := used()
		t.take(b.Context(), of)
		<-polled
		for n := -1; n != platform.total(); time.Sleep(500 * time.Millisecond) { // until nothing is asked any more
			n = platform.total()
		}
		b.ReportMetric(float64(used()-before)/accounts, "B-memory/account")
		b.ReportMetric(float64(room(b, s.URL(""))-empty)/accounts, "B-database/account")
		t.lose(b, st)
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// used is the memory that is in use, of heap and stacks.
func used() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// room is the size of all tables with their indexes, without what is left over.
func room(b *testing.B, url string) int64 {
	b.Helper()
	c, err := pgconn.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close(b.Context()) }()
	if _, err := c.Exec(b.Context(), `VACUUM`).ReadAll(); err != nil {
		b.Fatal(err)
	}
	r := c.ExecParams(b.Context(), `SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`, nil, nil, nil, nil).Read()
	if r.Err != nil {
		b.Fatal(r.Err)
	}
	n, err := strconv.ParseInt(string(r.Rows[0][0]), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
