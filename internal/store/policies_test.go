//go:build unix

package store_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
	"github.com/nodgate/nod/internal/team"
)

var (
	ada = store.Identity{Person: "ada", Name: "ada"}
	bob = store.Identity{Person: "bob", Name: "bob"}
)

func of(i store.Identity, org string) store.Identity {
	i.Org = org
	return i
}

func forOrg(name, text string) store.PolicyDocument {
	return store.PolicyDocument{Document: team.Document{Name: name, For: team.ForOrg, Text: text}}
}

// published drafts a document and publishes it.
func published(t *testing.T, s *store.Store, org string, d store.PolicyDocument, removes bool) (p store.Policy) {
	t.Helper()
	do(t, s, func(tx *store.Tx) error {
		draft, err := tx.MakeDraft(t.Context(), of(ada, org), d, removes)
		if err == nil {
			p, err = tx.Publish(t.Context(), of(ada, org), draft.ID)
		}
		return err
	})
	return p
}

// arrived is the policy that a team's machines get, verified.
func arrived(t *testing.T, s *store.Store, org, of string) (team.Policy, error) {
	t.Helper()
	var key ed25519.PrivateKey
	do(t, s, func(tx *store.Tx) (err error) {
		key, err = tx.SigningKey(t.Context(), org)
		return err
	})
	signed, err := s.Bundle(t.Context(), org, of)
	if err != nil {
		return team.Policy{}, err
	}
	public := base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	return team.Open(signed, team.Trust{Org: org, Team: of, Key: public})
}

func named(p team.Policy) (names string) {
	for _, d := range p.Documents {
		names += d.Name + " "
	}
	return fmt.Sprint(p.Version, ": ", names)
}

func TestAPolicysLife(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, shop := org(t, s, "acme")
		if _, err := arrived(t, s, acme.ID, shop.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		published(t, s, acme.ID, forOrg("z", "mode = \"enforce\""), false)
		published(t, s, acme.ID, forOrg("a", ""), false)
		web := store.PolicyDocument{Document: team.Document{Name: "w", For: team.ForTeam}, Team: shop.ID}
		published(t, s, acme.ID, web, false)
		published(t, s, acme.ID, store.PolicyDocument{Document: team.Document{Name: "b", For: team.ForRepository,
			Repository: "github.com/acme/*"}}, false)
		var late store.Team
		do(t, s, func(tx *store.Tx) (err error) {
			late, err = tx.MakeTeam(ctx, acme.ID, "late")
			return err
		})
		for id, want := range map[string]string{shop.ID: "4: a z w b ", late.ID: "4: a z b "} {
			if p, err := arrived(t, s, acme.ID, id); err != nil || named(p) != want || p.MaxAge != 7*24*3600 {
				t.Errorf("%s, want %s: %v", named(p), want, err)
			}
		}
		published(t, s, acme.ID, forOrg("a", ""), true)
		do(t, s, func(tx *store.Tx) error { _, err := tx.RollBack(ctx, of(bob, acme.ID), 2); return err })
		if p, err := arrived(t, s, acme.ID, shop.ID); err != nil || named(p) != "6: a z " {
			t.Error(named(p), err)
		}
		versions, err := s.Policies(ctx, acme.ID, 0, 2)
		if err != nil || len(versions) != 2 || versions[0].What != "back to version 2" || versions[0].Who != "bob" ||
			len(versions[1].Documents) != 3 {
			t.Errorf("%+v %v", versions, err)
		}
		if drafts, err := s.Drafts(ctx, acme.ID, "", 9); err != nil || len(drafts) != 5 || drafts[0].Version != 5 {
			t.Errorf("%+v %v", drafts, err)
		}
		if events, err := s.Events(ctx, acme.ID, "", 1); err != nil || events[0].What != "policy published" ||
			events[0].About != "version 6" {
			t.Errorf("%+v %v", events, err)
		}
	})
}

