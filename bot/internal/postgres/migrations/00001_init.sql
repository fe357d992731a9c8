-- The tables of SQLite after its own migrations, with the same columns in the same order. Times are microseconds since
-- 1970, 0 for none. Every key begins with (shard, account). What may be sealed is bytea: it begins with 'T' when it is a
-- text, and is empty when that is. Texts are ordered by their bytes, whatever the database does elsewhere.

-- +goose Up
CREATE TABLE meta (
	key   text COLLATE "C" PRIMARY KEY,
	value text NOT NULL
);
INSERT INTO meta VALUES ('program', 'nectar');

-- Who writes. Each commit changes its row first: the number tells afterwards whether it was made.
CREATE TABLE fence (
	worker        bigint  NOT NULL,
	lane          integer NOT NULL,
	epoch         bigint  NOT NULL, -- grows when another process takes over
	commits       bigint  NOT NULL, -- the number of the last one
	backend_pid   integer NOT NULL, -- the server's process for it
	backend_start bigint  NOT NULL,
	PRIMARY KEY (worker, lane)
) WITH (fillfactor = 20);

CREATE TABLE event (
	shard         integer NOT NULL,
	account       text COLLATE "C" NOT NULL,
	source        integer NOT NULL, -- 1 message, 2 notif, 3 mention, 4 chat
	number        bigint  NOT NULL,
	peer          bigint  NOT NULL,
	kind          text COLLATE "C" NOT NULL,
	name          text COLLATE "C" NOT NULL,
	username      text COLLATE "C" NOT NULL,
	text          bytea   NOT NULL,
	image         bytea   NOT NULL,
	post          bigint  NOT NULL,
	subject       text COLLATE "C" NOT NULL,
	seen_at       bigint  NOT NULL,
	not_before    bigint  NOT NULL,
	state         text COLLATE "C" NOT NULL, -- pending, handled, quarantined
	tries         integer NOT NULL,
	handled_at    bigint  NOT NULL,
	route         text COLLATE "C" NOT NULL,
	outcome       text COLLATE "C" NOT NULL,
	note          bytea   NOT NULL,
	late          integer NOT NULL, -- 1: it was quarantined, and somebody let it have its turn again
	rule          text COLLATE "C" NOT NULL,
	rules_version text COLLATE "C" NOT NULL,
	before        bytea   NOT NULL,
	PRIMARY KEY (shard, account, source, number)
) WITH (fillfactor = 90);
CREATE INDEX event_open ON event (shard, account, peer, source, number) WHERE state <> 'handled';
CREATE INDEX event_peer ON event (shard, account, peer, seen_at);
CREATE INDEX event_waiting ON event (shard, account, state, seen_at) WHERE state <> 'handled';
CREATE INDEX event_snapshot ON event (shard, account, seen_at) WHERE source = 4;

CREATE TABLE turn (
	shard         integer NOT NULL,
	account       text COLLATE "C" NOT NULL,
	id            text COLLATE "C" NOT NULL,
	peer          bigint  NOT NULL,
	handled_at    bigint  NOT NULL,
	route         text COLLATE "C" NOT NULL,
	outcome       text COLLATE "C" NOT NULL,
	note          bytea   NOT NULL,
	rule          text COLLATE "C" NOT NULL,
	rules_version text COLLATE "C" NOT NULL,
	before        bytea   NOT NULL,
	decided_by    text COLLATE "C" NOT NULL,
	PRIMARY KEY (shard, account, id)
);

