package platform

import (
	"net/http"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// readToggled reads the state after a switch: a truth value, or an object that holds one under key,
// at any depth.
func readToggled(v wire.Value, key string) Toggled {
	if len(v) > 0 && v[0] == '{' {
		return readToggled(v.Member(key), key)
	}
	if len(v) == 0 || string(v) == `""` {
		return Toggled{}
	}
	on, known := v.Boolean()
	return Toggled{On: on, Known: known}
}

func readFollowed(e envelope) Followed {
	if e.code == http.StatusCreated {
		return FollowRequested
	}
	switch state := readToggled(e.data, "follow"); {
	case !state.Known:
		return FollowUnknown
	case state.On:
		return FollowActive
	// So an answer says, too, that the person must accept first; a second call would take the request back.
	case !e.coded && e.status == 0: //mutate:codeless-follow
		return FollowUnknown
	default:
		return FollowNone
	}
}
