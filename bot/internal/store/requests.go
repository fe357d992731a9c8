package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

// Requests is that of Reader.
func (s *Database) Requests(ctx context.Context, after event.Request, limit int) ([]event.Request, error) {
	if s.requestProbe == nil {
		return s.Reader.Requests(ctx, after, limit)
	}
	if s.writes.place.IsLeft() && s.Err() == nil { // the writer finds out, and says so, before there is anything to store
		s.Commit(Write{looks: true})
	}
	asked, err := s.requestProbe.HasRequest()
	switch {
	case err != nil:
		return nil, fmt.Errorf("look whether people ask for something: %w", err)
	case !asked:
		return nil, context.Cause(ctx)
	}
	return s.Reader.Requests(ctx, after, limit)
}
