/**
 * The promises of docs/trust.md. A test that shows one carries its id as a tag: `test("…", { tags: ["F-01"] }, …)`; the page
 * is made of the tags. The numbers F-01 to F-132 are those of the list that was collected from advisories and issues of
 * other gateways; it has gaps.
 */

/** How gateways of this kind have failed, each as the promise that it does not happen here. */
export const knownFailures: Readonly<Record<string, string>> = {
  "F-01": "A credential counts as a whole: no prefix of it, however long, and nothing longer opens anything",
  "F-02": "No spelling of a path or Host header reaches a protected operation past its check",
  "F-03": "A session ends everywhere with signing out, a new password, a second factor, disabling and deletion",
  "F-04": "Role and status are looked up at each call, never read from what the browser holds",
  "F-05": "A code of the second factor works once, however many come at once, over restarts and nodes",
  "F-06": "The second factor cannot be guessed: few tries, then the password again, and longer and longer waits",
  "F-07": "Neither words nor time of an answer tell whether an account exists",
  "F-08": "A link that resets a password works once, for its address, for ten minutes, and ends all sessions",
  "F-09": "A rule about who may sign in holds on every way in",
  "F-10":
    "Coming back from a provider counts in the browser that left, once, for ten minutes; repeats get the same answer",
  "F-11": "After sign-in nobody is led to another site",
  "F-12": "Nobody becomes root by coming first, and the first password is random and must be changed",
  "F-13": "A session id that was planted before signing in is worth nothing after it",
  "F-14": "What a caller says about its own address counts for nothing unless the operator named the proxy",
  "F-15": "The welcome gift is given once for a mailbox, even if its account was deleted meanwhile",
  "F-20": "Whoever edits their own account changes the fields that are theirs and no others",
  "F-21": "A token gives no more rights than its owner has, when it is made and each time that it is used",
  "F-22": "Every operation has a role, and everybody below it is refused",
  "F-23": "What signing in hands out opens no more than the role of whoever signed in",
  "F-24": "Lists and records of accounts hold no password, hash, secret or access token",
  "F-25": "Administrators cannot raise themselves, touch their peers or remove the last root",
  "F-26": "What belongs to somebody else answers as if it did not exist",
  "F-27": "That holds for showing and renewing keys as well",
  "F-28": "Maintenance (clearing, testing all, balances) is for administrators",
  "F-29": "A restriction of a key holds by whatever header it comes, and a key in an address is none",
  "F-30": "What is sealed or mailed for one purpose is worth nothing for another",
  "F-31": "Without a good key no connection to a provider is opened, not even for a WebSocket",
  "F-32": "No answer holds a provider's key",
  "F-40": "A redemption code pays once, whoever races for it",
  "F-41": "A used code stays used",
  "F-42": "A payment is credited once, for the amount that was paid",
  "F-43": "However many calls come at once, they spend no more than the balance",
  "F-44": "That holds for a token's own limit and for accounts and tokens that were made a moment ago",
  "F-45": "What was set aside for a call that its caller left is free again at once",
  "F-46": "A refund is paid once, whatever fails between and is tried again",
  "F-47": "Whoever leaves before the usage was told pays for what came, in every interface",
  "F-48": "The text of an error is no output and costs nothing",
  "F-49": "Whoever leaves before the first word pays nothing, and the row says why",
  "F-50": "The provider's call ends with the caller's, and nothing is tried for those who have left",
  "F-51": "Reading on after the caller has left is bounded in number, time and bytes",
  "F-52": "Ids that callers send are labels: equal ones make no call free",
  "F-53": "A call that several channels failed is charged once, for the one that answered",
  "F-54": "An answer dearer than what is left takes what is left and records the rest",
  "F-55": "No charge is kept in memory: a killed process loses none that was settled",
  "F-56": "Under load every row and charge belongs to whoever made the call",
  "F-57":
    "Deleting, disabling or expiring a token moves no balance, and no usage of a provider makes a charge negative",
  "F-58": "Numbers that overflow, are fractions or no numbers at all are refused or exact",
  "F-59": "No amount can be set to less than nothing or to a fraction",
  "F-60": "SQL in any credential, header, path or body is text, also where the call fails",
  "F-61": "Lists are sorted by our own names of columns alone",
  "F-62": "Search takes what was typed literally, and one search of a user at a time",
  "F-63": "The log does not grow without end, and clearing it holds nobody up",
  "F-64": "Forms and bodies that are made to be slow to read are refused soon",
  "F-65": "No regular expression takes long over hostile text",
  "F-66": "Names that a language gives a meaning (__proto__, constructor) are names like any other",
  "F-67": "Nothing that comes over HTTP is evaluated, started or loaded",
  "F-68": "Names with line ends or formulas break no log line, header or spreadsheet",
  "F-70": "Nothing in a call says where it goes or with which key",
  "F-71": "Without a word of the operator nothing private is called",
  "F-72": "No spelling of a private or reserved address passes for a public one",
  "F-73": "A redirect is not followed, and no key goes to a second host",
  "F-74": "What is checked is what is called",
  "F-75": "A name that resolves anew leads nowhere else: the checked address is the one that is called",
  "F-76": "Addresses of pictures, files and tools in messages are never opened by the gateway",
  "F-77": "Addresses that the console shows are never fetched by the server",
  "F-78": "A model's name changes neither host nor path of the provider's address",
  "F-79": "A stored key goes to the host that it was entered for and comes out nowhere",
  "F-80": "Only headers that we name go to a provider and come back from it",
  "F-81": "A request that two servers could read differently is refused, and the connection ends",
  "F-90": "Texts of the operator run no script",
  "F-91": "Markdown is sanitised after it became HTML, and again when it comes from a cache",
  "F-92": "Links lead to the web alone, and the browser's storage holds nothing that opens /api",
  "F-93": "No renderer writes markup where it fails: there is one place that writes HTML",
  "F-94": "No frame shows a page of our own",
  "F-95": "What a model says is text in the console",
  "F-96": "Names that users choose are text in every list, dialog and file",
  "F-97": "No page can be framed by another site, and no answer of the API is kept",
  "F-100": "No more than eight characters of a key stand in any log line, error, trace or page",
  "F-101": "Errors name neither the provider's address nor a key in it",
  "F-102": "Words alone take no channel out of service: they may be the caller's own",
  "F-103": "Keys, codes, seeds, sessions and passwords do not lie in the database as they are",
  "F-110": "Memory does not grow with the length of answers",
  "F-111": "A limiter costs as much memory as its keys may, whatever limit is set",
  "F-112": "Nothing leaks over days",
  "F-113": "A connection that ends at any moment, on either side, harms nobody else",
  "F-114": "An answer that broke off never looks whole",
  "F-115": "A stream may last as long as something comes: only silence is limited",
  "F-116": "Each piece reaches the caller when it comes",
  "F-117": "Whoever hangs up right after the last event has everything: a success",
  "F-118": "Counting a prompt takes bounded time and never fails, whatever it holds",
  "F-120": "Many who write to the same accounts at once lose nothing to deadlocks",
  "F-121": "One busy account does not slow the others down",
  "F-122": "A restart of PostgreSQL, idle or under load, ends no process and is over within five seconds",
  "F-123": "A frozen Redis holds nobody up",
  "F-124": "A name that is taken is told in words, without any of the database's",
  "F-125": "Whoever calls too often is told how long to wait, and nobody else notices",
  "F-126": "A migration is done or not done, and an older program refuses a newer schema",
  "F-130": "Packages are locked to their content, run no scripts, and are few",
  "F-131": "The program runs on a Node that is maintained, and is tried on it",
  "F-132": "That nothing is known of some gateways says nothing about them",
};

