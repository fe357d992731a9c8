// Package inspect is how people look at what a bot keeps, and ask it for something, from any process, beside the bot or without it:
// what has happened, what it did about it and why, what waits, and what is held. The commands of nectar stand on it, and so may a page or
// another program.
//
//	i, err := inspect.Open(ctx, "nectar.db", key)
//	if err != nil {
//		return err
//	}
//	defer i.Close()
//	held, err := i.Actions(ctx, record.ActionQuery{Account: "main", State: event.StateHeld, Limit: 50})
//
// Lists of any length are read page by page, with Events and those like it: each Page has the Cursor of the next one.
//
// What it returns are words of bot/record and bot/event. A change that a person asks for is a request (event.Request): the bot that has
// the account takes it up within about a second, or the next one that begins, and Answer tells what became of it.
package inspect
