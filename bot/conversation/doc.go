// Package conversation holds what runs between one account and one peer.
//
// # Flows
//
// A [Flow] is a finite state machine that leads a person through a conversation: states that ask, signals that move on,
// timeouts that move on when the person does not. It is a value, written once and shared by all conversations; where
// one conversation stands is an [Instance], a small serialisable struct. A flow reads nothing and keeps nothing: each of
// its steps is a function of the instance, the turn and the time, and returns the next instance and its [Effects].
//
// A flow is generic over the turn its functions get (T) and over its data (D), a plain struct that is kept as JSON:
//
//	a question    FlowState.Enter      says something when the state is entered
//	an answer     FlowState.Handle     reads what the person said, returns a Signal
//	a move        Transition           from a state, on a signal, to a state; perhaps guarded
//	silence       FlowState.Timeout    gives a signal by itself, also after a restart
//
// A question and its answer, and what becomes of somebody who does not answer:
//
//	var order = conversation.MustFlow("order", conversation.Definition[*bot.Turn, Order]{
//		States: []conversation.FlowState[*bot.Turn, Order]{
//			{Name: "size", Enter: ask("S, M or L?"), Handle: readSize, Timeout: 3 * time.Hour},
//			{Name: "placed", Enter: ask("It is on its way."), Final: true},
//			{Name: "gave-up", Final: true},
//		},
//		Transitions: []conversation.Transition[*bot.Turn, Order]{
//			{From: "size", On: "sized", To: "placed"},
//			{From: "size", On: conversation.TimedOut, To: "gave-up"},
//		},
//	})
//
// readSize returns the signal "sized" when it has understood, [Pass] when the message is for other handlers, and [Stay] when it has asked
// again. What it says and sets is part of the turn, and stored with the instance in one commit or not at all: a crash between a question
// and its answer loses neither.
//
// Definitions are checked when the flow is made: misspelt, missing, unreachable and endless states are errors, each
// with a line of its own.
package conversation
