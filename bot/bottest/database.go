package bottest

import "path/filepath"

// Database returns the path of the SQLite file that the bot's next start uses, or that it runs on. A
// test may change it while the bot is stopped, as a disk or a wrong clock would.
func (w *World) Database() string { return filepath.Join(w.dir, w.databaseName()) }
