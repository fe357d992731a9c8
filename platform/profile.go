package platform

import "time"

// Profile is a person or an account as the profile and sign-in calls show it. The e-mail and IP
// addresses that the platform sends along are dropped when the answer is decoded.
type Profile struct {
	ID         UserID
	Username   string // without "@"
	FirstName  string
	LastName   string
	Verified   bool
	About      string
	Language   string
	Posts      int
	Followers  int
	Following  int
	LastActive time.Time // zero when the platform does not tell

	// The relation to the asking account. Known only when asked with a session.
	IsFollowing     bool
	FollowRequested bool
	IsBlocked       bool // the account blocked this person
	BlockedByThem   bool // this person blocked the account
	CanView         bool
	Private         bool // "profile_privacy": "followers"
	IsOwner         bool // the account itself
}

// Name returns the first and last name, or the user name when both are empty.
func (p Profile) Name() string {
	switch {
	case p.FirstName != "" && p.LastName != "":
		return p.FirstName + " " + p.LastName
	case p.FirstName != "" || p.LastName != "":
		return p.FirstName + p.LastName
	default:
		return p.Username
	}
}

// Person is a row of a list of people: followers, likes, search results, follow requests.
type Person struct {
	Row         RowID // 0 in search results, which carry none
	ID          UserID
	Username    string // without "@"
	Name        string
	About       string
	Verified    bool
	Followers   int
	Posts       int
	IsFollowing bool
	IsMe        bool
	Pending     bool // a row of the follow requests
}
