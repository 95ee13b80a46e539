package llm

import (
	"crypto/tls"
	"crypto/x509"
	_ "embed" // where root certificates are
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
)

const (
	headerLimit = 64 << 10
	bundleLimit = 8 << 20
)

// newTransport returns a transport that takes nothing from the environment.
func newTransport(endpoint *url.URL, proxy, caFile string) (*http.Transport, error) {
	t := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: headerLimit,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	proxyURL, err := parseProxy(proxy)
	if err != nil {
		return nil, err
	}
	if proxyURL != nil && !isLoopback(endpoint) {
		t.Proxy = http.ProxyURL(proxyURL)
	}
	roots, err := rootsFor(endpoint, proxyURL, caFile)
	if err != nil {
		return nil, err
	}
	t.TLSClientConfig = &tls.Config{ // with what GODEBUG could otherwise loosen: versions and suites
		RootCAs:    roots,
		MinVersion: tls.VersionTLS12,
		CipherSuites: []uint16{ // of TLS 1.2; those of 1.3 are fixed
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
	return t, nil
}

func parseProxy(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil, badSettings("[model] proxy is not a URL with a host")
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return u, nil
	}
	return nil, badSettings("[model] proxy must begin with http://, https:// or socks5://")
}

// rootsFor returns the pool that servers are judged by; nil is the platform's own verifier, where there is one.
func rootsFor(endpoint, proxy *url.URL, caFile string) (*x509.CertPool, error) {
	var further []byte
	if caFile != "" {
		var err error
		if further, err = readBundle(caFile); err != nil {
			return nil, err
		}
	}
	needed := endpoint.Scheme == "https" || proxy != nil && proxy.Scheme == "https"
	platform := runtime.GOOS == "darwin" || runtime.GOOS == "ios" || runtime.GOOS == "windows"
	if !needed || platform && further == nil {
		return nil, nil
	}
	pool := systemPool(platform)
	if pool == nil && further == nil {
		return nil, badSettings("no root certificates were found in the usual places; install ca-certificates, or " +
			"name a PEM bundle as [model] ca_file")
	}
	if pool == nil {
		pool = x509.NewCertPool()
	}
	pool.AppendCertsFromPEM(further)
	return pool, nil
}

// systemPool returns the system's root certificates, nil where none are found.
func systemPool(platform bool) *x509.CertPool {
	if platform {
		pool, _ := x509.SystemCertPool()
		return pool
	}
	for line := range strings.Lines(bundles) { // where systems keep theirs
		path, _, _ := strings.Cut(line, "\t")
		text, err := readKnownFile(path, bundleLimit)
		if err != nil {
			continue
		}
		if pool := x509.NewCertPool(); pool.AppendCertsFromPEM(text) {
			return pool
		}
	}
	return nil
}

//go:embed bundles.txt
var bundles string

func readBundle(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, badSettings("[model] ca_file %s must be an absolute path", quote(path))
	}
	text, err := readKnownFile(path, bundleLimit)
	if err != nil {
		return nil, badSettings("[model] ca_file cannot be read: %s", printable.Line(err.Error(), 200))
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return nil, badSettings("[model] ca_file %s holds no certificate in PEM form", quote(path))
	}
	return text, nil
}

func readKnownFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", path, limit)
	}
	return os.ReadFile(path)
}
