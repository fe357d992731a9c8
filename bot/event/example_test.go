package event_test

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

// An event has an id for ever, which people write as the commands show it.
func ExampleParseID() {
	id, err := event.ParseID("message:501")
	fmt.Println(id.Number, id, err)
	_, err = event.ParseID("message")
	fmt.Println(err != nil)
	// Output:
	// 501 message:501 <nil>
	// true
}
