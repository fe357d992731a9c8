package notify

// Title says what a digest is about.
func (d *Digest) Title() string { return d.titleText() }
