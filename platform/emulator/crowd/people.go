package crowd

import (
	"fmt"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// tongue is the language that somebody writes in.
type tongue uint8

const (
	english tongue = iota
	spanish
	german
	russian
	arabic
	hindi
	chinese
	japanese
)

// mood is how somebody writes.
type mood uint8

const (
	calm       mood = iota
	chatty          // several messages in a row
	hasty           // short pauses
	clumsy          // says things twice, leaves spaces, misunderstands
	longwinded      // long pauses, long texts
)

var moods = [...]mood{calm, chatty, hasty, clumsy, longwinded}

// namesake is a name that people of a crowd bear.
type namesake struct {
	username, first string
	tongue          tongue
}

var namesakes = [...]namesake{
	{"ana", "Ana", spanish},
	{"leo", "Leo", english},
	{"mia", "Mia", english},
	{"olga", "Ольга", russian},
	{"yuki", "ゆき", japanese},
	{"sam", "Sam", english},
	{"layla", "ليلى", arabic},
	{"jonas", "Jonas", german},
	{"priya", "प्रिया", hindi},
	{"mei", "小美", chinese},
	{"grace", "Grace", english},
	{"diego", "Diego", spanish},
	{"tom", "Tom", english},
	{"ivan", "Иван", russian},
	{"lena", "Lena", german},
	{"noah", "Noah", english},
	{"omar", "عمر", arabic},
	{"ruby", "Ruby", english},
	{"carmen", "Carmen", spanish},
	{"arjun", "अर्जुन", hindi},
	{"haruto", "陽翔", japanese},
	{"ella", "Ella", english},
	{"wei", "王伟", chinese},
	{"max", "Max", german},
	{"zoe", "Zoe", english},
	{"dasha", "Даша", russian},
	{"pablo", "Pablo", spanish},
	{"ben", "Ben", english},
	{"salma", "سلمى", arabic},
	{"kiran", "किरण", hindi},
	{"ida", "Ida", german},
	{"jack", "Jack", english},
	{"sakura", "さくら", japanese},
	{"lucia", "Lucía", spanish},
	{"nina", "Nina", english},
	{"misha", "Миша", russian},
	{"fang", "李芳", chinese},
	{"oscar", "Oscar", english},
	{"greta", "Greta", german},
	{"will", "Will", english},
}

// newPerson returns the person with number i of a crowd: a name of the list, numbered from the
// second time on.
func newPerson(i int, private bool) (emulator.Person, tongue) {
	n := namesakes[i%len(namesakes)]
	who := emulator.Person{Username: n.username, FirstName: n.first, Private: private}
	if round := i / len(namesakes); round > 0 {
		who.Username = fmt.Sprintf("%s%d", n.username, round+1)
	}
	return who, n.tongue
}
