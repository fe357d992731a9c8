package language_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/language"
	"pgregory.net/rapid"
)

// phoneForms are ways in which people write phone numbers, of nothing else beside them.
var phoneForms = []string{
	"600123456", "600 123 456", "600 12 34 56", "60 012 34 56", "600-123-456", "600.123.456", "+34 600 123 456", "+34600123456",
	"0034 600 123 456", "(+34) 600 123 456", "+ 34 600-123-456", "912 345 678", "+351 912 345 678", "91 234 56 78",
	"+55 (11) 98765-4321", "(11) 98765-4321", "11 98765 4321", "+55 11 98765-4321", "06 12 34 56 78", "06.12.34.56.78",
	"06-12-34-56-78", "06 - 12 - 34 - 56 - 78", "+33 6 12 34 56 78", "+33 (0)6 12 34 56 78", "0151 23456789", "0151/23456789", "030 1234567", "030/123 45 67",
	"030 - 1234567", "(030) 1234567", "+49 (0)30 1234567", "+49 151 23456789", "555-0199", "(212) 555-0199", "212-555-0199",
	"212.555.0199", "1 212 555 0199", "+1 (212) 555-0199", "020 7946 0958", "07700 900123", "+44 20 7946 0958", "8 (999) 123-45-67",
	"22 12 34 56", "5511987654321", "tel:+34600123456", "600\u00a0123\u00a0456", "\u202a+34 600 123 456\u202c", "600‑123‑456",
}

// phoneBefore and phoneAfter stand around a number, by the language. Those before end so that a number may follow.
var phoneBefore = map[language.Language][]string{
	language.English: {
		"my number is ", "call me on ", "call me at ", "Tel. ", "phone:", "WhatsApp ", "sure! ", "Hi, I'm Ana (", "after 5pm: ", "after 5 pm on ",
		"on 14 June, ", "14/06/2027: ", "about 80 people, ", "80 people. ", "it's ", "No. ", "number ", "between 9 and 5, ", "from 9:00-17:30 ", "about my order, call ",
		"for 2 of us; ", "budget 2000 €, ", "ana@example.org, ", "ana@example.org ", "June 14 ", "14 June 2027 ", "#lunch ", "📞", "tel", "2027-06-14\n",
	},
	language.Spanish: {
		"mi teléfono es el ", "mi número es ", "llámame al ", "tlf. ", "Tel:", "móvil: ", "claro, ", "soy Ana (", "a partir de las 17h: ", "a las 17:30, ",
		"el 14 de junio, ", "14/06: ", "unas 80 personas, ", "80 personas\n", "es el ", "nº ", "por la tarde ", "sobre mi pedido, llame al ", "somos 12. ",
	},
	language.Portuguese: {
		"o meu número é ", "ligue para o ", "telemóvel ", "Tel.: ", "claro! ", "sou a Ana (", "a partir das 17h ", "às 17h30, ", "depois das 17:00 no ",
		"14 de junho, ", "cerca de 80 pessoas, ", "80 pessoas – ", "é o ", "n.º ", "de manhã ", "sobre a encomenda, ligue ", "zap ",
	},
	language.French: {
		"mon numéro est le ", "appelez-moi au ", "tél. ", "portable : ", "oui, ", "je suis Ana (", "après 17h au ", "à 17h30 : ", "le 14 juin, ",
		"environ 80 personnes, ", "80 personnes ; ", "c'est le ", "n° ", "le matin au ", "pour ma commande, appelez le ",
	},
	language.German: {
		"meine Nummer ist ", "ruft mich an: ", "Tel.: ", "Handy ", "klar, ", "Ana (", "ab 17 Uhr: ", "ab 17 Uhr unter ", "um 17:30 unter ",
		"am 14. Juni, ", "14.06.2027, ", "etwa 80 Personen, ", "80 Personen. ", "es ist die ", "Nr. ", "vormittags ", "wegen der Bestellung bitte ",
	},
}

var phoneAfter = map[language.Language][]string{
	language.English: {
		" please", ". Thanks", ", thanks!", " after 5pm", " (mornings)", "(mornings)", " 5pm", " at 17:00", " 9-17h", " or by mail", "!", " :)", ")", ".", "\n80 people",
		" – Ana", " - mornings only", " for 80 people", " 80 people", ", 80 people", " on 14/06", " 14/06/2027", " 2027-06-14", " 👍", " / ana@example.org", "\nana@example.org",
		" (after 17:00)", " ext. 12", ", budget 2000€", "; 2 of us", " (WhatsApp)", " any time. 2 of us", " from 9:00-17:30", " 24/7", " 9 - 14", " 9 to 14", " (9 - 14)", " between 9 and 14", " or 600654321", "/600654321", " thanks 600654321",
	},
	language.Spanish: {
		" por favor", ". Gracias", ", gracias", " a partir de las 17h", " después de las 5", " (por las mañanas)", " de 9 a 17", " 17h", " o por correo", " para 80 personas",
		" 80 personas", " el 14 de junio", " 14/06", "!", " 😊", " - Ana", " (tardes)", " 9 a 14", " de 9 a 14 h", " por la mañana", " a las 17:30",
	},
	language.Portuguese: {
		" por favor", ". Obrigada", ", obrigado", " a partir das 17h", " depois das 17", " (de manhã)", " das 9 às 17", " 9 às 17 h", " 17h30", " ou por email", " para 80 pessoas",
		" 80 pessoas", " em 14 de junho", " 14/06", "!", " - Ana", " (tardes)", " às 17:30",
	},
	language.French: {
		" s'il vous plaît", " svp", ". Merci", ", merci", " après 17h", " après 17 heures", " (le matin)", " de 9h à 17h", " 17h30", " ou par mail",
		" pour 80 personnes", " 80 personnes", " le 14 juin", " 14/06", " !", " – Ana", " (matins)", " à 17:30",
	},
	language.German: {
		" bitte", ". Danke", ", danke", " ab 17 Uhr", " 17 Uhr", " nach 17:00", " (vormittags)", " von 9-17 Uhr", " 9 bis 17 Uhr", " 9 - 17 Uhr", " oder per Mail", " für 80 Personen",
		" 80 Personen", " am 14. Juni", " 14.06.2027", " am Montag", "!", " – Ana", " (morgens)", " um 17:30 Uhr",
	},
}

