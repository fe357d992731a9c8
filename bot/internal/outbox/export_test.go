package outbox

// Reservations returns how many reservations have not ended.
func (a *Account) Reservations() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reservations
}

// Unpaid returns how many of a reservation's actions have no token.
func (r *Reservation) Unpaid() int { return len(r.unpaid) }
