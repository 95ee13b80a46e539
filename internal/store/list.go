package store

import (
	"context"
	"database/sql"
)

// scanner is a row of a database.
type scanner interface{ Scan(into ...any) error }

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list returns all rows of a query.
func list[T any](ctx context.Context, from querier, scan func(scanner) (T, error), query string, args ...any) (
	all []T, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
