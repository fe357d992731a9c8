package platform

// OnFailure returns a client that calls f with the error of each call that failed, before the call returns. It shares
// everything else with c.
func (c *Client) OnFailure(f func(err error)) *Client {
	d := *c
	d.failed = f
	return &d
}