// noPhones are numbers that are none of a phone, and say so by themselves or by what stands beside them.
var noPhones = []string{
	"order 12345678", "order no. 12345678", "order number: 12345678", "my order is 600123456", "#12345678", "order #600123456", "AB-1234567", "INV-2027-0001234",
	"abc1234567", "1234567X", "12345678-Z", "invoice 2027/0001234", "booking no. 60012345", "tracking number 600123456789", "ref. 600123456", "customer no 1234567",
	"pedido 12345678", "pedido nº 600123456", "mi número de pedido es 600123456", "factura 12345678", "referencia: 600123456", "DNI 12345678Z", "DNI 12345678",
	"encomenda 12345678", "número da encomenda: 600123456", "NIF 123456789", "fatura n.º 12345678", "o pedido 600123456",
	"commande 12345678", "commande n° 600123456", "numéro de commande 600123456", "facture 12345678",
	"Bestellung 12345678", "Bestellnummer 600123456", "Bestellnr. 600123456", "Rechnung Nr. 12345678", "Kundennummer: 1234567",
	"14.06.2027", "14/06/2027", "14-06-2027", "2027-06-14", "14 06 2027", "20270614", "on 14.06.2027 at 17:30", "14/06/27 17:30-19:30",
	"2027-06-14 17:30", "from 14/06/2027 to 16/06/2027", "€1200000", "1200000 euros", "1234567,50", "1.234.567,50", "1.200.000", "12.000.000 €", "$ 1200000", "1200000€",
	"EUR 1200000", "1 200 000", "1200000 people", "1.200.000 seguidores", "600 123 456 €", "R$ 1200000", "1200000 reais", "1 200 000 Euro",
	"ES91 2100 0418 4502 0005 1332", "ES9121000418450200051332", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19",
	"FR14 2004 1010 0505 0001 3M02 606", "PT50 0002 0123 1234 5678 9015 4", "IBAN: es91 2100 0418 4502 0005 1332", "NL91ABNA0417164300", "NL91 ABNA 0417 1643 00",
	"4111 1111 1111 1111", "4111111111111111", "4111-1111-1111-1111", "3782 822463 10005", "378282246310005", "5500 0000 0000 0004", "123.456.789-09", "12.345.678/0001-90",
	"17:30", "9-17", "17h30 20h30", "2027", "1999 2027", "80", "12345", "about 80 people", "10 12 14 16 18 20 22 24 26", "600123456@example.org",
	"ana.600123456@example.org", "https://shop.example/p/600123456", "www.example.org/600123456", "1234567890123456",
}

func TestNoPhone(t *testing.T) {
	for _, number := range noPhones {
		for _, before := range []string{"", "hello, ", "(", "about that: ", "hola. ", "ja, ", "oui : "} {
			for _, after := range []string{"", "!", ". Thanks", " please", ", gracias", " (merci)", " – Ana", "\nbitte"} {
				if got, ok := language.FindPhone(before+number+after, ""); ok {
					t.Errorf("%q has the number %q", before+number+after, got)
				}
			}
		}
	}
}

// Of two numbers the first one is kept; a text that is not a number beside one does not hide it.
func TestPhoneOfSeveral(t *testing.T) {
	for text, want := range map[string]string{
		"600123456 or 600654321":                        "600123456",
		"600123456 600654321":                           "600123456",
		"600 123 456 / 600 654 321":                     "600123456",
		"600123456,600654321":                           "600123456",
		"+34 600 123 456 +34 600 654 321":               "+34600123456",
		"order 12345678, phone 600123456":               "600123456",
		"my order 12345678. Call 600 123 456":           "600123456",
		"1200000 euros; 600123456":                      "600123456",
		"ES91 2100 0418 4502 0005 1332, tel. 600123456": "600123456",
		"https://wa.me/34600123456":                     "34600123456",
		"https://shop.example/p/700123456 600123456":    "600123456",
		"Ana 600123456\n80":                             "600123456",
		"80\n600123456":                                 "600123456",
		"+34 600 123 456 17":                            "+34600123456",
		"我的号码600123456谢谢":                               "600123456",
		"６００１２３４５６":                                     "600123456",
	} {
		if got, _ := language.FindPhone(text, ""); got != want {
			t.Errorf("%q has the number %q, want %q", text, got, want)
		}
	}
}

// Nothing that anybody writes takes long or panics, and what is kept is digits.
func TestPhoneOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789+-./()#@: ,\nabEShpm€日٣\u202a")), 0, 60, -1).Draw(t, "text")
		number, ok := language.FindPhone(text, rapid.SampledFrom([]string{"", "PT", "DE"}).Draw(t, "region"))
		if digits := strings.TrimPrefix(number, "+"); ok != (number != "") || ok && (len(digits) < 7 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "") {
			t.Fatalf("%q has the number %q, %t", text, number, ok)
		}
	})
}