/** What is true of money at every moment. */
export const invariants: Readonly<Record<string, string>> = {
  "I-1": "A balance is what the ledger credited less what it debited",
  "I-2": "What a user, a token or a channel has used is the sum of their charges, whatever was deleted or cleared",
  "I-3": "The log and what was cleared of it add up to what was used",
  "I-4": "No balance, and no balance less what is set aside, is below zero",
  "I-5": "What is set aside is charged or given back, exactly once, and never stays",
  "I-6": "A call is charged once at most, however often its charge is sent",
  "I-7": "A call costs what the attempt that answered used; failed attempts cost nothing",
  "I-8": "A code pays once, and a used one stays used",
  "I-9": "Codes have paid what used codes say; of a batch all codes are made or none",
  "I-10": "A credit that is sent again with its key is given once",
  "I-11": "Who changes a balance by hand is in the ledger and in the audit trail, and undoes no charge",
  "I-12": "A token never spends more than its limit, one without a limit no more than its owner's balance",
  "I-13": "A call is charged at the price of its beginning, which stands in its row; later prices change nothing",
  "I-14": "Amounts are integers, rounded up once, never negative",
  "I-15": "Who leaves pays as the policy says",
  "I-16": "Refused calls and tests of channels cost nobody anything",
  "I-17": "Deleting or disabling users, tokens and channels creates and destroys nothing; what runs is charged",
  "I-18": "A restored copy has books that agree",
  "I-19": "What was issued is in balances or was charged: nothing else exists",
  "I-20": "Dashboard, log, lists of users and tokens and the ledger show the same totals for the same days",
};

