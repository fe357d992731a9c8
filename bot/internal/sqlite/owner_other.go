//go:build !unix

package sqlite

import "os"

func giveToFolder(*os.File) {}

// GiveToFolder does nothing here.
func GiveToFolder(string) {}

func ownerText(string, string) string { return "" }
