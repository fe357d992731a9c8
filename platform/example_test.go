package platform_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]string{
			"login":             `{"code":200,"data":{"id":12,"user_name":"hive_bot"},"auth":{"auth_token":"tok-3f9a"}}`,
			"get_notifications": `{"code":200,"data":[{"id":77,"subject":"like","post_id":410,"name":"Ana K"}]}`,
			"send_message":      `{"code":400,"message":"You can not message this chat","data":[]}`,
		}
		_, _ = fmt.Fprint(w, answers[strings.TrimPrefix(r.URL.Path, "/mobile_api/")])
	}))
	defer server.Close()

	client, err := platform.New(platform.Config{BaseURL: server.URL + "/mobile_api"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	in, err := client.Login(ctx, platform.LoginParams{Email: "hive@mail.example", Password: "secret"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.User.Name(), "has session", in.SessionID)

	client = client.WithSession(fixedSession(in.SessionID))
	for n, err := range platform.All(ctx, client.Notifications, platform.NotificationsParams{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(n.Name, "sent a", n.Subject, "for post", n.Post)
	}
	_, err = client.SendMessage(ctx, platform.SendMessageParams{To: 31, Text: "Thank you!"})
	fmt.Println(errors.Is(err, platform.ErrInvalid), platform.InDoubt(err))
	// Output:
	// hive_bot has session [redacted]
	// Ana K sent a like for post 410
	// true false
}
