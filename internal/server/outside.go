package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/store"
)

// Outside lays signed heads, a line each, where the server cannot change them. nil says that the place has them all;
// after an error it may have some.
type Outside func(ctx context.Context, web *http.Client, heads [][]byte) error

// OutsideOf returns the place that a text names. It speaks to none yet.
func OutsideOf(text string, environ []string) (Outside, error) {
	u, err := url.Parse(text)
	switch {
	case text != "" && !strings.Contains(text, "://"):
		return func(_ context.Context, _ *http.Client, heads [][]byte) error {
			file, err := lines.Open(text)
			if err != nil {
				return err
			}
			defer file.Close()
			for _, line := range heads {
				err = errors.Join(err, file.Append(line))
			}
			return err
		}, nil
	case err == nil && u.Scheme == "s3":
		return bucketOf(u, environ)
	case err == nil && (u.Scheme == "syslog" || u.Scheme == "syslog+tls") && text == u.Scheme+"://"+u.Host &&
		u.Hostname() != "" && u.Port() != "":
		return func(ctx context.Context, _ *http.Client, heads [][]byte) error { return tellSyslog(ctx, u, heads) }, nil
	}
	return nil, errors.New("it is FILE, s3://BUCKET/PREFIX?region=R, syslog://HOST:PORT or syslog+tls://HOST:PORT")
}

// bucketOf makes an object each time. Names are plain, so that they are signed as they are sent.
func bucketOf(u *url.URL, environ []string) (Outside, error) {
	get := func(name string) string { text, _ := place.Lookup(environ, "AWS_"+name); return text }
	who := aws.Credentials{AccessKeyID: get("ACCESS_KEY_ID"), SecretAccessKey: get("SECRET_ACCESS_KEY"),
		SessionToken: get("SESSION_TOKEN")}
	q, path := u.Query(), u.Host+strings.TrimSuffix(u.Path, "/")
	region := q.Get("region")
	at := cmp.Or(q.Get("endpoint"), "https://s3."+region+".amazonaws.com")
	if plain := regexp.MustCompile(`^[\w.-]+/[\w./-]+ [\w-]+$`); !plain.MatchString(path+" "+region) || u.User != nil ||
		len(q) != 1+len(q["endpoint"]) || !isOrigin(at) || who.AccessKeyID == "" || who.SecretAccessKey == "" {
		return nil, errors.New("it is s3://BUCKET/PREFIX?region=R&endpoint=https://HOST, with AWS_ACCESS_KEY_ID and " +
			"AWS_SECRET_ACCESS_KEY set; names are of letters, digits, '.', '_' and '-'; Amazon's endpoint may be left out")
	}
	return func(ctx context.Context, web *http.Client, heads [][]byte) error {
		now, body := time.Now().UTC(), append(bytes.Join(heads, []byte("\n")), '\n')
		name := fmt.Sprintf("%s/%s/%s-%s.jsonl", at, path, now.Format("20060102T150405Z"), store.NewID())
		r, err := http.NewRequestWithContext(ctx, "PUT", name, bytes.NewReader(body))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		hexed := fmt.Sprintf("%x", sum)
		r.Header.Set("If-None-Match", "*")
		r.Header.Set("X-Amz-Content-Sha256", hexed)
		r.Header.Set("X-Amz-Checksum-Sha256", base64.StdEncoding.EncodeToString(sum[:])) // a must with Object Lock
		err = v4.NewSigner().SignHTTP(ctx, who, r, hexed, "s3", region, now)
		if err != nil {
			return err
		}
		return send(web, r)
	}, nil
}

// tellSyslog sends messages of RFC 5424 behind their lengths (RFC 6587, and 5425 over TLS): severity 5 of the facility
// "log audit". Syslog answers nothing; that the other side closes too shows that it has read them.
func tellSyslog(ctx context.Context, u *url.URL, heads [][]byte) error {
	dial := new(net.Dialer).DialContext
	if u.Scheme == "syslog+tls" {
		dial = new(tls.Dialer).DialContext
	}
	conn, err := dial(ctx, "tcp", u.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	for _, line := range heads {
		text := fmt.Sprintf("<109>1 %s - nod-serve - head - %s", time.Now().UTC().Format(time.RFC3339), line)
		if _, err := fmt.Fprintf(conn, "%d %s", len(text), text); err != nil {
			return err
		}
	}
	if err = conn.(interface{ CloseWrite() error }).CloseWrite(); err == nil {
		_, err = io.Copy(io.Discard, conn)
	}
	return err
}
