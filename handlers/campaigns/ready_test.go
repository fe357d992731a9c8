package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// A text that no post can have is refused before anything is planned with it.
func TestTextsThatNobodyTakes(t *testing.T) {
	t.Parallel()
	for said, fine := range map[string]bool{strings.Repeat("é", 600): true, strings.Repeat("é", 601): false, " \n": false, "": false} {
		_, err := campaigns.New(campaigns.Campaign{
			ID: "news", Do: campaigns.Publish, Zone: time.UTC, Items: []campaigns.Item{{Key: campaigns.TextKey(said), Text: said}},
		})
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "a post has a text of 1 to 600 characters") {
			t.Errorf("%d bytes: %v", len(said), err)
		}
	}
}
