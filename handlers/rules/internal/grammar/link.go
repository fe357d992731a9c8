package grammar

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// LinkedPost returns the post that an address shows: its path ends with the post's number. What is wrong says what to write
// instead; "" when it is the address of a post.
func LinkedPost(address string) (id platform.PostID, wrong string) {
	const cure = "open the post and copy its address"
	if wrong := UnseenIn(address); wrong != "" {
		return 0, wrong
	}
	u, err := url.Parse(address)
	if err != nil || !WebAddress(address) {
		return 0, fmt.Sprintf("%q is no address: it begins with https://", address)
	}
	number, err := strconv.ParseInt(path.Base(u.Path), 10, 64)
	post := err == nil && number > 0
	switch parts := strings.Split(strings.Trim(u.Path, "/"), "/"); {
	case post && isPerson(parts):
		return 0, "this is a person, not a post: " + cure
	case post && u.RawQuery != "":
		u.RawQuery, u.Fragment = "", ""
		return 0, "leave out what begins with ?: " + u.String()
	case post:
		return platform.PostID(number), ""
	case u.RawQuery != "":
		return 0, "this is a search or a page, not a post: " + cure
	case len(parts) == 1 && parts[0] != "" || isPerson(parts):
		return 0, "this is a person, not a post: " + cure
	}
	return 0, fmt.Sprintf("%s is not the address of a post: %s", address, cure)
}

// isPerson reports whether a path shows somebody's page.
func isPerson(parts []string) bool {
	if len(parts) < 2 {
		return strings.HasPrefix(parts[0], "@")
	}
	switch strings.ToLower(parts[len(parts)-2]) {
	case "profile", "profiles", "user", "users", "u", "people", "person":
		return true
	}
	return strings.HasPrefix(parts[len(parts)-1], "@")
}

// WebAddress reports whether a text is the address of something in the web.
func WebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && !strings.ContainsAny(address, " \t\n")
}
