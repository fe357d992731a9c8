package event

// HostUse is how a host's budget is used.
type HostUse struct {
	Host    string
	Rate    float64 // requests a second that it may get from all; 0 for any number, and then nothing is counted
	Share   float64 // of these this process's
	Acts    int64   // requests that have left, and act
	Polls   int64   // and those that poll
	Delayed int64   // polls that had to wait for the budget before they began
	Waiting int     // requests that wait at the moment
}
