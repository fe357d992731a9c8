package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
)

// DataError says that the data of an instance cannot be used by the program that runs now.
type DataError struct {
	Flow    string
	State   string
	Version int // of the data
	Want    int // of the flow
	Err     error
}

// Error implements error.
func (e *DataError) Error() string {
	return fmt.Sprintf("flow %q: data of version %d in state %q cannot be read as version %d: %v", e.Flow, e.Version, e.State, e.Want, e.Err)
}

// Unwrap returns what the decoder or the migration said.
func (e *DataError) Unwrap() error { return e.Err }

// Data returns the data of an instance of f, migrated if need be. The error is a *[DataError].
func (f *Flow[T, D]) Data(in Instance) (d D, err error) {
	err = f.decode(in, &d)
	return d, err
}

func (f *Flow[T, D]) decode(in Instance, d *D) (err error) {
	switch {
	case in.Version != f.version && f.migrate != nil:
		*d, err = f.migrate(in.Version, in.Data)
	case in.Version != f.version:
		err = errors.New("this program does not know that version")
	case len(in.Data) > 0:
		err = json.Unmarshal(in.Data, d)
	}
	if err != nil {
		return &DataError{Flow: f.name, State: in.State, Version: in.Version, Want: f.version, Err: err}
	}
	return nil
}
