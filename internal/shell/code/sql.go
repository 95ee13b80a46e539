package code

import "strings"

// SQL says what statements do, as the client of a dialect reads them:
// "postgres", "mysql" or "sqlite"; any other name is held to what
// all of them agree on. fed says that the client reads them from its input,
// where its own commands may stand between them.
//
// A change of data is an effect Change, one that removes it Destroy; reading
// the database itself is no effect. What is neither is not proven. Where
// dialects disagree on where a string or a comment ends, nothing is proven.
func SQL(dialect, source string, fed bool) Facts {
	s := sqlReader{dialect: dialect, src: source}
	if len(source) > MaxSource {
		s.fail("it is longer than 64 KiB")
	} else {
		s.read(fed)
	}
	return Facts{Proven: s.why == "", Why: s.why, Effects: s.effects}
}

type sqlToken struct {
	kind byte // 'w' word, 'q' quoted name or, in MySQL, string, 's' string, 'n' number; else the character
	text string
}

type sqlReader struct {
	dialect string
	src     string
	pos     int
	tokens  []sqlToken // of the statement
	why     string
	effects []Effect
}

func (s *sqlReader) fail(why string) {
	if s.why == "" {
		s.why = why
	}
}

func (s *sqlReader) effect(kind Kind, name string) {
	for _, e := range s.effects {
		if e.Kind == kind && e.Name == name {
			return
		}
	}
	s.effects = append(s.effects, Effect{Kind: kind, Name: name, Known: true})
}

// read takes commands of the client and statements in turn.
func (s *sqlReader) read(fed bool) {
	if strings.TrimSpace(s.src) == "" {
		return
	}
	first := strings.TrimLeft(s.src, " \t\n")
	commands := fed || strings.HasPrefix(first, ".") || strings.HasPrefix(first, "\\")
	for s.pos < len(s.src) && s.why == "" {
		if commands && len(s.tokens) == 0 && s.command() {
			continue
		}
		s.token()
	}
	s.statement()
}

// command reads one line that is a command of the client itself.
func (s *sqlReader) command() bool {
	for s.pos < len(s.src) && strings.IndexByte(" \t\n", s.src[s.pos]) >= 0 {
		s.pos++
	}
	if s.pos >= len(s.src) {
		return true
	}
	line, _, _ := strings.Cut(s.src[s.pos:], "\n")
	dot := line[0] == '.' && s.dialect != "postgres" && s.dialect != "mysql"
	if !dot && (line[0] != '\\' || s.dialect != "postgres") {
		return false
	}
	s.pos += len(line)
	name, rest, _ := strings.Cut(line[1:], " ")
	name = strings.TrimSpace(name)
	switch {
	case dot && (name == "shell" || name == "system"), !dot && strings.HasPrefix(line, `\!`):
		if !dot {
			rest = line[2:]
		}
		s.effect(Shell, rest)
	case strings.ContainsAny(rest, "`|\\:"):
		s.fail("a command of the client that is not read")
	case dot && among(name, " tables schema indexes indices databases headers header mode width nullvalue separator "+
		"timeout help show stats timer echo dbinfo fullschema print quit exit bail changes eqp explain "+
		"dump limit version "):
	case !dot && (strings.HasPrefix(name, "d") &&
		strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyzACDEFLOPRTXS+") == "" && name != "drop" ||
		among(name, " l l+ list conninfo encoding timing x a t q echo h sf sv ? ")):
	default:
		s.fail("a command of the client that is not read: " + line[:1] + name)
	}
	return true
}

