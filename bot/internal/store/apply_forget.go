package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
)

// erasing is a bite of what it takes to forget a person, or of what goes before and after it.
type erasing struct {
	key      event.Key
	at       time.Time
	withdraw event.Reason // why what is due is withdrawn
	open     int          // and how many actions are on their way
	begun    int64        // the number of the request whose rows begin to go
	rows     []erasure
	pages    []int64 // their unused parts are overwritten
	truncate bool    // the log is to be emptied
	emptied  bool    // it is
}

// forgetting are the statements with which people are forgotten.
type forgetting struct {
	onTheirWay, begun                             statement
	eraseEvent, eraseTurn, eraseAction, renameUse statement
	dropEntry, dropTalk, eraseTalk, ignore, heed  statement
	dropList                                      statement // of a campaign that is forgotten, say
	readPage, writePage, empty                    statement
	emptying                                      *erasing // with the commit under way, the log is to be emptied
}

func (f *forgetting) statementTexts() map[*statement]string {
	const row = ` WHERE shard = ? AND account = ? AND `
	return map[*statement]string{
		&f.onTheirWay: `SELECT count(*) FROM action INDEXED BY action_open WHERE (state = 'sending' OR state = 'unsure' OR state = 'held')
			AND state <> 'held' AND shard = ? AND account = ? AND peer = ?`,
		&f.begun: `UPDATE request SET until = ?` + row + `number = ? AND until = 0`,
		// The row stays, as handled and without a word: the platform still shows what the person wrote, and without the row that would be a new event.
		&f.eraseEvent: `UPDATE event SET name = '', username = '', text = '', image = '', route = '', outcome = '` + Forgotten + `', note = '',
			rule = '', rules_version = '', before = '', tries = 0, late = 0,
			handled_at = CASE WHEN state = 'handled' THEN handled_at ELSE ? END, state = 'handled'` + row + `source = ? + 0 AND number = ?`,
		&f.eraseTurn:   `UPDATE turn SET route = '', outcome = '` + Forgotten + `', note = '', rule = '', rules_version = '', before = ''` + row + `id = ?`,
		&f.eraseAction: `UPDATE action SET key = ?, text = '', reason = '', why = '', claims = ''` + row + `key = ?`,
		&f.renameUse:   `UPDATE claim SET action = ?` + row + `name = ? AND scope = ? AND action = ?`,
		&f.dropEntry:   `DELETE FROM entry` + row + `list = ? AND key = ?`,
		&f.dropList:    `DELETE FROM entry WHERE shard = ? AND account = ? AND list = ?`,
		&f.dropTalk:    `DELETE FROM conversation` + row + `peer = ?`,
		// The version grows, so that a turn which was made of what is erased is stale, and does not bring it back.
		&f.eraseTalk: `UPDATE conversation SET version = version + 1, name = '', username = '', unreachable = 0, flow = '', flow_state = '',
			labels = '` + noLabels + `', body = ?` + row + `peer = ?`,
		&f.ignore:    `INSERT INTO ignored (shard, account, peer, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&f.heed:      `DELETE FROM ignored` + row + `peer = ?`,
		&f.empty:     `PRAGMA wal_checkpoint(TRUNCATE)`,
		&f.readPage:  `SELECT data FROM sqlite_dbpage('main') WHERE pgno = ?`,
		&f.writePage: `UPDATE sqlite_dbpage SET data = ? WHERE schema = 'main' AND pgno = ?`,
	}
}

// storeIgnored notes whether a person is left alone.
func (a *applier) storeIgnored(key event.Key, ignore *bool, at time.Time) error {
	if ignore == nil {
		return nil
	}
	if *ignore {
		return a.ignore.key(key.Account).int(int64(key.Peer)).at(at).do()
	}
	return a.heed.key(key.Account).int(int64(key.Peer)).do()
}

// storeErasing takes a bite.
func (a *applier) storeErasing(e *erasing) error {
	if e == nil {
		return nil
	}
	if e.withdraw != "" {
		if err := a.giveBackAll.key(e.key.Account).int(int64(e.key.Peer)).do(); err != nil {
			return err
		}
		if err := a.withdrawAll.addReason(e.withdraw).at(e.at).key(e.key.Account).int(int64(e.key.Peer)).do(); err != nil {
			return err
		}
		_, err := a.onTheirWay.key(e.key.Account).int(int64(e.key.Peer)).each(func() { e.open = int(a.onTheirWay.columnNumber(0)) })
		return err
	}
	if err := a.way.checkpointAt(sqlite.HastyCheckpoint); err != nil { // bites change pages all over the file
		return err
	}
	if e.begun != 0 {
		if err := a.begun.at(e.at).key(e.key.Account).int(e.begun).do(); err != nil {
			return err
		}
		if err := a.waitDone.key(e.key.Account).int(int64(e.key.Peer)).do(); err != nil { //mutate:forget-wait
			return err
		}
	}
	for i := range e.rows {
		if err := a.eraseRow(e, &e.rows[i]); err != nil {
			return err
		}
	}
	clear(a.tried)  // timers may have gone from it
	if e.truncate { //mutate:forget-log
		a.emptying = e
	}
	return a.overwritePages(e.pages)
}

// eraseRow deletes a row, or what it says.
func (a *applier) eraseRow(e *erasing, r *erasure) (err error) {
	peer := int64(e.key.Peer)
	// First what stands beside the action, while its key is still the one by which that is found: emptying gives it another one.
	if r.what == dropsAction || r.what == emptiesAction {
		if err := a.dropApproval.key(e.key.Account).str(r.id).do(); err != nil {
			return err
		}
		if err := a.forgetName(e.key.Account, r.id); err != nil {
			return err
		}
		if err := a.takeAge(e.key.Account, r.id); err != nil {
			return err
		}
	}
	byID := map[erasureKind]*statement{
		emptiesTurn: &a.eraseTurn, dropsTurn: &a.dropTurn, dropsAction: &a.dropAction, dropsFacts: &a.dropFacts, dropsTried: &a.listed,
		dropsNotice: &a.dropNotice, dropsStray: &a.dropStray,
	}
	if st := byID[r.what]; st != nil {
		return st.key(e.key.Account).str(r.id).do()
	}
	switch r.what {
	case emptiesEvent:
		err = a.eraseEvent.at(e.at).key(e.key.Account).int(int64(r.source)).int(r.number).do()
	case emptiesAction:
		err = a.eraseAction.str(r.to).key(e.key.Account).str(r.id).do()
	case emptiesTalk:
		if r.body == seal.EmptyBody {
			a.eraseTalk.str(r.body)
		} else {
			a.eraseTalk.addSecret(seal.ConversationValues.OfConversation(e.key), r.body)
		}
		err = a.eraseTalk.key(e.key.Account).int(peer).do()
	case renamesLimitUse:
		err = a.renameUse.str(r.to).key(e.key.Account).str(r.list).str(r.scope).str(r.id).do()
	case dropsTimer:
		err = a.cancel.key(e.key.Account).int(peer).str(r.id).do()
	case dropsEntry:
		err = a.dropEntry.key(e.key.Account).str(r.list).str(r.id).do()
	case dropsLimitUse:
		err = a.revoke.key(e.key.Account).str(r.list).str(r.scope).str(r.id).do()
	case dropsRequest:
		err = a.answer.key(e.key.Account).int(r.number).do()
	case dropsTalk:
		err = a.dropTalk.key(e.key.Account).int(peer).do()
	default:
	}
	return err
}
