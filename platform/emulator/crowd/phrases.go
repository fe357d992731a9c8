package crowd

// phrases is what somebody may say in one language. "%d" stands for a number.
type phrases struct {
	small   []string // of no consequence
	ask     []string // questions
	answer  []string // to a question
	puzzled []string // misunderstandings
	mention []string // about the account, in public
}

var phrasebook = [...]phrases{
	english: {
		small: []string{
			"hello there", "hi", "good morning!", "thanks a lot", "thank you so much for the help", "ok",
			"lovely weather today", "see you tomorrow then", "I was there last week, it was great",
			"never mind, found it", "my order number is %d", "there will be %d of us", "great", "lol",
		},
		ask: []string{
			"what are your opening hours?", "are you open on sunday?", "how much is the large one?",
			"what does delivery cost?", "price?", "do you have a table for %d?", "is there anything vegetarian",
			"can I pay by card?", "where are you exactly?", "is the offer of %d euros still on?", "anyone there?",
		},
		answer: []string{"yes", "no", "yes please", "%d", "tomorrow at %d", "the second one", "maybe later", "sure, why not"},
		puzzled: []string{
			"what do you mean?", "sorry, I don't get it", "huh?", "that is not what I asked", "which one?",
			"yes. I mean no", "are you a real person?", "%d what?",
		},
		mention: []string{"best place in town", "look what I found", "worth the %d minutes of walking", "is this you?"},
	},
	spanish: {
		small:   []string{"hola", "¡buenos días!", "muchas gracias", "vale", "somos %d", "qué bien", "hasta mañana", "jajaja"},
		ask:     []string{"¿qué precio tiene?", "¿a qué hora abren?", "¿abren los domingos?", "¿tienen mesa para %d?", "¿dónde están?", "¿hacen envíos?"},
		answer:  []string{"sí", "no", "sí, por favor", "%d", "mañana a las %d", "el segundo", "quizás"},
		puzzled: []string{"¿cómo?", "no entiendo", "eso no es lo que pregunté", "¿cuál?", "¿%d de qué?"},
		mention: []string{"mi sitio favorito", "miren esto", "vale la pena"},
	},
	german: {
		small:   []string{"hallo", "guten Morgen!", "vielen Dank", "ok", "wir sind zu %d", "schön", "bis morgen", "alles klar"},
		ask:     []string{"was kostet das?", "wann macht ihr auf?", "habt ihr sonntags geöffnet?", "ein Tisch für %d, geht das?", "wo finde ich euch?", "liefert ihr auch?"},
		answer:  []string{"ja", "nein", "ja bitte", "%d", "morgen um %d", "das zweite", "vielleicht"},
		puzzled: []string{"wie bitte?", "das verstehe ich nicht", "das war nicht die Frage", "welches?", "%d was?"},
		mention: []string{"mein Lieblingsladen", "schaut mal", "größer als gedacht, süß!"},
	},
	russian: {
		small:   []string{"привет", "доброе утро!", "большое спасибо", "ладно", "нас будет %d", "отлично", "до завтра"},
		ask:     []string{"сколько стоит?", "во сколько вы открываетесь?", "вы работаете в воскресенье?", "есть столик на %d?", "где вы находитесь?", "есть доставка?"},
		answer:  []string{"да", "нет", "да, пожалуйста", "%d", "завтра в %d", "второй", "может быть"},
		puzzled: []string{"что?", "не понимаю", "я спрашивал не об этом", "какой?", "%d чего?"},
		mention: []string{"лучшее место в городе", "смотрите, что я нашла", "рекомендую"},
	},
	arabic: {
		small:   []string{"مرحبا", "صباح الخير!", "شكرا جزيلا", "حسنا", "نحن %d أشخاص", "رائع", "إلى الغد"},
		ask:     []string{"كم السعر؟", "متى تفتحون؟", "هل تفتحون يوم الأحد؟", "هل لديكم طاولة لـ %d؟", "أين أنتم؟"},
		answer:  []string{"نعم", "لا", "نعم من فضلك", "%d", "غدا الساعة %d", "الثاني", "ربما"},
		puzzled: []string{"ماذا تقصد؟", "لا أفهم", "ليس هذا ما سألت عنه", "أي واحد؟"},
		mention: []string{"أفضل مكان في المدينة", "انظروا ماذا وجدت"},
	},
	hindi: {
		small:   []string{"नमस्ते", "सुप्रभात!", "बहुत धन्यवाद", "ठीक है", "हम %d लोग हैं", "बढ़िया", "कल मिलते हैं"},
		ask:     []string{"कीमत क्या है?", "आप कब खुलते हैं?", "क्या रविवार को खुला है?", "%d लोगों के लिए जगह है?", "आप कहाँ हैं?"},
		answer:  []string{"हाँ", "नहीं", "हाँ जी", "%d", "कल %d बजे", "दूसरा वाला", "शायद"},
		puzzled: []string{"क्या मतलब?", "समझ नहीं आया", "मैंने यह नहीं पूछा", "कौन सा?"},
		mention: []string{"शहर की सबसे अच्छी जगह", "देखो मुझे क्या मिला"},
	},
	chinese: {
		small:   []string{"你好", "早上好！", "非常感谢", "好的", "我们有%d个人", "太好了", "明天见"},
		ask:     []string{"多少钱？", "几点开门？", "星期天营业吗？", "有%d人的桌子吗？", "你们在哪里？", "可以送货吗？"},
		answer:  []string{"是的", "不", "好，谢谢", "%d", "明天%d点", "第二个", "也许吧"},
		puzzled: []string{"什么意思？", "我不明白", "我问的不是这个", "哪一个？"},
		mention: []string{"城里最好的地方", "看我找到了什么"},
	},
	japanese: {
		small:   []string{"こんにちは", "おはようございます！", "ありがとうございます", "了解です", "%d人です", "いいですね", "また明日"},
		ask:     []string{"いくらですか？", "何時に開きますか？", "日曜日はやっていますか？", "%d人ですが入れますか？", "場所はどこですか？"},
		answer:  []string{"はい", "いいえ", "お願いします", "%d", "明日の%d時", "二番目の", "たぶん"},
		puzzled: []string{"どういう意味ですか？", "わかりません", "そうではなくて", "どれですか？"},
		mention: []string{"街で一番の店", "見つけました"},
	},
}

// What is put around a phrase now and then. The angle brackets and ampersands are text, and must
// come through as they are.
var (
	emoji = [...]string{"😀", "🙏", "👍🏽", "❤️", "🎉", "😂😂", "👩‍👩‍👧", "🇵🇹", "🍕", "☕"}
	marks = [...]string{
		"<b>%s</b>", "%s &amp; more", "%s <3", "fish & chips: %s", `"%s", she said`, "it's: %s", "%s </div>", "5 < 6 > 4, %s",
		"%s\nand one more line", "100%% sure: %s",
	}
	gaps = [...]string{" %s", "%s ", "  %s  ", "\t%s\n"}
)

// wares is what the posts of the account are about.
var wares = [...]string{"spring menu", "new opening hours", "two for one on friday", "meet the team", "we are hiring"}
