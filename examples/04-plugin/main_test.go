package main

import (
	"testing"
	"testing/synctest"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/examples/stage"
	"go.uber.org/fx"
)

func TestTheTranscriptAtTheTop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := stage.Rehearse(t.Context(), show(), "main.go"); err != nil {
			t.Error(err)
		}
	})
}

func TestItIsWired(t *testing.T) {
	if err := fx.ValidateApp(config.Module, bot.Module, show().Bot); err != nil {
		t.Error(err)
	}
}
