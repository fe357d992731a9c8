package decision

import "github.com/nectar-bot/nectar/handlers/text"

// Answer is what was answered to a question.
type Answer struct {
	Text string `json:"text"` // what it means, as later texts say it: a choice, a number, a day
	// Said is what the person wrote, where that differs from the value. Earlier versions kept it as the Text of a choice.
	Said    string  `json:"said,omitempty"`
	Number  float64 `json:"number,omitempty"`
	Choice  string  `json:"choice,omitempty"`
	Private bool    `json:"private,omitempty"`
	// Day is the answer to a question about a day; zero for other answers.
	Day text.Day `json:"day,omitzero"`
}
