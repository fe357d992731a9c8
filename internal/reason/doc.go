// Package reason has the codes for why an action came to what it is, and the one sentence that people read of each. What somebody decides by is the
// code; the sentence may be worded anew at any time. Actions that were stored before there were codes have a sentence alone: Of knows those.
package reason
