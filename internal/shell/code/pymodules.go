package code

// pyBuiltins are the names that Python itself binds to what is harmless
// whoever calls it. Not among them are open, type, input, hasattr and dir,
// which have rules of their own, and whatever reaches names by their text.
const pyBuiltins = " print len str int float bool list dict set tuple frozenset range xrange enumerate zip map filter sorted reversed sum min max abs round any all isinstance issubclass repr ascii chr ord unichr hex oct bin divmod pow hash id iter next slice bytes bytearray complex callable format object unicode long exit quit NotImplemented Ellipsis " + pyErrors

const pyErrors = " BaseException Exception ArithmeticError AssertionError AttributeError BrokenPipeError ConnectionError EOFError FileExistsError FileNotFoundError FloatingPointError IOError ImportError IndexError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError RecursionError RuntimeError StopIteration SyntaxError SystemExit TimeoutError TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError Warning DeprecationWarning UserWarning ZeroDivisionError "

// pyOwn are the builtins that a program must not bind, since what is said of
// their calls would then be wrong.
const pyOwn = " open type input raw_input hasattr dir eval exec execfile compile getattr setattr delattr vars globals locals __import__ breakpoint help memoryview reload super print len str list sorted repr isinstance "

// pyAttributes are the methods and attributes of what a program can reach: of
// strings, numbers, containers, files, matches, dates and the like. Each must
// be harmless on every such value. format is not among them: it reads
// attributes that its text names.
const pyAttributes = " append extend insert pop remove clear index count sort reverse copy keys values items get setdefault update popitem fromkeys add discard union intersection difference symmetric_difference intersection_update difference_update symmetric_difference_update issubset issuperset isdisjoint " +
	" strip lstrip rstrip split rsplit splitlines partition rpartition join startswith endswith find rfind rindex lower upper title capitalize casefold swapcase center ljust rjust zfill expandtabs encode decode isdigit isalpha isalnum isspace isupper islower istitle isnumeric isdecimal isidentifier isprintable isascii maketrans translate removeprefix removesuffix hex fromhex tobytes to_bytes from_bytes bit_length bit_count as_integer_ratio is_integer conjugate real imag numerator denominator " +
	" read readline readlines readable write writelines writable flush close closed seek tell buffer isatty fileno encoding errors getvalue getbuffer reconfigure " +
	" group groups groupdict start end span pos endpos lastindex lastgroup string re pattern flags sub subn match search fullmatch findall finditer " +
	" year month day hour minute second microsecond tzinfo now today utcnow fromtimestamp utcfromtimestamp strptime strftime fromisoformat isoformat timestamp date time timetz datetime weekday isoweekday isocalendar timetuple utctimetuple toordinal fromordinal astimezone utcoffset total_seconds days seconds microseconds utc combine ctime " +
	" most_common elements subtract total appendleft popleft extendleft rotate maxlen move_to_end new_child maps default_factory " +
	" name stem suffix suffixes parent parents parts anchor drive root exists is_file is_dir is_symlink is_absolute stat lstat resolve absolute expanduser relative_to is_relative_to with_suffix with_name with_stem as_posix as_uri joinpath samefile cwd home " +
	" st_size st_mtime st_mode st_ctime st_atime st_uid st_gid st_ino st_nlink " +
	" hexdigest digest digest_size block_size update args errno strerror filename msg message doc lineno colno code reason object returncode stdout stderr major minor micro releaselevel " +
	" writerow writerows writeheader fieldnames line_num dialect reader " +
	" scheme netloc hostname port username path params query fragment geturl text tail tag attrib getroot iter itertext findtext " +
	" from_iterable quantize sqrt normalize as_tuple is_nan is_finite is_infinite to_integral_value limit_denominator " +
	" random randint choice choices sample shuffle uniform randrange int version bytes urn node hashes " +
	" monthdayscalendar itermonthdays itermonthdates formatmonth formatyear tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday nodename sysname release machine system lines columns used free " +
	" ratio get_matching_blocks get_opcodes quick_ratio real_quick_ratio compare substitute safe_substitute template unpack pack size iter_unpack unpack_from __name__ "