/** What can go wrong around a gateway, and what is promised then. */
export const faults: Readonly<Record<string, readonly [fault: string, promise: string]>> = {
  "FT-01": [
    "kill -9 while streams run",
    "Starts again without waiting; holds end, settled charges stay, the books agree",
  ],
  "FT-02": [
    "kill -9 between the provider's end and the charge",
    "What was recorded as delivered is charged, at most three seconds of it are lost",
  ],
  "FT-03": [
    "SIGTERM while streams run",
    "They finish and are charged, new calls are refused with Retry-After, the exit code is 0",
  ],
  "FT-04": ["A second SIGTERM", "Ends at once: callers are told, what came is charged, the exit code says so"],
  "FT-05": [
    "A provider that hangs: no connection, no head, silence in the middle",
    "Callers of streams are kept alive; after 10, 120 and 120 s another channel or an error",
  ],
  "FT-06": [
    "A provider that answers 500, 502, 529",
    "Another channel, before the first word only; the failed one rests; one charge",
  ],
  "FT-07": [
    "A provider that answers 429 with any Retry-After",
    "Honoured up to a minute; the caller is told when all channels are limited",
  ],
  "FT-08": [
    "A provider that refuses the operator's key",
    "The channel goes out of service, the caller gets 502 or 503, no console is signed out",
  ],
  "FT-09": ["Malformed streams", "Good events arrive, bad ones end the stream with an error; memory stays small"],
  "FT-10": ["A provider that closes half-way", "An error, never a false end; nothing is left behind"],
  "FT-11": [
    "SQLite locked by another process",
    "Calls wait for some seconds, then are refused unserved; what only reads goes on",
  ],
  "FT-12": ["Disk full", "New calls are refused, running ones end and are charged, space alone heals it"],
  "FT-13": [
    "A database file that is damaged",
    "The program refuses to start, says what to do, and leaves the file as it is",
  ],
  "FT-14": [
    "PostgreSQL restarts, drops connections, is slow",
    "The same process answers within 5 s; what was in doubt is asked again by its id",
  ],
  "FT-15": ["Serialisation failures and deadlocks", "Tried again, nothing is lost"],
  "FT-16": ["Redis down, frozen, slow, emptied", "Nobody waits for it, and no safety depends on it"],
  "FT-17": [
    "One of two nodes on one PostgreSQL and one Redis changes something, or is killed under load",
    "Both agree on keys, prices, limits, settings and lockouts; the death of one loses nothing",
  ],
  "FT-18": ["The clock jumps", "Calls, sessions and the log go on; no negative durations"],
  "FT-19": ["10,000 streams at once", "Served or refused early, within a bound of memory, each caller his own words"],
  "FT-20": ["File descriptors or memory run out", "Open streams go on, new calls are refused, no crash"],
  "FT-21": [
    "Callers who read slowly",
    "The provider waits; who takes nothing for a minute is dropped and charged for what came",
  ],
  "FT-22": ["Callers who write slowly", "Cut off, and nobody else notices"],
  "FT-23": ["Bodies that are giant, endless, compressed or of a wrong length", "Refused before they are kept"],
  "FT-24": ["Text that is no text", "Refused or harmless, on both databases"],
  "FT-25": ["JSON that is deep, wide, or says things twice", "400, soon"],
  "FT-26": ["Headers without end, methods and versions that are none", "431 or 400, and the connection ends"],
  "FT-27": ["The same request twice", "Money moves once where a key says so; calls of the relay are charged each"],
  "FT-28": [
    "A network that loses, reorders or half-closes",
    "Deadlines as above; a part is never taken for the whole, and what came is what is charged",
  ],
  "FT-29": ["A mail server that is down or slow", "Nobody waits for it; mails are tried again"],
  "FT-30": ["A sign-in provider that is slow, broken or talks nonsense", "Told as such; the way back stays good"],
  "FT-31": [
    "A bug: an error that nothing caught",
    "The process finishes what runs and ends, for its supervisor to start anew",
  ],
  "FT-32": ["Wrong settings at the start", "One line that names the variable, before anything listens"],
  "FT-33": ["Several people edit the same thing", "The second is told; nothing is lost in silence"],
};

