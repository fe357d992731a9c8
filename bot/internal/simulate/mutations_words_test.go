package simulate_test

// wordParts are mutations of how people's words are read, and of who asked for silence.
func wordParts() []mutation {
	return []mutation{
		{
			name: "words: a part of a date is a phone number", what: "what is no phone number is none",
			at: "phone-part", do: never, by: in("internal/language", "^TestNoPhone$"),
		},
		{
			name: "words: a choice is what was said", what: "a list of leads has the choices",
			at: "choice-kept", do: returns("a.Text"), by: in("handlers/rules", "^TestAnswersOfEarlierVersions$"),
		},
		{
			name: "words: what was said is forgotten", what: "the words of an answer are kept beside what they mean",
			at: "answer-said", do: never, by: in("handlers/rules", "^TestAnswersAndWhatWasSaid$"),
		},
		{
			name: "words: what was said is not private", what: "the words of a private answer are as private",
			at: "said-private", do: returns("decision.Answer{}, saidBy(&a)"), by: in("handlers/rules", "^TestAnswersAndWhatWasSaid$"),
		},
		{
			name: "words: a question asks for silence", what: "the bus stop is no stop word",
			at: "stop-question", do: without(3, 3), by: in("internal/language/match", "^TestAsked$"),
		},
		{
			name: "words: any message ends the silence", what: "whoever asked for silence is not answered",
			at: "stop-lasts", do: always, by: in("plugins/autoresponder", "^TestStopAndStart$"),
		},
		{
			name: "words: the start word is a question", what: "the word that ends a silence rings nobody",
			at: "start-word-asks", do: drop, by: in("handlers/rules", "^TestStartWordIsNoQuestion$"),
		},
		{
			name: "waits: our words deal with no draft", what: "who asks for silence does not wait for what was held, when one of us has written since",
			at: "ended-known", do: always, by: in("plugins/autoresponder", "^TestWhoWaitsWhenTheyStopWhatWaits$"),
		},
		{
			name: "words: thanks behind a stop rings", what: "what a rule ignores asks for nothing, also of those who asked for silence",
			at: "stopped-ignored", do: never, by: in("plugins/autoresponder", "^TestWhoWaitsAfter$"),
		},
		{
			name: "words: the start word waits for us", what: "the word that ends a silence asks for nothing, whoever has the conversation",
			at: "start-word-owned", do: swap("d.isIgnored() || d.begins", "d.isIgnored()"), by: in("plugins/autoresponder", "^TestWhoWaitsAfterSilence$"),
		},
		{
			name: "waits: our words deal with none", what: "who wrote before our words does not wait",
			at: "wait-known", do: never, by: in("plugins/autoresponder", "^TestWhoWaitsAfter$"),
		},
		{
			name: "waits: a failed answer is one", what: "whose answer was refused waits",
			at: "wait-failed", do: never, by: in("plugins/autoresponder", "^TestWhoWaitsAfter$"),
		},
		{
			name: "waits: told alone", what: "where one address was called nobody else is told who has it",
			at: "ack-alone", do: never, by: in("plugins/autoresponder", "^TestAckAlone$"),
		},
		{
			name: "waits: a return is not told", what: "a team is told that the bot speaks again where nobody has written",
			at: "return-told", do: never, by: in("plugins/autoresponder", "^TestReturnIsTold$"),
		},
		{
			name: "waits: reminded of what somebody sees to", what: "whoever sees to it ends the calls",
			at: "acked-nobody", do: never, by: in("plugins/autoresponder", "^TestAck$"),
		},
		{
			name: "forget: who waits stays", what: "a person who is forgotten waits for nobody",
			at: "forget-wait", do: drop, by: in("plugins/autoresponder", "^TestWhoWaitsAfter$"),
		},
		{
			name: "say: over a silence", what: "who has asked for silence hears of one of us only what is meant",
			at: "say-silent", do: never, by: in("bot", "^TestSayOverASilence$"),
		},
		{
			name: "say: goes on though it is refused", what: "what many refuse is said to nobody any more",
			at: "say-refused", do: never, by: in("cmd", "^TestSayStopsWhereItIsRefused$"),
		},
		{
			name: "say: as many as there are", what: "twenty are told the first day",
			at: "say-day", do: swap("most", "math.MaxInt32"), by: in("bot", "^TestSayByDays$"),
		},
		{
			name: "say: no end is named", what: "the first one names how it ends",
			at: "say-ends", do: never, by: in("cmd", "^TestSayToMany$"),
		},
		{
			name: "words: a stop word is an answer", what: "who asks for silence is heard before flows and routes",
			at: "silence-first", do: drop, by: in("plugins/autoresponder", "^TestStopIsHeardBesideOtherPlugins$"),
		},
		{
			name: "words: a flow outlasts a stop word", what: "who asks for silence stands in no flow",
			at: "stop-ends-flow", do: drop, by: in("plugins/autoresponder", "^TestStopIsHeardBesideOtherPlugins$"),
		},
		{
			name: "words: timers speak in a silence", what: "nothing automatic is said to who asked for silence",
			at: "silent-withheld", do: never, by: in("plugins/autoresponder", "^TestStopIsHeardBesideOtherPlugins$"),
		},
		{
			name: "words: a silence of an earlier version is over", what: "who asked for silence need not ask again",
			at: "silence-carried", do: always, by: in("plugins/autoresponder", "^TestSilenceOfAnEarlierVersion$"),
		},
		{
			name: "words: what was decided before a stop word leaves", what: "a program without rules is silent from the stop word on",
			at: "stop-withdraws", do: drop, by: in("bot", "^TestStopWordsOfAProgram$"),
		},
		{
			name: "words: an approval is stronger than a silence", what: "an answer to who asked for silence is insisted on",
			at: "silent-approved", do: never, by: in("bot", "^TestApprovedForWhoAskedForSilence$"),
		},
		{
			name: "always: who asked for silence is not heard", what: "a team is called for who must be heard at any time",
			at: "always-stopped", do: never, by: in("handlers/rules", "^TestAlwaysToWhoIsLeftAlone$"),
		},
		{
			name: "words: nobody hears who asked for silence", what: "what is not answered is on a list",
			at: "stopped-unanswered", do: drop, by: in("plugins/autoresponder", "^TestStopAndStart$"),
		},
		{
			name: "words: a folder without rules has nothing in force", what: "the right bot speaks when the rule files are gone",
			at: "rules-resumed", do: always, by: in("plugins/autoresponder", "^TestRulesThatVanish$"),
		},
		{
			name: "words: the starter bot speaks beside rules", what: "the starter bot runs only without rules",
			at: "starter-beside", do: never, by: in("cmd", "^TestStarterBesideRules$"),
		},
		{
			name: "words: a program without answers runs", what: "a bot that has nothing to answer by does not begin",
			at: "answers-by-nothing", do: never, by: in("examples/05-nectar", "^TestItSaysWhatIsWrong$"),
		},
		{
			name: "words: each start is the first one", what: "once rules were in force a file that does not work stays out alone",
			at: "rules-known", do: swap("len(known) > 0", "len(known) > 99"), by: in("cmd", "^TestFirstStartWithABrokenFile$"),
		},
		{
			name: "words: what does not fit is found out late", what: "what cannot be wired is refused before anything is opened",
			at: "fits", do: never, by: in("examples/05-nectar", "^TestItSaysWhatIsWrong$"),
		},
		{
			name: "words: an earlier try tells why", what: "what a decision depended on is what its last try did",
			at: "last-try", do: swap("last", "1"), by: in("cmd", "^TestWhyTooMany$"),
		},
		{
			name: "words: days are booked when nobody works", what: "a day on which we are closed is refused",
			at: "open-days", do: returns("true"), by: in("handlers/rules", "^TestOpenDays$"),
		},
	}
}
