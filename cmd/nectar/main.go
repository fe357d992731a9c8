// Command nectar runs bots on social networks that speak the mobile API. "nectar --help" says what
// it can do.
package main

import "github.com/nectar-bot/nectar/cmd"

func main() { cmd.Main() }
