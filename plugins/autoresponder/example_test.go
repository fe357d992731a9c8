package autoresponder_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"go.uber.org/fx"
)

// A folder of rule files is a bot.
func Example() {
	folder, err := os.MkdirTemp("", "nectar-rules-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	const faq = `
version: 1
status: live
rules:
  - id: opening-hours
    when: message
    if: [text: { any_phrase: [opening hours, when do you open], none_word: [refund] }]
    then: [{ reply: "Hi {{first_name|there}}! Mon-Fri 9:00-18:30." }]
    limits: { per_person: 1 per 12h }
`
	if err := os.WriteFile(filepath.Join(folder, "10-faq.yaml"), []byte(faq), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, fx.Options(autoresponder.Module, fx.Supply(autoresponder.Config{Path: folder})),
		ana.Says("Hello! When do you open?"), ana.Expects("Mon-Fri")))
	// Output:
	// ana      Hello! When do you open?
	// bot  →   ana: Hi Ana! Mon-Fri 9:00-18:30.
	// <nil>
}
