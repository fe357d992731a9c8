PRAGMA application_id = 1315267444;
CREATE TABLE account_value (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	plugin  TEXT    NOT NULL,
	name    TEXT    NOT NULL,
	version INTEGER NOT NULL, -- another one with each change, never one that was there before
	value   TEXT    NOT NULL, -- JSON
	PRIMARY KEY (shard, account, plugin, name)
) WITHOUT ROWID;
CREATE INDEX account_value_version ON account_value (version);
CREATE TABLE action (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	key         TEXT    NOT NULL, -- trigger/route/n
	peer        INTEGER NOT NULL,
	verb        TEXT    NOT NULL,
	text        TEXT    NOT NULL,
	post        INTEGER NOT NULL,
	target      INTEGER NOT NULL,
	want        INTEGER NOT NULL,
	priority    INTEGER NOT NULL, -- 0 answer, 1 scheduled, 2 broadcast
	state       TEXT    NOT NULL,
	due_at      INTEGER NOT NULL,
	position    INTEGER NOT NULL,
	settle_from INTEGER NOT NULL,
	result      INTEGER NOT NULL,
	tries       INTEGER NOT NULL,
	reason      TEXT    NOT NULL,
	decided_at  INTEGER NOT NULL,
	left_at     INTEGER NOT NULL,
	ended_at    INTEGER NOT NULL, private INTEGER NOT NULL DEFAULT 0, claims TEXT NOT NULL DEFAULT '', rule TEXT NOT NULL DEFAULT '', stale_at INTEGER NOT NULL DEFAULT 0, until_at INTEGER NOT NULL DEFAULT 0, apart INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT '', known INTEGER NOT NULL DEFAULT 0, delay INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
CREATE INDEX action_due ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due';
CREATE INDEX action_first ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due' AND known <> 1;
CREATE INDEX action_kind ON action (shard, account, peer, known) WHERE state = 'due' AND known < 2;
CREATE INDEX action_known ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due' AND known = 1;
CREATE INDEX action_met ON action (shard, account, peer, result) WHERE state = 'done' AND verb = 'message' AND known = 0;
CREATE INDEX action_open ON action (shard, account, position) WHERE state = 'sending' OR state = 'unsure' OR state = 'held';
CREATE INDEX action_published ON action (shard, account, max(due_at, left_at))
	WHERE verb = 'renew' OR verb = 'repost' AND want = 1 OR verb = 'post' AND post = 0;
CREATE INDEX action_result ON action (result) WHERE result > 0;
CREATE INDEX action_taken_back ON action (shard, account, post, left_at) WHERE verb = 'repost' AND want = 0;
CREATE INDEX action_unnamed ON action (shard, account, verb, (CASE verb WHEN 'post' THEN post ELSE peer END), position)
	WHERE state = 'done' AND result = 0 AND (verb = 'message' OR verb = 'post');
CREATE INDEX action_until ON action (shard, account, until_at) WHERE until_at > 0 AND (state = 'due' OR state = 'held');
CREATE INDEX action_waiting ON action (shard, account, peer) WHERE state = 'due';
CREATE TABLE address (
	id   TEXT PRIMARY KEY,
	pace TEXT NOT NULL -- JSON: when it rang last, how often since somebody has looked, since when it fails
) WITHOUT ROWID;
CREATE TABLE alarm (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL, -- '' for the whole bot
	kind    TEXT    NOT NULL,
	subject TEXT    NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (shard, account, kind, subject)
) WITHOUT ROWID;
CREATE TABLE approval (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	key        TEXT    NOT NULL, -- of the action
	leader     TEXT    NOT NULL, -- the key of the first of those that are decided about together
	within     INTEGER NOT NULL, -- how long it may be approved, in microseconds; 0 for ever
	expires_at INTEGER NOT NULL,
	effects    TEXT    NOT NULL, -- JSON: what happens beside, with the approval; '' for nothing, or with the leader's
	ruling     TEXT    NOT NULL, -- released, edited, dropped, expired; '' while it waits
	ruled_by   TEXT    NOT NULL,
	ruled_at   INTEGER NOT NULL,
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
CREATE TABLE claim (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	scope      TEXT    NOT NULL,
	action     TEXT    NOT NULL, -- the key of the action that has it
	claimed_at INTEGER NOT NULL,
	ends_at    INTEGER NOT NULL, -- when it stops to count; the highest number for never
	PRIMARY KEY (shard, account, name, scope, action)
) WITHOUT ROWID;
CREATE INDEX claim_ends ON claim (ends_at) WHERE ends_at < 9223372036854775807;
CREATE TABLE conversation (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	peer        INTEGER NOT NULL,
	version     INTEGER NOT NULL,
	name        TEXT    NOT NULL,
	username    TEXT    NOT NULL,
	owner       TEXT    NOT NULL, -- '' is the bot
	owner_since INTEGER NOT NULL,
	unreachable INTEGER NOT NULL,
	flow        TEXT    NOT NULL,
	flow_state  TEXT    NOT NULL,
	labels      TEXT    NOT NULL, -- a JSON list
	body        TEXT    NOT NULL, -- JSON: the flow's data, and what plugins keep
	changed_at  INTEGER NOT NULL,
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
CREATE INDEX conversation_flow ON conversation (flow, flow_state) WHERE flow <> '';
CREATE INDEX conversation_owned ON conversation (shard, account, owner_since) WHERE owner <> '';
CREATE INDEX conversation_user ON conversation (shard, account, username COLLATE NOCASE) WHERE username <> '';
CREATE TABLE cursor (
	shard     INTEGER NOT NULL,
	account   TEXT    NOT NULL,
	source    INTEGER NOT NULL,
	peer      INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	mark      INTEGER NOT NULL,
	polled_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account, source, peer)
) WITHOUT ROWID;
CREATE TABLE doubt (
	shard    INTEGER NOT NULL,
	account  TEXT    NOT NULL,
	key      TEXT    NOT NULL, -- of the action
	given_up INTEGER NOT NULL, -- microseconds ago; below 0: so soon, at the latest
	boot     TEXT    NOT NULL, -- of the machine where that was so; empty when nobody knows
	steady   INTEGER NOT NULL, -- and when, in microseconds since that boot
	epoch    INTEGER NOT NULL, -- on a server that of the shard then; in a file 0
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
CREATE TABLE entry (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	list       TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	peer       INTEGER NOT NULL,
	trigger_id TEXT    NOT NULL, -- what led to it; '' for a person
	text       TEXT    NOT NULL,
	data       TEXT    NOT NULL, -- JSON, or ''
	at         INTEGER NOT NULL,
	PRIMARY KEY (shard, account, list, key)
) WITHOUT ROWID;
CREATE INDEX entry_peer ON entry (shard, account, list, peer);
CREATE TABLE event (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	source     INTEGER NOT NULL, -- 1 message, 2 notif, 3 mention, 4 chat
	number     INTEGER NOT NULL,
	peer       INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	username   TEXT    NOT NULL,
	text       TEXT    NOT NULL,
	image      TEXT    NOT NULL,
	post       INTEGER NOT NULL,
	subject    TEXT    NOT NULL,
	seen_at    INTEGER NOT NULL,
	not_before INTEGER NOT NULL,
	state      TEXT    NOT NULL, -- pending, handled, quarantined
	tries      INTEGER NOT NULL,
	handled_at INTEGER NOT NULL,
	route      TEXT    NOT NULL,
	outcome    TEXT    NOT NULL,
	note       TEXT    NOT NULL, late INTEGER NOT NULL DEFAULT 0, rule TEXT NOT NULL DEFAULT '', rules_version TEXT NOT NULL DEFAULT '', before TEXT NOT NULL DEFAULT '', why TEXT NOT NULL DEFAULT '', said_at INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (shard, account, source, number)
) WITHOUT ROWID;
CREATE INDEX event_delivery ON event (shard, account, seen_at, number) WHERE source = 5;
CREATE INDEX event_open ON event (shard, account, peer) WHERE state <> 'handled';
CREATE INDEX event_peer ON event (shard, account, peer, seen_at);
CREATE INDEX event_snapshot ON event (shard, account, seen_at) WHERE source = 4;
CREATE INDEX event_waiting ON event (shard, account, state, seen_at) WHERE state <> 'handled';
CREATE TABLE fact (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	trigger_id TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	value      TEXT    NOT NULL, -- JSON
	read_at    INTEGER NOT NULL,
	PRIMARY KEY (shard, account, trigger_id, name)
) WITHOUT ROWID;
CREATE TABLE floor (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	source  INTEGER NOT NULL, -- as in event; 0 for the account's own messages
	number  INTEGER NOT NULL,
	PRIMARY KEY (shard, account, source)
) WITHOUT ROWID;
CREATE TABLE ignored (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	peer    INTEGER NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE named (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	key        TEXT    NOT NULL, -- of the action
	trigger_id TEXT    NOT NULL,
	PRIMARY KEY (shard, account, key)
) WITHOUT ROWID;
CREATE INDEX named_trigger ON named (shard, account, trigger_id);
CREATE TABLE notice (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	id      TEXT    NOT NULL, -- trigger/route/n
	who     TEXT    NOT NULL,
	text    TEXT    NOT NULL,
	peer    INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	sent_at INTEGER NOT NULL,
	private INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT '', details TEXT NOT NULL DEFAULT '', reached TEXT NOT NULL DEFAULT '', -- 1: its text is for them alone
	PRIMARY KEY (shard, account, id)
) WITHOUT ROWID;
CREATE INDEX notice_at ON notice (at);
CREATE INDEX notice_unsent ON notice (at) WHERE sent_at = 0;
CREATE TABLE request (
	shard    INTEGER NOT NULL,
	account  TEXT    NOT NULL,
	number   INTEGER NOT NULL, -- higher than that of every request before it
	peer     INTEGER NOT NULL,
	wish     TEXT    NOT NULL, -- retry, release, drop, take-over, give-back
	subject  TEXT    NOT NULL, -- ids of events, the key of an action, or who takes over
	until    INTEGER NOT NULL, -- how long somebody has the conversation
	asked_at INTEGER NOT NULL, text TEXT NOT NULL DEFAULT '', asked_by TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (shard, account, number)
) WITHOUT ROWID;
CREATE TABLE rules_in_force (
	account TEXT    PRIMARY KEY, -- '' for all of a bot that names none
	hash    TEXT    NOT NULL,
	folder  TEXT    NOT NULL, -- as the settings name it; '' when that was not noted
	since   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE rules_version (
	hash      TEXT    PRIMARY KEY,
	content   TEXT    NOT NULL,
	loaded_at INTEGER NOT NULL
, used_at INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE schema_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
CREATE TABLE seal_key (
	number  INTEGER NOT NULL, -- what is sealed names it; the highest one seals
	secret  BLOB    NOT NULL, -- the fingerprint of the NECTAR_SECRET_KEY that opens the box
	box     BLOB    NOT NULL,
	leaves  INTEGER NOT NULL, -- 1: this NECTAR_SECRET_KEY is to open nothing any more, once all is sealed anew
	made_at INTEGER NOT NULL,
	PRIMARY KEY (number, secret)
) WITHOUT ROWID;
CREATE TABLE seal_user (
	one    INTEGER PRIMARY KEY, -- 1
	secret BLOB    NOT NULL
);
CREATE TABLE sealing (
	number  INTEGER PRIMARY KEY, -- of the key
	looked  INTEGER NOT NULL,    -- rows
	done_at INTEGER NOT NULL
);
CREATE TABLE session (
	shard    INTEGER NOT NULL,
	account  TEXT    NOT NULL,
	sealed   BLOB    NOT NULL, -- the first byte says how: 0 not at all, 1 with NECTAR_SECRET_KEY
	saved_at INTEGER NOT NULL,
	PRIMARY KEY (shard, account)
) WITHOUT ROWID;
CREATE TABLE shard (
	shard       INTEGER PRIMARY KEY,
	owner       TEXT    NOT NULL,
	epoch       INTEGER NOT NULL,
	lease_until INTEGER NOT NULL
);
CREATE TABLE stray (
	shard       INTEGER NOT NULL,
	account     TEXT    NOT NULL,
	id          TEXT    NOT NULL, -- the key of the action, and when it left
	peer        INTEGER NOT NULL,
	verb        TEXT    NOT NULL,
	text        TEXT    NOT NULL, -- what it said when it left
	post        INTEGER NOT NULL,
	settle_from INTEGER NOT NULL,
	left_at     INTEGER NOT NULL,
	decided_at  INTEGER NOT NULL, -- when the person did
	PRIMARY KEY (shard, account, id)
) WITHOUT ROWID;
CREATE INDEX stray_left ON stray (shard, account, left_at);
CREATE TABLE timer (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	peer       INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	occurrence INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	data       TEXT    NOT NULL, first_due_at INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'waiting', tries INTEGER NOT NULL DEFAULT 0, late INTEGER NOT NULL DEFAULT 0, tried_at INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT '', why TEXT NOT NULL DEFAULT '', set_at INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (shard, account, peer, name)
) WITHOUT ROWID;
CREATE INDEX timer_aside ON timer (shard, account, state, due_at) WHERE state <> 'waiting';
CREATE INDEX timer_due ON timer (due_at) WHERE state = 'waiting';
CREATE TABLE turn (
	shard      INTEGER NOT NULL,
	account    TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	peer       INTEGER NOT NULL,
	handled_at INTEGER NOT NULL,
	route      TEXT    NOT NULL,
	outcome    TEXT    NOT NULL,
	note       TEXT    NOT NULL, rule TEXT NOT NULL DEFAULT '', rules_version TEXT NOT NULL DEFAULT '', before TEXT NOT NULL DEFAULT '', decided_by TEXT NOT NULL DEFAULT '', why TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (shard, account, id)
) WITHOUT ROWID;
CREATE TABLE waiting (
	shard   INTEGER NOT NULL,
	account TEXT    NOT NULL,
	peer    INTEGER NOT NULL,
	since   INTEGER NOT NULL, -- when the first of the words was said
	source  INTEGER NOT NULL, -- the event of the last ones
	number  INTEGER NOT NULL,
	said_at INTEGER NOT NULL, -- when these were said
	why     TEXT    NOT NULL,
	lasts   INTEGER NOT NULL, -- 1: a person of ours is needed, whatever the bot says later
	later   INTEGER NOT NULL, -- put off until then; 0: not
	PRIMARY KEY (shard, account, peer)
) WITHOUT ROWID;
CREATE INDEX waiting_since ON waiting (shard, account, since);
CREATE TABLE writer (
	writer INTEGER PRIMARY KEY, -- 1: a file has one
	number INTEGER NOT NULL
);
INSERT INTO action VALUES (645, 'ana', 'message:501/order/1', 7, 'follow', '', 9, 8, 1, 2, 'sending', 1903867200123456, 12, 34, 0, 0, 'because', 1903867200123456, 1903867201123456, 0, 0, '{"has":[{"limit":"rules/prices/per_person","scope":"peer:7"}]}', '', 0, 0, 0, '', 2, 0);
INSERT INTO action VALUES (645, 'ana', 'message:501/test/0', 7, 'message', 'hello', 0, 0, 0, 0, 'due', 1903867260123456, 1, 1, 0, 0, '', 1903867200123456, 0, 0, 0, '', '', 0, 0, 0, '', 0, 0);
INSERT INTO action VALUES (645, 'ana', 'message:504/test/0', 8, 'message', 'dropped', 0, 0, 0, 0, 'withdrawn', 1903867200123456, 99, 0, 0, 0, 'because', 1903867200123456, 1903867200123456, 0, 0, '', '', 0, 0, 0, '', 0, 0);
INSERT INTO claim VALUES (645, 'ana', 'once', 'peer:7', 'message:501/test/0', 1903867200123456, 9223372036854775807);
INSERT INTO claim VALUES (645, 'ana', 'rules/prices/per_person', 'peer:7', 'message:501/order/1', 1903867200123456, 9223372036854775807);
INSERT INTO conversation VALUES (645, 'ana', 7, 1, 'Ana''s "peer"', 'peer_7', 'support', 1903863600123456, 1903870800123456, 'order', 'ask-size', '["a,b","vip\nnot","ünï"]', '{"flow":{"flow":"order","state":"ask-size","version":3,"data":{"size":"L"},"since":"2030-05-01T12:00:00.123Z"},"values":{"plugin/a":{"n":1},"plugin/b":"x"}}', 1903867200123456);
INSERT INTO cursor VALUES (645, 'ana', 1, 0, 500, 1, 1903867200123456);
INSERT INTO doubt VALUES (645, 'ana', 'message:501/order/1', -15000000, 'boot', 3600000000, 0);
INSERT INTO entry VALUES (645, 'ana', 'leads', '7', 7, 'message:501', 'a lead', '{"x":1}', 1903867200123456);
INSERT INTO event VALUES (645, 'ana', 1, 501, 7, 'message', 'Peer', 'peer', 'message 501', 'https://example.org/a.png', 31, 'post_reply', 1903867200123456, 1903867140123456, 'handled', 0, 1903867200123456, 'order', 'handled', 'it''s fine', 0, 'prices', 'abc', '{"state":"x"}', '', 1903867199123456);
INSERT INTO event VALUES (645, 'ana', 1, 502, 7, 'message', 'Peer', 'peer', 'message 502', '', 0, '', 1903867200123456, 1903867140123456, 'handled', 0, 1903867200123456, 'test', 'handled', '', 0, '', '', '', '', 1903867199123456);
INSERT INTO event VALUES (645, 'ana', 1, 503, 9, 'message', 'Peer', 'peer', 'message 503', '', 0, '', 1903867200123456, 1903867140123456, 'pending', 0, 0, '', '', '', 0, '', '', '', '', 1903867199123456);
INSERT INTO event VALUES (645, 'ana', 1, 504, 8, 'message', 'Peer', 'peer', 'message 504', '', 0, '', 1903867200123456, 1903867140123456, 'handled', 0, 1903867200123456, 'test', 'handled', '', 0, '', '', '', '', 1903867199123456);
INSERT INTO fact VALUES (645, 'ana', 'message:501', 'profile:7', '{"age":30}', 1903867200123456);
INSERT INTO meta VALUES ('database', 'WRMYYN2YNH2QEIEHRH7UDEKQLT');
INSERT INTO meta VALUES ('start', '1');
INSERT INTO notice VALUES (645, 'ana', 'message:501/test/0', 'team', 'come', 7, 1903867200123456, 0, 0, '', '', '');
INSERT INTO request VALUES (645, 'ana', 1796127370313840, 7, 'retry', '', 0, 1796127370313840, '', '');
INSERT INTO rules_in_force VALUES ('', 'abc', '', 1796127370307136);
INSERT INTO rules_version VALUES ('abc', 'rules', 1796127370307136, 1903867200123456);
INSERT INTO schema_version VALUES (1, 0, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (2, 1, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (3, 2, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (4, 3, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (5, 4, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (6, 6, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (7, 7, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (8, 8, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (9, 9, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (10, 10, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (11, 11, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (12, 12, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (13, 13, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (14, 14, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (15, 15, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (16, 16, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (17, 17, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (18, 18, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (19, 19, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (20, 20, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (21, 21, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (22, 22, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (23, 23, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (24, 24, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (25, 25, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (26, 26, 1, '2026-12-01 12:16:10');
INSERT INTO schema_version VALUES (27, 27, 1, '2026-12-01 12:16:10');
INSERT INTO session VALUES (645, 'ana', X'007B2273657373696F6E5F6964223A2273657373696F6E222C22726566726573685F746F6B656E223A22616761696E222C22657870697279223A22323033302D30352D30315431333A30303A30302E3132333435365A222C2275736572223A34322C22757365726E616D65223A22616E61222C226F627461696E6564223A22323033302D30352D30315431323A30303A30302E3132333435365A222C226964656E74697479223A2277686F7365227D', 1796127370313489);
INSERT INTO stray VALUES (645, 'ana', 'message:504/test/0 1903867200123456', 8, 'message', 'dropped', 0, 1, 1903867200123456, 1903867200123456);
INSERT INTO timer VALUES (645, 'ana', 7, 'flow/order', 5, 1903870800123456, '{"a":1}', 0, 'waiting', 0, 0, 0, '', '', 0);
INSERT INTO turn VALUES (645, 'ana', 'decision:request/1796127370312070', 8, 1903867200123456, 'test', 'handled', '', '', '', '', '', '');
INSERT INTO turn VALUES (645, 'ana', 'timer:8/t/1', 8, 1903867200123456, 'test', 'handled', '', '', '', '', '', '');
INSERT INTO writer VALUES (1, 17);
