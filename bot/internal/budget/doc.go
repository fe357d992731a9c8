// Package budget answers when a request may leave for a host of the platform, so that all accounts, and all workers, together stay below what
// the host gets. A [Host] lets so many a second leave as are this process's share. Without a limit it lets everything leave, and costs next to
// nothing.
//
//	sign-ins, what acts ──► first ──┐
//	                                ├──► bucket ──► leaves, and its time begins
//	polls under a Turn ───► then ───┘    (fills evenly, holds a quarter of a second)
//
// A poller asks before it begins a cycle, and again, like everybody, right before each request:
//
//	under, end, wait := polls.Begin(late)    // nil and how long: there is nothing left for a first request
//	defer end()
//	err := host.Wait(under(ctx), false)      // here, below the client, a token is taken
//
// Read host.go first: who waits, and who goes next. Then turn.go, for cycles of polls; budget.go is the hosts together, and the shares.
//
// What holds:
//
//   - The bucket begins empty, and a shared one with a share of nothing until [Budget.GrantShare]. A process that starts, or gets shards, does not
//     know what others have just used; a full bucket would go on top of theirs.
//   - What acts goes before what polls, also when the poll came first: a reply that is late is seen by people, a poll that is late is not.
//   - A cycle only begins when there is a token for its first request, and those promised to cycles before it are left out. Otherwise cycles
//     would begin, hold the slots of their accounts, and wait there.
//   - An action that waits for a slot of its account lets the polls that have the slots go first ([Polls.LetHurry]): what goes first would wait
//     for what goes last.
//   - A share that shrinks counts at once, also for who waits already. What was saved up goes on counting as far as it still may be.
//
// bot makes one (bot.NewBudget, or bot.RunWorker for a worker), puts it before the sockets, and hands the polls to the poller. What a worker's
// share is, bot/internal/lease decides.
package budget