func TestWhatIsNotPublished(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, _ := org(t, s, "acme")
		other, _ := org(t, s, "other")
		var d store.Draft
		do(t, s, func(tx *store.Tx) (err error) {
			err = tx.SetOrg(ctx, acme.ID, store.OrgSettings{TwoPeople: true})
			if err == nil {
				d, err = tx.MakeDraft(ctx, of(ada, acme.ID), forOrg("a", ""), false)
			}
			return err
		})
		token := store.Identity{Org: acme.ID, Name: "token ci"}
		publish := func(by store.Identity) func(*store.Tx) error {
			return func(tx *store.Tx) error { _, err := tx.Publish(ctx, by, d.ID); return err }
		}
		review := func(by store.Identity) func(*store.Tx) error {
			return func(tx *store.Tx) error { return tx.Review(ctx, by, d.ID) }
		}
		for _, step := range []struct {
			name string
			do   func(*store.Tx) error
			want error
		}{
			{"a token drafts, and its holder reviews", func(tx *store.Tx) error {
				byToken, err := tx.MakeDraft(ctx, token, forOrg("b", ""), false)
				if err == nil {
					err = tx.Review(ctx, of(bob, acme.ID), byToken.ID)
				}
				if err == nil {
					_, err = tx.Publish(ctx, of(bob, acme.ID), byToken.ID)
				}
				return err
			}, store.ErrUnreviewed},
			{"nobody reviewed", publish(of(ada, acme.ID)), store.ErrUnreviewed},
			{"its author reviews", review(of(ada, acme.ID)), store.ErrUnreviewed},
			{"a token reviews", review(token), store.ErrUnreviewed},
			{"another organisation reviews", review(of(bob, other.ID)), store.ErrUnreviewed},
			{"another organisation publishes", publish(of(bob, other.ID)), store.ErrNotFound},
			{"back to what never was", func(tx *store.Tx) error {
				_, err := tx.RollBack(ctx, of(ada, acme.ID), 7)
				return err
			}, store.ErrNotFound},
			{"another person reviews", review(of(bob, acme.ID)), nil},
			{"reviewed", publish(of(ada, acme.ID)), nil},
			{"twice", publish(of(ada, acme.ID)), store.ErrPublished},
			{"back without a review", func(tx *store.Tx) error {
				_, err := tx.RollBack(ctx, of(ada, acme.ID), 1)
				return err
			}, store.ErrUnreviewed},
		} {
			if err := s.Tx(ctx, step.do); !errors.Is(err, step.want) {
				t.Errorf("%s: %v, want %v", step.name, err, step.want)
			}
		}
	})
}

// A name is one document's, and a draft changes only the document that its author saw.
func TestADraftOfAnotherDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, shop := org(t, s, "acme")
		web := store.PolicyDocument{Document: team.Document{Name: "w", For: team.ForTeam}, Team: shop.ID}
		var old []store.Draft
		for _, d := range []store.PolicyDocument{forOrg("a", "# 1"), web, forOrg("b", "")} {
			do(t, s, func(tx *store.Tx) error {
				made, err := tx.MakeDraft(ctx, of(ada, acme.ID), d, false)
				old = append(old, made)
				return err
			})
		}
		published(t, s, acme.ID, forOrg("a", "# 2"), false)
		published(t, s, acme.ID, web, false)
		for i, want := range []error{store.ErrChanged, store.ErrChanged, nil} {
			if err := s.Tx(ctx, func(tx *store.Tx) error {
				_, err := tx.Publish(ctx, of(bob, acme.ID), old[i].ID)
				return err
			}); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		for want, d := range map[string]store.PolicyDocument{
			"a document for the organisation": {Document: team.Document{Name: "a", For: team.ForTeam}, Team: shop.ID},
			"a document for a team":           forOrg("w", ""),
		} {
			for _, removes := range []bool{false, true} {
				if err := s.Tx(ctx, func(tx *store.Tx) error {
					_, err := tx.MakeDraft(ctx, of(bob, acme.ID), d, removes)
					return err
				}); !errors.Is(err, store.ErrUnfit) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
			}
		}
		published(t, s, acme.ID, web, true)
		published(t, s, acme.ID, forOrg("w", ""), false)
	})
}

// Two servers share a database and publish at once, and one breaks off transactions half-way. No team ever gets what is
// no version, and no version goes back.
func TestNoVersionThatNeverWas(t *testing.T) {
	two := func(t *testing.T, one, other *store.Store) {
		acme, shop := org(t, one, "acme")
		stop, broken := make(chan struct{}), errors.New("broken off")
		var readers, writers sync.WaitGroup
		for _, s := range []*store.Store{one, other} {
			readers.Go(func() {
				last := int64(0)
				for reading := true; reading; {
					select {
					case <-stop:
						reading = false
					default:
					}
					p, err := arrived(t, s, acme.ID, shop.ID)
					if errors.Is(err, store.ErrNotFound) {
						continue
					}
					if err != nil || p.Version < last || len(p.Documents) != 1 ||
						strings.Contains(p.Documents[0].Text, "never") {
						t.Errorf("%+v after %d: %v", p, last, err)
						return
					}
					last = p.Version
				}
			})
			writers.Go(func() {
				for i := range 10 {
					published(t, s, acme.ID, forOrg("a", fmt.Sprint("# ", i)), false)
					err := s.Tx(t.Context(), func(tx *store.Tx) error {
						d, err := tx.MakeDraft(t.Context(), of(ada, acme.ID), forOrg("a", "# never"), false)
						if err == nil {
							_, err = tx.Publish(t.Context(), of(ada, acme.ID), d.ID)
						}
						return errors.Join(err, broken)
					})
					if !errors.Is(err, broken) {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		close(stop)
		readers.Wait()
		all, err := one.Policies(context.Background(), acme.ID, 0, 100)
		if err != nil || len(all) != 20 || all[0].Version != 20 {
			t.Errorf("%d versions: %v", len(all), err)
		}
		if !slices.IsSortedFunc(all, func(a, b store.Policy) int { return int(b.Version - a.Version) }) {
			t.Error("out of order")
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		at := storetest.SQLite(t)
		two(t, storetest.Open(t, at), storetest.Open(t, at))
	})
	t.Run("postgres", func(t *testing.T) {
		at := storetest.Postgres(t).Address()
		two(t, storetest.Open(t, at), storetest.Open(t, at))
	})
}