// pyModule lists what of a module is harmless, as values that a program may
// pass on. ok is false for a module that is not listed.
func pyModule(name string) (names string, ok bool) {
	switch name {
	case "json":
		return " load loads dump dumps JSONDecodeError __version__ ", true
	case "sys":
		return " argv stdin stdout stderr exit version version_info platform maxsize byteorder executable getsizeof getrecursionlimit setrecursionlimit hexversion getdefaultencoding getfilesystemencoding float_info int_info flags intern prefix base_prefix implementation stdlib_module_names builtin_module_names exc_info ", true
	case "re":
		return " compile match search fullmatch split findall finditer sub subn escape purge error A ASCII I IGNORECASE M MULTILINE S DOTALL X VERBOSE U UNICODE L LOCALE Pattern Match ", true
	case "math", "cmath":
		return " pi e tau inf nan sqrt floor ceil fabs factorial gcd lcm log log2 log10 log1p exp expm1 pow sin cos tan asin acos atan atan2 sinh cosh tanh degrees radians hypot dist isclose isfinite isinf isnan isqrt comb perm prod fsum trunc copysign modf frexp ldexp fmod remainder phase polar rect erf erfc gamma lgamma cbrt exp2 ", true
	case "datetime":
		return " datetime date time timedelta timezone tzinfo UTC MINYEAR MAXYEAR ", true
	case "collections":
		return " Counter defaultdict OrderedDict deque ChainMap ", true
	case "itertools":
		return " chain combinations combinations_with_replacement permutations product count cycle repeat accumulate compress dropwhile takewhile filterfalse groupby islice starmap tee zip_longest pairwise batched ", true
	case "functools":
		return " reduce partial lru_cache cache cmp_to_key ", true
	case "operator":
		return " itemgetter add sub mul truediv floordiv mod neg pos eq ne lt le gt ge and_ or_ xor not_ contains getitem concat countOf indexOf is_ is_not index invert lshift rshift pow truth ", true
	default:
		return pyModuleMore(name)
	}
}

func pyModuleMore(name string) (names string, ok bool) {
	switch name {
	case "textwrap":
		return " dedent fill wrap indent shorten ", true
	case "base64", "binascii":
		return " b64encode b64decode b32encode b32decode b16encode b16decode b85encode b85decode a85encode a85decode urlsafe_b64encode urlsafe_b64decode standard_b64encode standard_b64decode encodebytes decodebytes hexlify unhexlify crc32 crc_hqx a2b_base64 b2a_base64 a2b_hex b2a_hex Error ", true
	case "hashlib":
		return " md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s shake_128 shake_256 new algorithms_available algorithms_guaranteed pbkdf2_hmac scrypt ", true
	case "hmac":
		return " new digest compare_digest ", true
	case "zlib":
		return " crc32 adler32 compress decompress error ", true
	case "os":
		return " getcwd sep linesep pathsep extsep altsep curdir pardir devnull getpid getppid getuid getgid geteuid cpu_count name stat lstat access uname fspath fsencode fsdecode get_terminal_size R_OK W_OK X_OK F_OK error ", true
	case "os.path", "posixpath":
		return " join basename dirname exists isfile isdir islink lexists isabs abspath realpath normpath normcase relpath split splitext splitdrive getsize getmtime getctime getatime expanduser commonpath commonprefix samefile sep ismount ", true
	case "statistics":
		return " mean median mode stdev pstdev variance pvariance fmean geometric_mean harmonic_mean median_low median_high multimode quantiles correlation linear_regression StatisticsError ", true
	case "string":
		return " ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace capwords Template ", true
	case "pprint":
		return " pprint pformat pp ", true
	case "csv":
		return " reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Sniffer field_size_limit excel excel_tab Error ", true
	case "io":
		return " StringIO BytesIO TextIOWrapper ", true
	case "time":
		return " time time_ns sleep perf_counter perf_counter_ns monotonic monotonic_ns process_time strftime strptime gmtime localtime mktime ctime asctime timezone tzname altzone daylight struct_time ", true
	case "calendar":
		return " month calendar monthrange isleap leapdays weekday monthcalendar timegm day_name month_name day_abbr month_abbr TextCalendar Calendar ", true
	case "difflib":
		return " unified_diff context_diff ndiff get_close_matches SequenceMatcher Differ restore ", true
	default:
		return pyModuleRest(name)
	}
}

