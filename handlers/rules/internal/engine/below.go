package engine

// Below is what rules.Version embeds under a name that is not exported. VersionOf finds the engine there for the packages of this tree, and nobody else can
// ask for it.
type Below struct{ version *Version }

// PutBelow makes what stands below a version of rules.
func PutBelow(v *Version) Below { return Below{v} }

func (b *Below) below() *Version { return b.version }

// VersionOf returns the engine below a version of rules.
func VersionOf(v interface{ below() *Version }) *Version { return v.below() }
