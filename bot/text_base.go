package bot

import (
	"cmp"
	"slices"
)

// letters is a range of letters that are one letter without their case and accents.
type letters struct {
	from, to rune
	base     string
}

// baseLetter returns what a letter with an accent is without it.
func baseLetter(r rune) (string, bool) {
	i, found := slices.BinarySearchFunc(baseLetters, r, func(l letters, r rune) int {
		if l.from <= r && r <= l.to {
			return 0
		}
		return cmp.Compare(l.from, r)
	})
	if !found {
		return "", false
	}
	return baseLetters[i].base, true
}

// baseLetters are the small letters, sorted, of Latin-1, Latin Extended-A, Vietnamese, Romanian, Pinyin,
// Latin Extended Additional, Greek with tonos or dialytika, and ё. Where small and capital letters
// take turns, a range holds both. ι is here because it folds to a mark.
var baseLetters = []letters{
	{'ß', 'ß', "ss"},
	{'à', 'å', "a"},
	{'æ', 'æ', "ae"},
	{'ç', 'ç', "c"},
	{'è', 'ë', "e"},
	{'ì', 'ï', "i"},
	{'ð', 'ð', "d"},
	{'ñ', 'ñ', "n"},
	{'ò', 'ö', "o"},
	{'ø', 'ø', "o"},
	{'ù', 'ü', "u"},
	{'ý', 'ý', "y"},
	{'þ', 'þ', "th"},
	{'ÿ', 'ÿ', "y"},

	{'Ā', 'ą', "a"},
	{'Ć', 'č', "c"},
	{'Ď', 'đ', "d"},
	{'Ē', 'ě', "e"},
	{'Ĝ', 'ģ', "g"},
	{'Ĥ', 'ħ', "h"},
	{'Ĩ', 'ı', "i"},
	{'Ĳ', 'ĳ', "ij"},
	{'Ĵ', 'ĵ', "j"},
	{'Ķ', 'ĸ', "k"},
	{'Ĺ', 'ł', "l"},
	{'Ń', 'ŋ', "n"},
	{'Ō', 'ő', "o"},
	{'Œ', 'œ', "oe"},
	{'Ŕ', 'ř', "r"},
	{'Ś', 'š', "s"},
	{'Ţ', 'ŧ', "t"},
	{'Ũ', 'ų', "u"},
	{'Ŵ', 'ŵ', "w"},
	{'Ŷ', 'ŷ', "y"},
	{'Ź', 'ž', "z"},

	{'Ơ', 'ơ', "o"},
	{'Ư', 'ư', "u"},
	{'Ǎ', 'ǎ', "a"},
	{'Ǐ', 'ǐ', "i"},
	{'Ǒ', 'ǒ', "o"},
	{'Ǔ', 'ǜ', "u"},
	{'Ș', 'ș', "s"},
	{'Ț', 'ț', "t"},

	{'\u0345', '\u0345', "ι"},
	{'ΐ', 'ΐ', "ι"},
	{'ά', 'ά', "α"},
	{'έ', 'έ', "ε"},
	{'ή', 'ή', "η"},
	{'ί', 'ί', "ι"},
	{'ΰ', 'ΰ', "υ"},
	{'ϊ', 'ϊ', "ι"},
	{'ϋ', 'ϋ', "υ"},
	{'ό', 'ό', "ο"},
	{'ύ', 'ύ', "υ"},
	{'ώ', 'ώ', "ω"},

	{'ё', 'ё', "е"},

	{'Ḁ', 'ḁ', "a"},
	{'Ḃ', 'ḇ', "b"},
	{'Ḉ', 'ḉ', "c"},
	{'Ḋ', 'ḓ', "d"},
	{'Ḕ', 'ḝ', "e"},
	{'Ḟ', 'ḟ', "f"},
	{'Ḡ', 'ḡ', "g"},
	{'Ḣ', 'ḫ', "h"},
	{'Ḭ', 'ḯ', "i"},
	{'Ḱ', 'ḵ', "k"},
	{'Ḷ', 'ḽ', "l"},
	{'Ḿ', 'ṃ', "m"},
	{'Ṅ', 'ṋ', "n"},
	{'Ṍ', 'ṓ', "o"},
	{'Ṕ', 'ṗ', "p"},
	{'Ṙ', 'ṟ', "r"},
	{'Ṡ', 'ṩ', "s"},
	{'Ṫ', 'ṱ', "t"},
	{'Ṳ', 'ṻ', "u"},
	{'Ṽ', 'ṿ', "v"},
	{'Ẁ', 'ẉ', "w"},
	{'Ẋ', 'ẍ', "x"},
	{'Ẏ', 'ẏ', "y"},
	{'Ẑ', 'ẕ', "z"},
	{'ẖ', 'ẖ', "h"},
	{'ẗ', 'ẗ', "t"},
	{'ẘ', 'ẘ', "w"},
	{'ẙ', 'ẙ', "y"},
	{'Ạ', 'ặ', "a"},
	{'Ẹ', 'ệ', "e"},
	{'Ỉ', 'ị', "i"},
	{'Ọ', 'ợ', "o"},
	{'Ụ', 'ự', "u"},
	{'Ỳ', 'ỹ', "y"},
}
