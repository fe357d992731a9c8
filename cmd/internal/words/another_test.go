package words_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// Who another person is, and what to write instead, stands in a line; of one name there are two where the platform is another one.
func TestAnotherPersonInWords(t *testing.T) {
	t.Parallel()
	parked := func(known, other string) error {
		return fmt.Errorf("start: %w", &session.ParkedError{
			Account: "main", Known: platform.Person{ID: 11, Username: known}, Other: platform.Person{ID: 13, Username: other},
		})
	}
	file, server := config.Config{Store: "nectar.db"}, config.Config{Store: "postgres://db/nectar"}
	two := config.Config{Store: file.Store, Accounts: make([]config.Account, 2)}
	const begins = "account main: in "
	for _, c := range []struct {
		err  error
		cfg  config.Config
		want string
	}{
		{parked("shop", "cafe"), file, begins + "nectar.db it is @shop (number 11), and the settings sign in as @cafe (number 13); nothing is done as @cafe. " +
			"Put the e-mail address of @shop back, or write another NECTAR_STORE for @cafe, or delete nectar.db with all that the bot knows of @shop"},
		{parked("bot", "bot"), file, begins + "nectar.db it is @bot (number 11), and the settings sign in as @bot (number 13); nothing is done as @bot (number 13). " +
			"The platform is another one, or has begun anew: write another NECTAR_STORE for @bot (number 13), or delete nectar.db with all that the bot knows of @bot"},
		{parked("bot", "bot"), two, begins + "nectar.db it is @bot (number 11), and the settings sign in as @bot (number 13); nothing is done as @bot (number 13). " +
			"The platform is another one, or has begun anew: give @bot (number 13) an account name of its own"},
		{parked("", ""), server, begins + fmt.Sprint(server.Store) + " it is somebody (number 11), and the settings sign in as somebody (number 13); nothing is done as somebody. " +
			"Put the e-mail address of somebody back, or write another NECTAR_STORE for somebody"},
		{errors.New("it rains"), file, ""},
	} {
		if got := words.AnotherText(c.err, &c.cfg); got != c.want {
			t.Errorf("it says\n%s\nwant\n%s", got, c.want)
		}
	}
}
