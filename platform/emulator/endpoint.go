package emulator

import "sync/atomic"

// access says what a call must bring along.
type access uint8

const (
	public    access = iota // a session is optional
	protected               // a session is required
	entrance                // a session is not looked at
)

// verbs says how a call may be sent.
type verbs uint8

const (
	read  verbs = iota // GET, and POST too, as clients do it
	write              // POST only
)

// endpoint is one call of the API.
type endpoint struct {
	name   string
	verbs  verbs
	access access
	serve  func(*Platform, *call) // called with the lock held
	count  atomic.Int64           // calls that came in
}

func allEndpoints() map[string]*endpoint {
	list := []*endpoint{
		{name: "login", verbs: write, access: entrance, serve: (*Platform).serveLogin},
		{name: "oauth", verbs: write, access: entrance, serve: (*Platform).loginOAuth},
		{name: "refresh_access_token", verbs: write, access: entrance, serve: (*Platform).serveRefresh},
		{name: "logout", verbs: write, access: protected, serve: (*Platform).serveLogout},

		{name: "get_notifications", access: protected, serve: (*Platform).getNotifications},
		{name: "delete_notifs", verbs: write, access: protected, serve: (*Platform).deleteNotifications},

		{name: "get_chats", access: protected, serve: (*Platform).getChats},
		{name: "get_messages", access: protected, serve: (*Platform).getMessages},
		{name: "search_messages", access: protected, serve: (*Platform).searchMessages},
		{name: "send_message", verbs: write, access: protected, serve: (*Platform).sendMessage},
		{name: "delete_message", verbs: write, access: protected, serve: (*Platform).deleteMessage},
		{name: "clear_chat", verbs: write, access: protected, serve: (*Platform).clearChat},

		{name: "feeds", access: protected, serve: (*Platform).getFeed},
		{name: "get_bookmarks", access: protected, serve: (*Platform).getBookmarks},
		{name: "thread_data", serve: (*Platform).getThread},
		{name: "thread_replys", serve: (*Platform).getReplies},
		{name: "publish_post", verbs: write, access: protected, serve: (*Platform).publishPost},
		{name: "delete_post", verbs: write, access: protected, serve: (*Platform).deletePost},
		{name: "upload_post_media", verbs: write, access: protected, serve: (*Platform).uploadMedia},
		{name: "delete_post_media", verbs: write, access: protected, serve: (*Platform).deleteMedia},
		{name: "like_post", verbs: write, access: protected, serve: (*Platform).likePost},
		{name: "publication_repost", verbs: write, access: protected, serve: (*Platform).repostPost},
		{name: "add_bookmark", verbs: write, access: protected, serve: (*Platform).addBookmark},
		{name: "fetch_likes", serve: (*Platform).fetchLikes},

		{name: "profile", serve: (*Platform).getProfile},
		{name: "profile_posts", serve: (*Platform).getProfilePosts},
		{name: "follow", verbs: write, access: protected, serve: (*Platform).toggleFollow},
		{name: "block_user", verbs: write, access: protected, serve: (*Platform).toggleBlock},
		{name: "fetch_followers", serve: (*Platform).fetchFollowers},
		{name: "fetch_following", serve: (*Platform).fetchFollowing},
		{name: "follow_requests", access: protected, serve: (*Platform).followRequests},
		{name: "accept_follow", verbs: write, access: protected, serve: (*Platform).acceptFollow},
		{name: "ignore_follow", verbs: write, access: protected, serve: (*Platform).ignoreFollow},

		{name: "search_posts", serve: (*Platform).searchPosts},
		{name: "search_people", serve: (*Platform).searchPeople},
		{name: "search_hashtags", serve: (*Platform).searchHashtags},
	}
	table := make(map[string]*endpoint, len(list))
	for _, e := range list {
		table[e.name] = e
	}
	return table
}
