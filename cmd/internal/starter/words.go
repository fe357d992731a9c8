package starter

import (
	"strings"
)

// hoursSaid says opening hours in a sentence of a language: "Mon-Fri 09:00-18:00 and Sat 10:00-14:00".
func hoursSaid(l string, hours []string) string {
	and, days := " and ", []string(nil)
	switch l {
	case "es":
		and, days = " y ", []string{"lun", "mar", "mié", "jue", "vie", "sáb", "dom", "todos los días"}
	case "pt":
		and, days = " e ", []string{"seg", "ter", "qua", "qui", "sex", "sáb", "dom", "todos os dias"}
	case "fr":
		and, days = " et ", []string{"lun", "mar", "mer", "jeu", "ven", "sam", "dim", "tous les jours"}
	case "de":
		and, days = " und ", []string{"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So", "täglich"}
	}
	said := hours[0]
	if last := len(hours) - 1; last > 0 {
		said = strings.Join(hours[:last], ", ") + and + hours[last]
	}
	for i, day := range days { // as rule files write them
		said = strings.ReplaceAll(said, []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "every day"}[i], day)
	}
	return said
}
