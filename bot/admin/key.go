package admin

import (
	"context"

	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// ChangeKey lets another NECTAR_SECRET_KEY take the place of the one that opens what is sealed in the database at
// path, also while a bot runs on it. All is then sealed anew, with a key of the file that the old one will not open: by
// the bot that runs, or by a store that is opened with the new one. Until then both of them open the database, and
// from then on the new one alone. To ask for it again changes nothing. The errors are those of inspect.OpenReader, and what keeps the
// key from changing.
func ChangeKey(ctx context.Context, path string, from, to platform.Secret) error {
	return rekey.ChangeKey(ctx, path, from, to)
}

// KeyChange lets another NECTAR_SECRET_KEY take the place of the one that opens what is sealed in a database of PostgreSQL, while workers
// run. From its beginning on both open all there is; workers seal with a fresh key as soon as they have seen it, within seconds. When
// all is sealed with that, and every worker has the new NECTAR_SECRET_KEY, the old one opens nothing any more. A change that
// was interrupted goes on when it is begun again.
type KeyChange interface {
	// Rows returns how many rows with something to be sealed there are.
	Rows(ctx context.Context) (all int64, err error)
	// Seal seals with the fresh key what is not, in portions of which each is a commit, and returns how many rows it has changed. What
	// others store at that moment is left for the next time. tell is called with how many were changed so far.
	Seal(ctx context.Context, tell func(rows int64)) (rows int64, err error)
	// Finish lets the old secret open nothing any more, when all is sealed with the fresh key and every worker can do without the old
	// one; else it returns the names of workers that cannot, or that have not seen the fresh key yet. Without any, the error is
	// record.ErrNotSealed while Seal has something to do.
	Finish(ctx context.Context) (behind []string, err error)
	// Close ends it, or leaves it for another time.
	Close() error
}

// BeginKeyChange begins a change of key, or goes on with one. person returns the Person of an account, see record.StoredAccount. The
// errors are those of ChangeKey, workers that cannot take part, and another change that is under way.
func BeginKeyChange(ctx context.Context, url string, from, to platform.Secret, person func(record.StoredAccount) platform.Secret) (KeyChange, error) {
	c, err := rekey.Begin(ctx, url, from, to, person)
	if err != nil {
		return nil, err
	}
	return c, nil
}
