package variables

import "strings"

// Secret reports whether a variable of that name usually holds a secret.
func Secret(name string) bool {
	upper := strings.ToUpper(name)
	for _, part := range [...]string{"SECRET", "PASSW", "TOKEN", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY",
		"CREDENTIAL", "WEBHOOK", "CONNECTION_STRING"} {
		if strings.Contains(upper, part) {
			return true
		}
	}
	parts := strings.Split(upper, "_")
	last := parts[len(parts)-1]
	switch last {
	case "KEY", "PWD": // but PWD itself, and OLDPWD
		return len(parts) > 1
	case "PAT", "CREDS", "CRED", "AUTH", "JWT", "COOKIE", "COOKIES", "DSN", "OTP", "BEARER", "SAS", "PSK":
		return true
	case "URL", "URI":
		return len(parts) > 1 && storesByURL(parts[len(parts)-2])
	}
	return strings.HasSuffix(last, "PASS")
}

// storesByURL reports whether the address of such a service usually holds a
// password.
func storesByURL(service string) bool {
	switch service {
	case "DATABASE", "DB", "MONGO", "MONGODB", "REDIS", "POSTGRES", "POSTGRESQL", "PG", "MYSQL", "AMQP", "RABBITMQ",
		"BROKER", "SMTP", "MAIL", "SENTRY":
		return true
	}
	return false
}
