// Package platform is the outside world: the nouns of the mobile API (ids, posts, messages,
// notifications, chats, profiles), its calls (Client) and its errors.
//
// It knows nothing of bots. It is the only package that speaks HTTP to the platform.
package platform
