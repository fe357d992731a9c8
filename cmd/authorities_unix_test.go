//go:build unix

package cmd_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
)

// On a machine without certificates of authorities the doctor says that, and does not blame the host.
func TestDoctorOnAMachineWithoutAuthorities(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("macOS keeps them where no variable reaches")
	}
	host := httptest.NewTLSServer(http.NotFoundHandler())
	defer host.Close()
	for file, want := range map[string]string{"nowhere": "this machine trusts no authority", "authorities.pem": "the host has no valid certificate"} {
		dir := t.TempDir()
		env := "NECTAR_BASE_URL=" + host.URL + "/mobile_api\nNECTAR_EMAIL=bot@social.example\nNECTAR_PASSWORD=hunter2\n"
		for name, text := range map[string]string{".env": env, "authorities.pem": anAuthority(t)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		environ := []string{"SSL_CERT_FILE=" + filepath.Join(dir, file), "SSL_CERT_DIR=" + filepath.Join(dir, "nothing")}
		p := child.Start(t, child.Command{As: "nectar", Args: []string{"doctor"}, Dir: dir, Env: environ})
		if p.End(); !strings.Contains(p.String(), want) {
			t.Errorf("with %s it printed %s", file, p)
		}
	}
}

// anAuthority returns the certificate of an authority that has signed nothing.
func anAuthority(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(nil, form, form, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))
}