// token reads one token of SQL.
func (s *sqlReader) token() {
	rest := s.src[s.pos:]
	c := rest[0]
	switch {
	case strings.IndexByte(" \t\n", c) >= 0:
		s.pos++
	case c == ';':
		s.pos++
		s.statement()
	case strings.HasPrefix(rest, "--"):
		if len(rest) > 2 && strings.IndexByte(" \t\n", rest[2]) < 0 {
			s.fail("a comment that not every dialect takes for one")
			return
		}
		s.line()
	case c == '#' && s.dialect == "mysql":
		s.line()
	case strings.HasPrefix(rest, "/*"):
		s.comment(rest)
	case c == '\'' || c == '"' || c == '`':
		s.quoted(c)
	case c == '$':
		s.dollar(rest)
	case c == '[' && s.dialect != "postgres":
		end := strings.IndexByte(rest, ']')
		if end < 0 || strings.ContainsAny(rest[:end], "'\"`;-/") {
			s.fail("a bracket that can be read in two ways")
			return
		}
		s.add('q', rest[1:end], end+1)
	case c == '\\':
		s.backslash(rest)
	case nameByte(c):
		end := 0
		for end < len(rest) && nameByte(rest[end]) {
			end++
		}
		kind := byte('w')
		if c >= '0' && c <= '9' {
			kind = 'n'
		}
		s.add(kind, strings.ToUpper(rest[:end]), end)
	case c >= 0x80:
		s.fail("a character beyond ASCII outside a string")
	case c == ':' && s.dialect == "postgres" && len(rest) > 1 &&
		(rest[1] == '\'' || rest[1] == '"' || nameStart(rest[1])) && !s.after(':'):
		s.fail("a variable of the client")
	case c < ' ':
		s.fail("a control character")
	default:
		s.add(c, string(c), 1)
	}
}

func (s *sqlReader) add(kind byte, text string, width int) {
	if len(s.tokens) >= maxNodes {
		s.fail("it is too long")
		s.pos = len(s.src)
		return
	}
	s.tokens = append(s.tokens, sqlToken{kind, text})
	s.pos += width
}

func (s *sqlReader) after(kind byte) bool {
	return len(s.tokens) > 0 && s.tokens[len(s.tokens)-1].kind == kind
}

func (s *sqlReader) line() {
	if end := strings.IndexByte(s.src[s.pos:], '\n'); end >= 0 {
		s.pos += end
		return
	}
	s.pos = len(s.src)
}

