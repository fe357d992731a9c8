package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// database is one that a test made, and opens again and again.
type database struct {
	open      func() store.Store
	inspector func() asker // beside an open store
}

// testStore is what every engine has to do.
func testStore(t *testing.T, e engine) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(w *world)
	}{
		{"nothing is stored at first", testNothing},
		{"a turn is stored whole", testWholeTurn},
		{"any text comes back", testTexts},
		{"what is no proper text comes back, too", testBytes},
		{"accounts are apart", testAccounts},
		{"of many accounts those are found that have something", testAmong},
		{"of many accounts those are found that have the newest", testNewestOfMany},
		{"the rules of many accounts are those of each", testRulesOfMany},
		{"many write and read at once", testManyAtOnce},

		{"a process is shown the work of the shards that it serves", testServed},
		{"a trigger is handled once", testHandledOnce},
		{"a decision is handled once", testDecision},
		{"what waits is handled later", testPending},
		{"what waits keeps its order", testPendingOrder},
		{"tries are counted, and end in quarantine", testAttempts},
		{"what tries of a timer recorded stays as long as it", testTimerTries},
		{"of what the process has died stays until it is decided", testDeaths},
		{"tries that do not count leave what they recorded", testUncountedTries},

		{"a stale turn changes nothing", testStale},
		{"a stale timer or decision can be tried again", testStaleTriggers},
		{"a conversation that is gone is not made again", testGone},
		{"a lane breaks behind the turn that is not stored", testSequence},
		{"a lane breaks over groups", testSequenceOverGroups},
		{"a dropped turn breaks its lane", testDroppedSequence},
		{"what cannot be stored hurts nobody else", testUnfit},

		{"receipts come in order", testReceipts},
		{"marks replace what was there", testMarks},
		{"first contacts are told apart", testKnown},
		{"who waits is kept", testWaiting},
		{"what is held for a pause goes on", testHeldForAPause},
		{"what is done without a name is found until it has one", testUnnamed},
		{"what has ended does not leave", testEnded},
		{"how long ago a request was given up", testAges},
		{"what is due for longest, and how much is", testOverdue},
		{"marks are stored in their order", testMarkOrder},
		{"marks and cursors are stored without any commit", testLazy},
		{"waiting for marks can be given up", testMarkNowCancelled},
		{"closing stores what is queued", testClose},
		{"a closed store takes nothing", testClosed},

		{"actions are due by priority, time and place", testDue},
		{"what a later clock decided is found", testAhead},
		{"what a later clock has set waits for its while alone", testPullIn},
		{"what is known of an account stays known", testRemember},
		{"open actions stand by place", testOpen},
		{"an action is stored once", testActionOnce},
		{"what is due is withdrawn", testWithdraw},
		{"what waits is found by its latest departure", testUntil},
		{"results are found", testResults},
		{"positions only grow", testPosition},

		{"a claim is granted up to its limit", testLimitUses},
		{"a claim leaves room for those that come first", testLimitUsesBeside},
		{"a claim within a time is free again after it", testLimitUsesWithin},
		{"a claim of the future does not count for long", testLimitUsesOfTheFuture},
		{"all claims of an action, or none", testAllLimitUses},
		{"one limit may count over two times", testTwoWindows},
		{"a turn without its claims is not stored", testTurnLimitUses},
		{"a claim denied in a group hurts nobody else", testTurnLimitUsesInAGroup},
		{"a claim of a turn that was handled is no second use", testTurnLimitUsesOnce},
		{"a use is given back when its action does not come about", testGiveBack},
		{"a use is given back when what is due is withdrawn", testGiveBackWithdrawn},
		{"what never leaves uses nothing up", testNothingUsed},
		{"what is held claims at its release", testHeldLimitUses},

		{"a timer fires once", testTimer},
		{"timers come due in order", testDueTimers},
		{"a timer is replaced and cancelled", testReplacedTimer},
		{"a timer that fails is quarantined, and tried again", testTimerQuarantine},
		{"timers without a route wait apart", testOrphans},

		{"what people ask for waits in its order", testRequests},
		{"a request has its turn once", testRequestOnce},
		{"what is held is decided about once", testHeld},
		{"what was held may be there", testStrays},
		{"what was quarantined waits again", testRetry},

		{"reasons are kept as codes", testReasons},

		{"a list has one entry of a key", testEntries},
		{"a notice is told once", testNotices},
		{"notices without a turn, and alarms", testCalls},
		{"what an address got", testReached},
		{"when a person did something", testAttended},
		{"what is held for long", testHeldBefore},
		{"a notice about an entry is told when that is new", testNoticeOfEntry},
		{"what was said is masked", testMasks},
		{"rules are kept by their hash", testRules},
		{"each account has its own rules in force", testRulesOfAccounts},

		{"a value of an account is changed by whoever has read the last one", testValues},
		{"a turn made of an older value changes nothing", testStaleValues},
		{"a name has one action", testNamedActions},
		{"a nudge has its turn once", testNudges},
		{"what tries of a request recorded stays as long as it", testTriedRequests},

		{"facts are kept for their trigger", testFacts},
		{"flow states are counted", testFlowStates},
		{"cursors move forward", testCursors},
		{"cursors are stored with their events", testCursorsTogether},
		{"a cursor is set back when it says so", testCursorSetBack},
		{"the newest events come first", testNewest},
		{"a session is kept", testSession},
		{"a person is forgotten", testForgotten},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			c.test(newWorld(t, func(t *testing.T) database { t.Helper(); return e.fresh(t, way{}) }))
		})
	}
	t.Run("what is over and old goes", func(t *testing.T) {
		effort.Case(t)
		testRetention(t, e)
	})
}
