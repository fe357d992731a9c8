package emulator

// answerArranged answers with n rows, which row writes, as list does; where the dialect has no order, it is shuffled
// with some of them twice.
func (c *call) answerArranged(text string, n int, row func(i int)) {
	if !c.dialect.Disorder || n == 0 {
		c.answerList(text, n, row)
		return
	}
	var order []int
	for start := range min(n, 3) {
		for i := start; i < n; i += 3 {
			order = append(order, i)
		}
	}
	order = append(order, order[:(n+1)/2]...)
	c.answerList(text, len(order), func(i int) { row(order[i]) })
}