/** Why a promise has no meaning here. */
export const notApplicable: Readonly<Record<string, string>> = {
  "F-42": "there is no callback of a payment provider: quota is given by administrators and by codes",
  "F-51": "the gateway never reads on: the provider's call ends with the caller's",
  "F-132": "a remark about sources, not a failure",
};

/** What no test shows of a promise. */
export const leftOut: Readonly<Record<string, string>> = {
  "F-62": "how long it takes over a million rows is measured by the benchmarks, not by a test",
  "F-63": "lists and charts are measured at a million rows by the benchmarks; nothing has run with ten million",
  "F-110":
    "the test has 24 streams; `node benchmarks/src/streams-benchmark.ts --long 500 --tokens 650000` is the command for more",
  "F-112": "no test runs for days: how long a soak has run, and how memory went, stands under Large runs",
  "F-121": "how long it takes is measured by `node benchmarks/src/settle-benchmark.ts` and stands under Large runs",
  "F-130":
    "`node scripts/reproducible.ts` compares two installed builds byte by byte, outside of these tests; there is no image",
  "FT-01": "three kills each time; hundreds under load are among the large runs",
  "FT-17": "within a second on an idle machine: the tests give a busy one five",
  "FT-19":
    "the tests open 500; `node benchmarks/src/streams-benchmark.ts --open 7500` is the command for more (9500 need 24,000 descriptors)",
  "FT-28": "lost packets are stalls of a proxy of ours: what a kernel makes of real ones is not tried",
};

export const promiseIds: readonly string[] = [knownFailures, invariants, faults].flatMap((texts) => Object.keys(texts));

/** For the configuration of Vitest, which refuses a tag that is not defined. */
export const promiseTags: { name: string; description: string }[] = [
  ...Object.entries({ ...knownFailures, ...invariants }),
  ...Object.entries(faults).map(([id, [fault, promise]]) => [id, `${fault}: ${promise}`] as const),
].map(([name, description]) => ({ name, description }));