CREATE TABLE conversation (
	shard       integer NOT NULL,
	account     text COLLATE "C" NOT NULL,
	peer        bigint  NOT NULL,
	version     bigint  NOT NULL,
	name        text COLLATE "C" NOT NULL,
	username    text COLLATE "C" NOT NULL,
	owner       text COLLATE "C" NOT NULL, -- '' is the bot
	owner_since bigint  NOT NULL,
	unreachable bigint  NOT NULL,
	flow        text COLLATE "C" NOT NULL,
	flow_state  text COLLATE "C" NOT NULL,
	labels      text COLLATE "C" NOT NULL, -- a JSON list
	body        bytea   NOT NULL, -- JSON: the flow's data, and what plugins keep
	changed_at  bigint  NOT NULL,
	PRIMARY KEY (shard, account, peer)
) WITH (fillfactor = 75);
CREATE INDEX conversation_flow ON conversation (flow, flow_state) WHERE flow <> '';
CREATE INDEX conversation_user ON conversation (shard, account, lower(username)) WHERE username <> '';
CREATE INDEX conversation_owned ON conversation (shard, account, owner_since, peer) WHERE owner <> '';

CREATE TABLE action (
	shard       integer NOT NULL,
	account     text COLLATE "C" NOT NULL,
	key         text COLLATE "C" NOT NULL, -- trigger/route/n, or a name
	peer        bigint  NOT NULL,
	verb        text COLLATE "C" NOT NULL,
	text        bytea   NOT NULL,
	post        bigint  NOT NULL,
	target      bigint  NOT NULL,
	want        integer NOT NULL,
	priority    integer NOT NULL, -- 0 answer, 1 scheduled, 2 broadcast
	state       text COLLATE "C" NOT NULL,
	due_at      bigint  NOT NULL,
	position    bigint  NOT NULL,
	settle_from bigint  NOT NULL,
	result      bigint  NOT NULL,
	tries       integer NOT NULL,
	reason      text COLLATE "C" NOT NULL,
	decided_at  bigint  NOT NULL,
	left_at     bigint  NOT NULL,
	ended_at    bigint  NOT NULL,
	private     integer NOT NULL, -- 1: its text is not shown
	claims      text COLLATE "C" NOT NULL, -- JSON: to be taken at release, or given back at the end
	rule        text COLLATE "C" NOT NULL,
	stale_at    bigint  NOT NULL,
	until_at    bigint  NOT NULL, -- its latest departure
	apart       bigint  NOT NULL,
	PRIMARY KEY (shard, account, key)
) WITH (fillfactor = 75);
CREATE INDEX action_due ON action (shard, account, priority, due_at, position, peer) WHERE state = 'due';
CREATE INDEX action_open ON action (shard, account, position) WHERE state = 'sending' OR state = 'unsure' OR state = 'held';
CREATE INDEX action_waiting ON action (shard, account, peer, key) WHERE state = 'due';
CREATE INDEX action_result ON action (result) WHERE result > 0;
CREATE INDEX action_until ON action (shard, account, until_at) WHERE until_at > 0 AND (state = 'due' OR state = 'held');
CREATE INDEX action_published ON action (shard, account, greatest(due_at, left_at))
	WHERE verb = 'renew' OR verb = 'repost' AND want = 1 OR verb = 'post' AND post = 0;
CREATE INDEX action_taken_back ON action (shard, account, post, left_at) WHERE verb = 'repost' AND want = 0;

CREATE TABLE timer (
	shard        integer NOT NULL,
	account      text COLLATE "C" NOT NULL,
	peer         bigint  NOT NULL,
	name         text COLLATE "C" NOT NULL,
	occurrence   bigint  NOT NULL,
	due_at       bigint  NOT NULL,
	data         bytea   NOT NULL,
	first_due_at bigint  NOT NULL, -- before it was put off; 0: it was not
	state        text COLLATE "C" NOT NULL, -- waiting, quarantined, orphaned
	tries        integer NOT NULL,
	late         integer NOT NULL, -- as in event
	tried_at     bigint  NOT NULL,
	note         bytea   NOT NULL, -- of the last try
	PRIMARY KEY (shard, account, peer, name)
);
CREATE INDEX timer_due ON timer (due_at, shard, account, peer, name) WHERE state = 'waiting';
CREATE INDEX timer_aside ON timer (shard, account, state, due_at) WHERE state <> 'waiting';

