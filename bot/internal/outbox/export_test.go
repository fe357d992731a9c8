package outbox

// Reservations returns how many reservations have not ended.
func (b *Account) Reservations() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reservations
}

// Unpaid returns how many of a reservation's actions have no token.
func (r *Reservation) Unpaid() int { return len(r.unpaid) }
