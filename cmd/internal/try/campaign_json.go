package try

import (
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/rehearsal"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// CampaignScene is what happens to a slot, for machines.
type CampaignScene struct {
	At       time.Time         `json:"at"`
	Slot     campaigns.SlotID  `json:"slot"`
	Verdict  campaigns.Kind    `json:"verdict"`
	Minute   time.Time         `json:"minute"` // that the plan shows
	Item     string            `json:"item,omitempty"`
	Post     platform.PostID   `json:"post,omitempty"`
	Text     string            `json:"text,omitempty"` // of an own post
	Renew    bool              `json:"renew,omitempty"`
	Nth      int               `json:"nth,omitempty"`
	Prepared bool              `json:"prepared,omitempty"` // it waits for a person
	Deadline time.Time         `json:"deadline,omitzero"`
	Approved bool              `json:"approved,omitempty"`
	Void     string            `json:"void,omitempty"`
	Why      string            `json:"why,omitempty"`
	Others   map[string]string `json:"others,omitempty"` // which posts were passed over, with why
	MadeUp   bool              `json:"made_up,omitempty"`
}

func newCampaignScene(sc *rehearsal.Scene) CampaignScene {
	v := &sc.Verdict
	s := CampaignScene{
		At: sc.At, Slot: v.Slot.ID, Verdict: v.Kind, Minute: v.Slot.Minute, Post: v.Post, Renew: v.Renew, Nth: v.Nth,
		Prepared: sc.Prepared, Deadline: v.Deadline, Approved: v.Approved, Void: v.Void.String(), Why: v.Why.String(),
		MadeUp: sc.Found != nil && sc.Found.MadeUp && sc.Found.ID == v.Post,
	}
	if v.Item != nil {
		s.Item, s.Text = v.Item.Key, v.Item.Text
	}
	for _, o := range v.Others {
		if s.Others == nil {
			s.Others = map[string]string{}
		}
		s.Others[o.Item.Name()] = o.Why.String()
	}
	return s
}