CREATE TABLE claim (
	shard      integer NOT NULL,
	account    text COLLATE "C" NOT NULL,
	name       text COLLATE "C" NOT NULL,
	scope      text COLLATE "C" NOT NULL,
	action     text COLLATE "C" NOT NULL, -- the key of the action that has it
	claimed_at bigint  NOT NULL,
	ends_at    bigint  NOT NULL, -- when it stops to count; the highest number for never
	PRIMARY KEY (shard, account, name, scope, action)
);
CREATE INDEX claim_ends ON claim (ends_at) WHERE ends_at < 9223372036854775807;

CREATE TABLE fact (
	shard      integer NOT NULL,
	account    text COLLATE "C" NOT NULL,
	trigger_id text COLLATE "C" NOT NULL,
	name       text COLLATE "C" NOT NULL,
	value      bytea   NOT NULL, -- JSON
	read_at    bigint  NOT NULL,
	PRIMARY KEY (shard, account, trigger_id, name)
);

CREATE TABLE cursor (
	shard     integer NOT NULL,
	account   text COLLATE "C" NOT NULL,
	source    integer NOT NULL,
	peer      bigint  NOT NULL,
	number    bigint  NOT NULL,
	mark      bigint  NOT NULL,
	polled_at bigint  NOT NULL,
	PRIMARY KEY (shard, account, source, peer)
) WITH (fillfactor = 70);

CREATE TABLE session (
	shard    integer NOT NULL,
	account  text COLLATE "C" NOT NULL,
	sealed   bytea   NOT NULL,
	saved_at bigint  NOT NULL,
	PRIMARY KEY (shard, account)
) WITH (fillfactor = 70);

CREATE TABLE rules_version (
	hash      text COLLATE "C" PRIMARY KEY,
	content   text COLLATE "C" NOT NULL,
	loaded_at bigint NOT NULL,
	used_at   bigint NOT NULL -- the latest turn that names it, within the hour
);

CREATE TABLE rules_in_force (
	account text COLLATE "C" PRIMARY KEY, -- '' for all of a bot that names none
	hash    text COLLATE "C" NOT NULL,
	folder  text COLLATE "C" NOT NULL,
	since   bigint NOT NULL
);

CREATE TABLE request (
	shard    integer NOT NULL,
	account  text COLLATE "C" NOT NULL,
	number   bigint  NOT NULL, -- higher than that of every request before it
	peer     bigint  NOT NULL,
	wish     text COLLATE "C" NOT NULL,
	subject  text COLLATE "C" NOT NULL,
	until    bigint  NOT NULL,
	asked_at bigint  NOT NULL,
	text     bytea   NOT NULL,
	asked_by text COLLATE "C" NOT NULL,
	PRIMARY KEY (shard, account, number)
);

CREATE TABLE entry (
	shard      integer NOT NULL,
	account    text COLLATE "C" NOT NULL,
	list       text COLLATE "C" NOT NULL,
	key        text COLLATE "C" NOT NULL,
	peer       bigint  NOT NULL,
	trigger_id text COLLATE "C" NOT NULL,
	text       bytea   NOT NULL,
	data       bytea   NOT NULL,
	at         bigint  NOT NULL,
	PRIMARY KEY (shard, account, list, key)
);
CREATE INDEX entry_peer ON entry (shard, account, list, peer);

CREATE TABLE notice (
	shard   integer NOT NULL,
	account text COLLATE "C" NOT NULL,
	id      text COLLATE "C" NOT NULL,
	who     text COLLATE "C" NOT NULL,
	text    bytea   NOT NULL,
	peer    bigint  NOT NULL,
	at      bigint  NOT NULL,
	sent_at bigint  NOT NULL,
	private integer NOT NULL, -- 1: its text is for them alone
	kind    text COLLATE "C" NOT NULL,
	details bytea   NOT NULL,
	reached text COLLATE "C" NOT NULL,
	PRIMARY KEY (shard, account, id)
);
CREATE INDEX notice_unsent ON notice (at) WHERE sent_at = 0;
CREATE INDEX notice_at ON notice (at);

