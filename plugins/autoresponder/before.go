package autoresponder

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// inForceBefore returns what was in force before the start, by account: as far as anything was.
func (fo *folder) inForceBefore(ctx context.Context) (map[event.Account]record.InForce, error) {
	const many = 100 // of which all rows are read at once: each by itself comes with its content
	if all, ok := fo.memory.(interface {
		RulesOf(ctx context.Context, accounts []event.Account) (map[event.Account]record.InForce, error)
	}); ok && len(fo.place.accounts) > many {
		return all.RulesOf(ctx, fo.place.accounts)
	}
	was := map[event.Account]record.InForce{}
	for _, account := range fo.place.namedAccounts() {
		f, ok, err := fo.memory.RulesInForce(ctx, account)
		if err != nil {
			return nil, err
		}
		if ok {
			was[account] = f
		}
	}
	return was, nil
}

// latestInForce returns which of what was in force is of this folder: accounts may have come from others. False when that is not
// known.
func (fo *folder) latestInForce(was map[event.Account]record.InForce) (record.InForce, bool) {
	var here, any record.InForce
	agree := true
	for _, f := range was {
		agree = agree && (any.Hash == "" || any.Hash == f.Hash)
		if f.Since.After(any.Since) || any.Hash == "" {
			any = f
		}
		if f.Folder == fo.place.path && (f.Since.After(here.Since) || here.Hash == "") {
			here = f
		}
	}
	if here.Hash == "" && agree {
		here = any
	}
	return here, here.Hash != ""
}

// resume puts in force what was so before the start: for each account what it acted by, and for one that is new what is
// known of the folder.
func (fo *folder) resume(ctx context.Context) {
	if fo.resumed { //mutate:rules-resumed
		return
	}
	was, err := fo.inForceBefore(ctx)
	if err != nil {
		return // it is looked for again
	}
	fo.resumed = true
	last, known := fo.latestInForce(was)
	apart := map[string][]event.Account{}
	found := map[string]record.InForce{}
	for _, account := range fo.place.namedAccounts() {
		f, ok := was[account]
		if !ok && known { //mutate:rules-of-folder
			f, ok = last, true
		}
		if ok {
			apart[f.Hash], found[f.Hash] = append(apart[f.Hash], account), f
		}
	}
	for hash, accounts := range apart {
		fo.again(ctx, found[hash], accounts)
	}
	if len(apart) != 1 || len(was) < len(fo.place.namedAccounts()) {
		fo.hash, fo.saved = "", false // what is read next is in force for all
	}
}

// again puts rules in force that were so before.
func (fo *folder) again(ctx context.Context, f record.InForce, accounts []event.Account) {
	src, err := rules.DecodeSources(f.Content)
	if err != nil {
		fo.log().WarnContext(ctx, "it is not known which rules were in force before", "err", err)
		return
	}
	v, report := fo.check(src)
	if v == nil {
		fo.logProblems(ctx, report, func(text.Problem) bool { return false })
		fo.log().ErrorContext(ctx, "the rules that were in force before do not work in this version; nothing is in force, and nobody is answered")
		return
	}
	fo.good, fo.hash, fo.saved, fo.loaded, fo.files = src, v.Hash(), true, f.Since, len(src) // it stays as old as it is
	fo.use(v, accounts...)
	fo.log().WarnContext(ctx, "the rules that were in force before the start stay so", "version", v.Hash(), "since", timeStamp(f.Since), "files", len(src), "rules", v.Count())
}
