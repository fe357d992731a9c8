package postgres

// The server's clock, in microseconds.
const (
	Now   = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
	Began = `(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`
)
