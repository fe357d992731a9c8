package cmd

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A rate that does not suffice for looks at all accounts is told, with how often they are read; one that does is not.
func TestDoctorSaysWhatARateMeans(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	got, found := examined(t, append(environ, "NECTAR_HOST_RATE=6/m")) // an idle account takes three requests each 20 s
	if f := found["host rate"]; got.status != 0 || f.Status != doctor.Odd || !strings.Contains(f.Said, "0.1 requests a second") || !strings.Contains(f.Said, "about every 30s") {
		t.Errorf("status %d, %+v", got.status, f)
	}
	if _, found = examined(t, append(environ, "NECTAR_HOST_RATE=10/m")); found["host rate"].Said != "" {
		t.Errorf("%+v", found["host rate"])
	}
}
