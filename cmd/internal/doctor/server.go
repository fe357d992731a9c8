package doctor

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/config"
)

// checkServer reports whether the server of the database, if it is on one, keeps what it has confirmed: all that the bot promises
// rests on that.
func (d *Doctor) checkServer(ctx context.Context, cfg config.Config) {
	if !cfg.Store.OnServer() {
		return
	}
	s, err := admin.ServerOf(ctx, string(cfg.Store))
	if err != nil {
		d.NoteFinding(Finding{Check: "database server", Status: Failed, Said: err.Error()})
		return
	}
	const damages, begin = "a loss of power may damage the database", "in postgresql.conf, and let the server read it again"
	wrong := 0
	for _, c := range []struct {
		is     bool
		status Status
		said   string
	}{
		{!s.Fsync, Failed, "fsync is off, so that " + damages + ": set fsync = on " + begin},
		{!s.FullPages, Failed, "full_page_writes is off, so that " + damages + ": set full_page_writes = on " + begin},
		{!s.Waits, Failed, "synchronous_commit is off, so that what the bot takes for stored is not: set it to on, where it is switched off: " +
			"for the server, the database (ALTER DATABASE), the user (ALTER ROLE) or in the URL"},
		{s.Lost != nil, Failed, "it has lost what it had confirmed, so that no worker begins: compare with nectar audit what was sent; then nectar workers accept-loss"},
		{s.Behind > 0, Odd, fmt.Sprintf("no commit waits for the standbys (%d): one that takes over may lack the last ones. Workers see that, and begin "+
			"with care; name them in synchronous_standby_names, and nothing is lost", s.Behind)},
		{s.Untold != "", Odd, "it does not tell which server it is (" + s.Untold + "): when all workers die with it, a standby that lacks commits, or a copy elsewhere, is not seen; " +
			"say nectar restored then"},
		{s.Unproven, Odd, "it is on another machine, and need not prove that it is the one that NECTAR_STORE names: whoever stands in between reads and changes all; " +
			"write sslmode=verify-full into the URL, and sslrootcert=FILE for an authority of your own"},
		{s.MD5, Odd, "it asks for the password in the form md5, by which whoever reads its tables may sign in: set password_encryption = scram-sha-256, give " +
			"the user its password anew, and write scram-sha-256 for md5 in pg_hba.conf"},
	} {
		if c.is {
			wrong++
			d.NoteFinding(Finding{Check: "database server", Status: c.status, Said: c.said})
		}
	}
	if wrong == 0 {
		d.NoteFinding(Finding{Check: "database server", Status: Good, Said: "it keeps what it has confirmed, as far as its settings tell"})
	}
}
