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
// Definitions are checked when the flow is made: misspelt, missing, unreachable and endless states are errors, each
// with a line of its own.
package conversation
