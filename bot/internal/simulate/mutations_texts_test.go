package simulate_test

// textParts are mutations of how texts of campaigns stay the same in other words.
func textParts() []mutation {
	return []mutation{
		{
			name: "texts: a price is a typo", what: "a text with another number is another text",
			at: "text-numbers", do: never, by: decided("TestRewords"),
		},
		{
			name: "texts: what people say is not heard", what: "a corrected text is a new one where people say so",
			at: "text-as-new", do: always, by: decided("TestCorrectedTextComesWhenItWasToCome"),
		},
		{
			name: "texts: a typo begins anew", what: "a corrected text keeps its turns",
			at: "text-turns", do: drop, by: decided("TestCorrectedTextComesWhenItWasToCome"),
		},
		{
			name: "texts: another campaign forgets", what: "a corrected text keeps its gap over all campaigns",
			at: "text-gap", do: drop, by: decided("TestGapOfTextsOverCampaigns"),
		},
		{
			name: "texts: an id forgets other campaigns", what: "the same words keep their gap over all campaigns",
			at: "text-words", do: drop, by: decided("TestGapOfTextsOverCampaigns"),
		},
		{
			name: "texts: approved in other words", what: "what was approved leaves in the words that people saw",
			at: "text-void", do: never, by: decided("TestApprovalOfOtherWordsIsVoid"),
		},
		{
			name: "texts: other words do not wait", what: "an edit of words waits until people have seen it",
			at: "text-waits", do: never, by: decided("TestRewords"),
		},
		{
			name: "texts: an id shuffles", what: "a text that gets an id keeps its place in each round",
			at: "text-drawn", do: never, by: decided("TestTextIDsChangeNothing"),
		},
	}
}
