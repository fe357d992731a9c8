package engine

// Below is what rules.Version embeds under a name that is not exported. Of finds the engine there for the packages of this tree, and nobody else can
// ask for it.
type Below struct{ version *Version }

// Under makes what stands below a version of rules.
func Under(v *Version) Below { return Below{v} }

func (b *Below) below() *Version { return b.version }

// Of returns the engine below a version of rules.
func Of(v interface{ below() *Version }) *Version { return v.below() }