// comment skips one, unless some dialect reads it otherwise: MySQL runs what
// stands in /*! */, Postgres nests them.
func (s *sqlReader) comment(rest string) {
	end := strings.Index(rest[2:], "*/")
	switch {
	case end < 0:
		s.fail("a comment that does not end")
	case strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M") || strings.Contains(rest[2:end+2], "/*"):
		s.fail("a comment that not every dialect takes for one")
	default:
		s.pos += end + 4
	}
}

// quoted reads a string or a quoted name. Two quotes stand for one; where a
// backslash comes before a quote, dialects disagree.
func (s *sqlReader) quoted(quote byte) {
	from := s.pos + 1
	for s.pos = from; s.pos < len(s.src); s.pos++ {
		if s.src[s.pos] != quote {
			continue
		}
		if s.pos > from && s.src[s.pos-1] == '\\' {
			break
		}
		if s.pos+1 < len(s.src) && s.src[s.pos+1] == quote {
			s.pos++
			continue
		}
		kind := byte('s')
		if quote != '\'' {
			kind = 'q'
		}
		s.add(kind, s.src[from:s.pos], 1)
		return
	}
	s.fail("a string whose end cannot be told")
}

// dollar reads $tag$ text $tag$, and $1.
func (s *sqlReader) dollar(rest string) {
	end := 1
	for end < len(rest) && nameByte(rest[end]) {
		end++
	}
	if end >= len(rest) || rest[end] != '$' {
		s.add('n', rest[:end], end)
		return
	}
	tag := rest[:end+1]
	stop := strings.Index(rest[len(tag):], tag)
	if s.dialect != "postgres" || stop < 0 {
		s.fail("a string whose end cannot be told")
		return
	}
	s.add('s', rest[len(tag):len(tag)+stop], 2*len(tag)+stop)
}

// backslash reads \G and \g, which end a statement for MySQL.
func (s *sqlReader) backslash(rest string) {
	if s.dialect == "mysql" && len(rest) > 1 && (rest[1]|0x20) == 'g' && (len(rest) == 2 || !nameByte(rest[2])) {
		s.pos += 2
		s.statement()
		return
	}
	s.fail("a command of the client inside a statement")
}

// statement says what the tokens since the last one do.
func (s *sqlReader) statement() {
	t := s.tokens
	s.tokens = nil
	if s.why != "" || len(t) == 0 {
		return
	}
	for len(t) > 1 && t[0].kind == '(' {
		t = t[1:]
	}
	if t[0].kind != 'w' {
		s.fail("a statement that cannot be read")
		return
	}
	verb := t[0].text
	s.functions(t)
	s.names(t)
	switch verb {
	case "SELECT", "VALUES", "TABLE", "WITH", "FROM":
		s.query(t)
	case "EXPLAIN", "DESCRIBE", "DESC":
		if holds(t, " ANALYZE ANALYSE ") {
			s.query(t[1:])
		}
	case "SHOW", "USE":
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "END":
		if len(t) > 1 && !among(t[1].text, " TRANSACTION WORK ") || len(t) > 2 {
			s.fail("it uses " + verb + " " + t[1].text)
		}
	case "PRAGMA":
		s.pragma(t)
	case "SET":
		if len(t) < 2 || !among(t[1].text, " STATEMENT_TIMEOUT LOCK_TIMEOUT TIMEZONE NAMES DATESTYLE ") {
			s.fail("it sets what is not read")
		}
	case "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CREATE", "ALTER", "DROP", "TRUNCATE", "GRANT", "REVOKE",
		"COMMENT", "ANALYZE", "VACUUM", "REINDEX", "CLUSTER", "REFRESH", "RENAME", "OPTIMIZE":
		s.change(verb, t)
	default:
		s.fail("it uses " + verb)
	}
}

func holds(tokens []sqlToken, words string) bool {
	for _, t := range tokens {
		if t.kind == 'w' && among(t.text, words) {
			return true
		}
	}
	return false
}

// query checks that what looks like a question changes nothing.
func (s *sqlReader) query(t []sqlToken) {
	for i, tok := range t {
		if tok.kind != 'w' {
			continue
		}
		switch {
		case among(tok.text, " INSERT UPDATE MERGE "):
			s.effect(Change, "")
			s.fail("a query that changes")
		case among(tok.text, " DELETE TRUNCATE DROP "):
			s.effect(Destroy, "")
			s.fail("a query that removes")
		case among(tok.text, " INTO CREATE ALTER COPY CALL EXECUTE DO GRANT REVOKE OUTFILE DUMPFILE "+
			"ATTACH DETACH LOAD "+
			"INSTALL EXPORT IMPORT  "),
			tok.text == "REPLACE" && (i+1 >= len(t) || t[i+1].kind != '('):
			s.fail("a query with " + tok.text)
		}
	}
}

// change reports a statement that changes something.
func (s *sqlReader) change(verb string, t []sqlToken) {
	kind := Change
	switch {
	case verb == "DROP", verb == "TRUNCATE", (verb == "DELETE" || verb == "UPDATE") &&
		!holds(t, " WHERE "), verb == "ALTER" && holds(t, " DROP "):
		kind = Destroy
	}
	s.effect(kind, "")
	if verb == "VACUUM" && holds(t, " INTO ") ||
		holds(t, " FUNCTION PROCEDURE TRIGGER EXTENSION EVENT SYSTEM PROGRAM LANGUAGE SERVER RULE AGGREGATE OPERATOR "+
			"PLUGIN MODULE SECRET OUTFILE DUMPFILE INFILE SUBSCRIPTION ROUTINE MACRO ") {
		s.fail("a change that may run code")
	}
}

// functions checks that only functions without effects are called: a database
// may hold others, and some of its own write files or reach the network.
func (s *sqlReader) functions(t []sqlToken) {
	// What has brackets in a definition are columns and types.
	defines := among(t[0].text, " CREATE ALTER GRANT REVOKE ANALYZE VACUUM DROP TRUNCATE PRAGMA ") &&
		!holds(t, " SELECT DEFAULT CHECK GENERATED ")
	for i := 0; i+1 < len(t) && !defines; i++ {
		if t[i+1].kind != '(' || t[i].kind != 'w' && t[i].kind != 'q' {
			continue
		}
		qualified := i > 0 && t[i-1].kind == '.'
		if t[i].kind == 'w' && !qualified && (among(t[i].text, sqlFunctions) || among(t[i].text, sqlBefore)) {
			continue
		}
		if i > 0 && t[i-1].text == "INTO" || qualified && i > 2 && t[i-3].text == "INTO" {
			continue // INSERT INTO t (columns)
		}
		s.fail("it calls " + t[i].text)
	}
}

// names looks for tables that are more than data, and for columns that hold
// secrets by their names.
func (s *sqlReader) names(t []sqlToken) {
	for i, tok := range t {
		if tok.kind != 'w' && tok.kind != 'q' {
			continue
		}
		name := strings.ToUpper(tok.text)
		for _, part := range [...]string{"PASSWORD", "PASSWD", "SECRET", "API_KEY", "PRIVATE_KEY", "ACCESS_TOKEN",
			"REFRESH_TOKEN"} {
			if strings.Contains(name, part) {
				s.effect(Secret, name)
			}
		}
		switch {
		case among(name, " FSDIR ZIPFILE SQLITE_DBPAGE "):
			s.fail("it reads the table " + name)
		case among(name, " PG_SHADOW PG_AUTHID PG_USER_MAPPING PG_USER_MAPPINGS "), name == "USER" && i > 1 &&
			strings.EqualFold(t[i-2].text, "mysql"):
			s.effect(Secret, "PASSWORD")
		}
	}
}

// sqlBefore are words that a bracket may follow without being called.
const sqlBefore = " IN AND OR NOT EXISTS AS ON USING OVER WHERE ANY ALL SOME FROM JOIN BY FILTER VALUES SELECT UNION " +
	"EXCEPT INTERSECT CASE WHEN THEN ELSE HAVING LIMIT OFFSET SET DISTINCT BETWEEN LIKE ILIKE IS " +
	"INTERVAL EXPLAIN GROUP " +
	"LATERAL MATERIALIZED WITH INT INTEGER VARCHAR CHAR DECIMAL NUMERIC TIMESTAMP TIME BIT PRIMARY KEY UNIQUE CHECK " +
	"REFERENCES RECURSIVE RETURNING "

// sqlFunctions are functions without effects in every dialect that has them.
const sqlFunctions = " COUNT SUM AVG MIN MAX ABS ROUND CEIL CEILING FLOOR POWER SQRT MOD SIGN EXP LN LOG LOG10 " +
	"GREATEST LEAST COALESCE NULLIF IFNULL NVL IF IIF CAST CONVERT TRY_CAST EXTRACT DATE TIME " +
	"DATETIME TIMESTAMP YEAR " +
	"MONTH DAY HOUR MINUTE SECOND WEEK QUARTER DATE_TRUNC DATE_PART DATE_FORMAT DATE_ADD DATE_SUB DATEDIFF STRFTIME " +
	"STRPTIME JULIANDAY UNIXEPOCH NOW CURDATE CURRENT_DATE CURRENT_TIMESTAMP AGE TO_CHAR TO_DATE " +
	"TO_TIMESTAMP TO_NUMBER " +
	"FROM_UNIXTIME UNIX_TIMESTAMP LENGTH CHAR_LENGTH OCTET_LENGTH LOWER UPPER INITCAP TRIM LTRIM " +
	"RTRIM LPAD RPAD SUBSTR " +
	"SUBSTRING LEFT RIGHT REPLACE REVERSE REPEAT CONCAT CONCAT_WS POSITION STRPOS INSTR SPLIT_PART FORMAT PRINTF HEX " +
	"UNHEX QUOTE ASCII CHR MD5 SHA1 SHA2 ENCODE DECODE TYPEOF ROW_NUMBER RANK DENSE_RANK NTILE LAG LEAD FIRST_VALUE " +
	"LAST_VALUE NTH_VALUE PERCENT_RANK CUME_DIST PERCENTILE_CONT PERCENTILE_DISC MEDIAN MODE STDDEV VARIANCE VAR_POP " +
	"STDDEV_POP CORR GROUP_CONCAT STRING_AGG ARRAY_AGG JSON_AGG JSONB_AGG JSON_GROUP_ARRAY JSON_GROUP_OBJECT " +
	"JSON_OBJECT JSON_ARRAY JSON_EXTRACT JSON_UNQUOTE JSON_EACH JSON_TREE JSON_ARRAY_LENGTH JSON_TYPE JSON_VALID " +
	"JSON_KEYS JSON_LENGTH JSON_BUILD_OBJECT JSONB_BUILD_OBJECT JSONB_ARRAY_ELEMENTS JSONB_ARRAY_ELEMENTS_TEXT " +
	"JSON_ARRAY_ELEMENTS JSONB_PRETTY JSONB_TYPEOF JSONB_EACH JSONB_OBJECT_KEYS ROW_TO_JSON TO_JSON TO_JSONB " +
	"ARRAY_LENGTH UNNEST ARRAY_TO_STRING STRING_TO_ARRAY GENERATE_SERIES RANGE REGEXP_REPLACE REGEXP_MATCHES " +
	"REGEXP_LIKE REGEXP_SUBSTR SIMILARITY VERSION DATABASE CURRENT_DATABASE CURRENT_SCHEMA CURRENT_USER SESSION_USER " +
	"SQLITE_VERSION RANDOM RAND BOOL_AND BOOL_OR EVERY TOTAL CHANGES LAST_INSERT_ROWID " +
	"PG_SIZE_PRETTY PG_DATABASE_SIZE " +
	"PG_TOTAL_RELATION_SIZE PG_RELATION_SIZE PG_TABLE_SIZE PG_INDEXES_SIZE PG_GET_VIEWDEF PG_GET_INDEXDEF " +
	"PG_GET_CONSTRAINTDEF PG_GET_EXPR FORMAT_TYPE OBJ_DESCRIPTION COL_DESCRIPTION HAS_TABLE_PRIVILEGE TO_REGCLASS " +
	"PG_BACKEND_PID ROLLUP CUBE PRAGMA_TABLE_INFO " +
	"PRAGMA_INDEX_LIST PRAGMA_FOREIGN_KEY_LIST PRAGMA_DATABASE_LIST PRAGMA_TABLE_LIST "

// pragma checks that one only asks.
func (s *sqlReader) pragma(t []sqlToken) {
	name := ""
	if len(t) > 1 {
		name = t[1].text
	}
	switch {
	case len(t) == 2 && among(name, " USER_VERSION SCHEMA_VERSION PAGE_COUNT PAGE_SIZE FREELIST_COUNT JOURNAL_MODE "+
		"COMPILE_OPTIONS ENCODING COLLATION_LIST FUNCTION_LIST MODULE_LIST APPLICATION_ID FOREIGN_KEYS SYNCHRONOUS "+
		"CACHE_SIZE AUTO_VACUUM TABLE_LIST DATABASE_LIST INTEGRITY_CHECK QUICK_CHECK FOREIGN_KEY_CHECK "+
		"SHOW_TABLES VERSION "+
		"DATABASE_SIZE "):
	case len(t) == 5 && t[2].kind == '(' && among(name,
		" TABLE_INFO TABLE_XINFO INDEX_LIST INDEX_INFO INDEX_XINFO FOREIGN_KEY_LIST TABLE_LIST "+
			"INTEGRITY_CHECK QUICK_CHECK "+
			"FOREIGN_KEY_CHECK "):
	case len(t) == 4 && t[2].kind == '=' && among(name, " TABLE_INFO INDEX_LIST INDEX_INFO FOREIGN_KEY_LIST "):
	default:
		s.fail("it uses PRAGMA " + name)
	}
}