func pyModuleRest(name string) (names string, ok bool) {
	switch name {
	case "html":
		return " escape unescape ", true
	case "urllib.parse":
		return " quote quote_plus unquote unquote_plus urlparse urlsplit urlunparse urlunsplit urljoin urlencode parse_qs parse_qsl urldefrag quote_from_bytes unquote_to_bytes ", true
	case "uuid":
		return " uuid4 uuid3 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 ", true
	case "random":
		return " random randint choice choices sample shuffle uniform randrange seed gauss normalvariate expovariate betavariate triangular getrandbits Random SystemRandom randbytes ", true
	case "secrets":
		return " token_hex token_urlsafe token_bytes choice randbelow randbits compare_digest ", true
	case "decimal":
		return " Decimal ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP ROUND_FLOOR ROUND_CEILING getcontext InvalidOperation ", true
	case "fractions":
		return " Fraction gcd ", true
	case "struct":
		return " pack unpack calcsize unpack_from iter_unpack Struct error ", true
	case "unicodedata":
		return " name lookup normalize category numeric digit decimal bidirectional combining east_asian_width mirrored decomposition unidata_version ", true
	case "tomllib", "tomli":
		return " load loads TOMLDecodeError ", true
	case "ast":
		return " literal_eval ", true
	case "yaml":
		return " safe_load safe_load_all safe_dump YAMLError __version__ ", true
	case "heapq":
		return " heappush heappop heapify nlargest nsmallest heappushpop heapreplace merge ", true
	case "bisect":
		return " bisect bisect_left bisect_right insort insort_left insort_right ", true
	case "copy":
		return " copy deepcopy ", true
	case "platform":
		return " python_version python_implementation ", true
	case "fnmatch":
		return " fnmatch fnmatchcase filter translate ", true
	case "ipaddress":
		return " ip_address ip_network ip_interface IPv4Address IPv4Network IPv6Address IPv6Network ", true
	case "keyword":
		return " kwlist iskeyword softkwlist ", true
	case "shlex":
		return " split quote join ", true
	case "typing":
		return " Any Dict List Optional Tuple Set Union Iterable Iterator Callable ", true
	case "collections.abc":
		return " Mapping Sequence Iterable Iterator Callable MutableMapping Set ", true
	case "xml.etree.ElementTree":
		return " fromstring tostring ParseError ", true
	case "shutil":
		return " which disk_usage get_terminal_size ", true
	case "pathlib":
		return " Path PurePath PurePosixPath PosixPath ", true
	case "glob", "urllib", "xml", "xml.etree", "subprocess", "gzip", "codecs", "__future__":
		return " escape has_magic PIPE DEVNULL STDOUT TimeoutExpired CalledProcessError SubprocessError print_function annotations division unicode_literals absolute_import BOM_UTF8 ", true
	}
	return "", false
}

// PythonModules are the names that come with Python. A file of such a name
// where a program starts is imported in its place, by the program or by what
// it imports.
const PythonModules = " __future__ _abc _aix_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _remote_debugging _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _suggestions _symtable _sysconfig _sysconfigdata _thread _threading_local _tkinter _tokenize _tracemalloc _types _typing _uuid _warnings _weakref _weakrefset _winapi _wmi _zoneinfo _zstd abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib usercustomize uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo yaml _yaml tomli cython_runtime StringIO cStringIO UserDict org "