CREATE TABLE address (
	id   text COLLATE "C" PRIMARY KEY,
	pace text COLLATE "C" NOT NULL
);

CREATE TABLE alarm (
	shard   integer NOT NULL,
	account text COLLATE "C" NOT NULL, -- '' for the whole bot
	kind    text COLLATE "C" NOT NULL,
	subject text COLLATE "C" NOT NULL,
	since   bigint  NOT NULL,
	PRIMARY KEY (shard, account, kind, subject)
);

CREATE TABLE floor (
	shard   integer NOT NULL,
	account text COLLATE "C" NOT NULL,
	source  integer NOT NULL, -- as in event; 0 for the account's own messages
	number  bigint  NOT NULL,
	PRIMARY KEY (shard, account, source)
);

CREATE TABLE stray (
	shard       integer NOT NULL,
	account     text COLLATE "C" NOT NULL,
	id          text COLLATE "C" NOT NULL, -- the key of the action, and when it left
	peer        bigint  NOT NULL,
	verb        text COLLATE "C" NOT NULL,
	text        bytea   NOT NULL,
	post        bigint  NOT NULL,
	settle_from bigint  NOT NULL,
	left_at     bigint  NOT NULL,
	decided_at  bigint  NOT NULL,
	PRIMARY KEY (shard, account, id)
);
CREATE INDEX stray_left ON stray (shard, account, left_at);

CREATE TABLE seal_key (
	number  integer NOT NULL,
	secret  bytea   NOT NULL, -- the fingerprint of the NECTAR_SECRET_KEY that opens the box
	box     bytea   NOT NULL,
	leaves  integer NOT NULL,
	made_at bigint  NOT NULL,
	PRIMARY KEY (number, secret)
);

CREATE TABLE sealing (
	number  integer PRIMARY KEY, -- of the key
	looked  bigint NOT NULL,     -- rows
	done_at bigint NOT NULL
);

CREATE TABLE seal_user (
	one    integer PRIMARY KEY, -- 1
	secret bytea NOT NULL
);

CREATE TABLE ignored (
	shard   integer NOT NULL,
	account text COLLATE "C" NOT NULL,
	peer    bigint  NOT NULL,
	since   bigint  NOT NULL,
	PRIMARY KEY (shard, account, peer)
);

CREATE TABLE approval (
	shard      integer NOT NULL,
	account    text COLLATE "C" NOT NULL,
	key        text COLLATE "C" NOT NULL, -- of the action
	leader     text COLLATE "C" NOT NULL,
	within     bigint  NOT NULL,
	expires_at bigint  NOT NULL,
	effects    bytea   NOT NULL,
	ruling     text COLLATE "C" NOT NULL,
	ruled_by   text COLLATE "C" NOT NULL,
	ruled_at   bigint  NOT NULL,
	PRIMARY KEY (shard, account, key)
);

CREATE TABLE account_value (
	shard   integer NOT NULL,
	account text COLLATE "C" NOT NULL,
	plugin  text COLLATE "C" NOT NULL,
	name    text COLLATE "C" NOT NULL,
	version bigint  NOT NULL,
	value   bytea   NOT NULL,
	PRIMARY KEY (shard, account, plugin, name)
);
CREATE INDEX account_value_version ON account_value (version);

CREATE TABLE named (
	shard      integer NOT NULL,
	account    text COLLATE "C" NOT NULL,
	key        text COLLATE "C" NOT NULL, -- of the action
	trigger_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (shard, account, key)
);
CREATE INDEX named_trigger ON named (shard, account, trigger_id);
