/**
 * The promises, as docs/assurance/proofs.md explains them. A test that shows one carries its id as a tag:
 * `test("…", { tags: ["F-01"] }, …)`; the page is made of the tags. The numbers F-01 to F-132 come
 * from a list of advisories and issues of other gateways; the list has gaps.
 */

import { signInPromises } from "./sign-in-promises.ts";

/**
 * `knownFailures` says how gateways of this kind have failed, each as the promise that it does not
 * happen here.
 */
export const knownFailures: Readonly<Record<string, string>> = {
  "F-01":
    "A credential counts only as a whole: no prefix of it, however long, and nothing longer opens anything",
  "F-02": "No spelling of a path or Host header reaches a protected operation past its check",
  "F-03":
    "A session ends everywhere with signing out, a new password, a second factor, disabling and deletion",
  "F-04": "Role and status are read at each call, never from what the browser stores",
  "F-05":
    "A second-factor code works once, however many requests send it at once, across restarts and nodes",
  "F-06":
    "The second factor cannot be guessed: few attempts, then the password again, with growing delays",
  "F-07": "Neither the text nor the time of a response reveals whether an account exists",
  "F-08":
    "A password-reset link works once, for its address, for ten minutes, and ends all sessions",
  "F-09": "A rule about who may sign in holds for every sign-in method",
  "F-10":
    "A callback from a sign-in provider counts once, in the browser that started it, for ten minutes; repeats get the same response",
  "F-11": "Sign-in never redirects to another site",
  "F-12":
    "Arriving first makes no account root, and the first password is random and must be changed",
  "F-13": "A session id that was planted before sign-in is worthless after it",
  "F-14": "The address that a client claims counts only behind a proxy that the operator named",
  "F-15":
    "The welcome quota is granted once per mailbox, even if its account was deleted in between",
  "F-20": "Users who edit their own account change only the fields that belong to them",
  "F-21":
    "A token grants no more rights than its owner has, both when it is created and at each use",
  "F-22": "Every operation has a role, and every lower role is refused",
  "F-23": "What sign-in issues opens no more than the role of the user who signed in",
  "F-24": "Lists and records of accounts contain no password, hash, secret or access token",
  "F-25": "Administrators cannot raise their own role, change their peers or remove the last root",
  "F-26": "What belongs to another user is answered as if it did not exist",
  "F-27": "The same holds for showing and renewing keys",
  "F-28": "Maintenance (clearing, testing all channels, balances) is for administrators",
  "F-29":
    "A restriction of a key holds in every header that carries the key, and a key in the address is not accepted",
  "F-30": "What is encrypted or mailed for one purpose is worthless for another",
  "F-31":
    "Without a valid key the gateway opens no connection to a provider, not even for a WebSocket",
  "F-32": "No response contains a provider's key",
  "F-40": "A redemption code pays once, however many users race for it",
  "F-41": "A used code stays used",
  "F-42": "A payment is credited once, for the amount that was paid",
  "F-43": "However many calls arrive at once, they spend no more than the balance",
  "F-44": "The same holds for a token's own limit and for accounts and tokens created a moment ago",
  "F-45": "The hold of a call whose client disconnected is released at once",
  "F-46": "A refund is paid once, whatever fails in between and is retried",
  "F-47":
    "A client that disconnects before the usage is reported pays for what it received, in every API format",
  "F-48": "The text of an error is not output and costs nothing",
  "F-49": "A client that disconnects before the first word pays nothing, and the log row says why",
  "F-50":
    "The provider's call ends with the client's, and the gateway makes no further attempt for a disconnected client",
  "F-51": "Reading on after the client has disconnected is bounded in number, time and bytes",
  "F-52": "Ids that clients send are labels: repeating one makes no call free",
  "F-53": "A call that failed on several channels is charged once, for the channel that answered",
  "F-54": "A response that costs more than the balance takes what remains and records the rest",
  "F-55": "No charge exists in memory alone: a killed process loses no settled charge",
  "F-56": "Under load every log row and charge belongs to the client that made the call",
  "F-57":
    "Deleting, disabling or expiring a token moves no balance, and no usage that a provider reports makes a charge negative",
  "F-58": "Numbers that overflow, are fractions or are not numbers are refused or handled exactly",
  "F-59": "No amount can be set below zero or to a fraction",
  "F-60":
    "SQL in any credential, header, path or body is treated as text, also when the call fails",
  "F-61": "Lists are sorted only by column names from our own lists",
  "F-62": "Search matches its input literally, and runs one search per user at a time",
  "F-63": "The log does not grow without bound, and clearing it blocks no other work",
  "F-64": "Forms and bodies crafted to be slow to parse are refused soon",
  "F-65": "No regular expression takes long on hostile text",
  "F-66": "Names that have a meaning in the language (__proto__, constructor) are ordinary names",
  "F-67": "Nothing that arrives over HTTP is evaluated, started or loaded",
  "F-68": "Names with line ends or formulas break no log line, header or spreadsheet",
  "F-70": "Nothing in a call decides its destination or its key",
  "F-71": "The gateway calls no private address unless the operator allows it",
  "F-72": "No spelling of a private or reserved address passes for a public one",
  "F-73": "Redirects are not followed, and no key goes to a second host",
  "F-74": "The address that is checked is the address that is called",
  "F-75":
    "A name that resolves differently later changes nothing: the gateway calls the checked address",
  "F-76": "The gateway never opens addresses of images, files and tools in messages",
  "F-77": "The server never fetches addresses that the console shows",
  "F-78": "A model's name changes neither host nor path of the provider's address",
  "F-79": "A stored key goes only to the host that it was entered for and is never shown",
  "F-80": "Only headers on our lists go to a provider and come back from it",
  "F-81": "A request that two servers could parse differently is refused, and the connection ends",
  "F-90": "Texts of the operator run no script",
  "F-91": "Markdown is sanitised after it became HTML, and again when it is read from a cache",
  "F-92":
    "Links lead only to web addresses, and the browser's storage holds nothing that opens /api",
  "F-93": "No renderer writes markup when it fails: one place writes HTML",
  "F-94": "No frame shows a page of our own",
  "F-95": "The console shows model output as text",
  "F-96": "Names that users choose are text in every list, dialog and file",
  "F-97": "No other site can frame a page, and no response of the API is cached",
  "F-100": "No log line, error, trace or page contains more than eight characters of a key",
  "F-101": "Errors contain neither the provider's address nor a key in it",
  "F-102": "Text alone takes no channel out of service: it may be the client's own",
  "F-103": "The database stores no key, code, seed, session or password in plain text",
  "F-110": "Memory does not grow with the length of responses",
  "F-111": "A limiter uses no more memory than its keys may, whatever limit is set",
  "F-112": "Nothing leaks over days",
  "F-113": "A connection that ends at any moment, on either side, affects no other connection",
  "F-114": "An interrupted response never looks complete",
  "F-115": "A stream may last as long as data arrives: only silence is limited",
  "F-116": "Each part reaches the client when it arrives",
  "F-117": "A client that hangs up right after the last event has everything: a success",
  "F-118": "Counting a prompt takes bounded time and never fails, whatever it contains",
  "F-120": "Concurrent writes to the same accounts lose nothing to deadlocks",
  "F-121": "One busy account does not slow the others down",
  "F-122":
    "A restart of PostgreSQL, idle or under load, ends no process and is over within five seconds",
  "F-123": "A frozen Redis delays no request",
  "F-124":
    "A name that is already taken is reported in plain words, without any text of the database",
  "F-125":
    "A client that calls too often is told how long to wait, and other clients notice nothing",
  "F-126":
    "A migration is complete or not done at all, and an older program refuses a newer schema",
  "F-130": "Packages are locked to their content, run no scripts, and are few",
  "F-131": "The program runs on a maintained Node, and is tested on it",
  "F-132": "That no failures of some gateways are known says nothing about them",
};

/**
 * `securityFindings` are what a penetration test with the full source found, each as the promise
 * that it holds no longer.
 */
export const securityFindings: Readonly<Record<string, string>> = {
  "S2-01":
    "A stream that ends before its final usage costs the provider's prompt and at least what was delivered; placeholders count nothing",
  "S2-02":
    "What a provider counts is charged exactly up to a ceiling, for searches, files, addresses, stored conversations and thinking too",
  "S2-03":
    "Output in members that the gateway does not know is content: it is neither held back nor free",
  "S2-04":
    "A hold covers every limit, answer, prompt and member of a request; what exceeds it is a debt that the next credit pays first",
  "S2-05":
    "An access token ends with whatever ends other sign-ins, its age and last use are shown, and it can be removed",
  "S2-06":
    "The values of custom headers are sealed, appear in no reply, and leave for no other destination",
  "S2-07":
    "An answer that was too large, or that never came, is asked for once, and the prompt and what arrived are charged",
  "S2-08":
    "A member of a request that changes the model or the price is charged for, or refused by its name, and obeys the key's list of models",
  "S2-09":
    "A stranger who guesses passwords keeps no owner out: each place and each known browser has tries of its own",
  "S2-10":
    "A provider key leaves for no other scheme, host, port or type, nor for another path on a shared host, and no test shows a run of it",
  "S2-11":
    "No username is a mail address, and a login with an @ finds the owner of the address first",
  "S2-12":
    "What a provider keeps of a user's calls (responses, containers, files) is named by that user alone, and its id is stored before the client learns it",
  "S2-13": "The name and the mail address of an account share the limits on failed sign-ins",
  "S2-14": "A realtime message that the gateway cannot read passes in neither direction",
  "S2-15":
    "A client that leaves between the end of the output and its usage pays the usage that the provider reports then",
  "S2-16":
    "Usernames that look the same belong to one account: blanks, case, invisible and look-alike letters make no difference",
  "S2-17": "The restriction to mail domains holds in the own profile too",
  "S2-18":
    "Where addresses are verified, registration tells whether an address has an account to its mailbox alone",
  "S2-19":
    "A provider's words about the operator's account reach neither clients nor users' log rows",
  "S2-20": "Counting tokens, which is free, is limited for each user over all their API keys",
  "S2-21":
    "What strangers and users can pile up is bounded: unknown keys, states of sign-ins, lines of the log, tokens",
  "S2-22": "A kept response is for API keys that may use the model which wrote it",
  "S2-23":
    "What an administrator issues by codes, top-ups, edits and first quotas is bounded for each UTC day, also for acts at once; what exceeds the bound waits for root",
  "S2-24":
    "Database, write-ahead log and copies are readable by their owner alone, also in a folder that exists",
  "S2-25": "Reasoning that a provider counts in the total alone is charged as output",
};

/** What a program may do with a management key, and what a stolen one is worth. */
export const managementKeyPromises: Readonly<Record<string, string>> = {
  "MK-01":
    "A management key calls the operations of its scopes alone, and never more than its maker may at that moment",
  "MK-02":
    "No management key makes keys, changes how anyone signs in, or moves money without the scope that root alone gives",
  "MK-03":
    "A management key cannot become a person with more rights: it changes ordinary users alone, and neither role, password nor mail address",
  "MK-04":
    "A management key works from its networks and until its end, and reveals nothing about itself elsewhere",
  "MK-05":
    "A management key ends with its maker's account and with what ends the maker's other sign-ins, on every node at once",
  "MK-06":
    "The record of changes names the key beside its maker; the key itself is shown once and stored as a hash",
};

/** `dualRunPromises` are those of a dual run with the gateway of before. */
export const dualRunPromises: Readonly<Record<string, string>> = {
  "DR-01":
    "During a dual run the gateway of before answers with the caller's own key, and no wallet, key, budget or ledger here moves by a unit, whatever is called and however it ends",
  "DR-02":
    "A dual run is root's, with recent proof of identity; its address passes the policy of outgoing requests, and it ends by itself",
};

/** `passkeyPromises` are those of passkeys. */
export const passkeyPromises: Readonly<Record<string, string>> = {
  "PK-01":
    "A passkey signs in only with the signature of its key over this server's origin and an answer that was made for it, with the user verified",
  "PK-02":
    "A challenge is good for one answer, of the browser that asked for it, for its purpose and its user, within five minutes",
  "PK-03":
    "An unknown passkey is refused like a wrong one, and neither reveals which accounts exist",
  "PK-04":
    "A passkey whose counter goes back is refused, and its owner and the record of changes learn of it",
  "PK-05":
    "Passkeys are added and removed with recent proof alone, and the last way to sign in stays",
};

/** `budgetPromises` are what a budget keeps. */
export const budgetPromises: Readonly<Record<string, string>> = {
  "BU-01":
    "However many calls arrive at once, on however many budgets, what they hold and spend passes no hard budget but by what a charge exceeds its hold",
  "BU-02":
    "Every moment lies in exactly one window of a budget, in every time zone and over every change of clocks",
  "BU-03":
    "A call counts in the window in which it began, and what a budget spent is the sum of the charges",
  "BU-04":
    "A budget's refusal is sent again by no client library, and tells the site's sums to no caller",
};

/** `batchPromises` are what a batch at a provider costs. */
export const batchPromises: Readonly<Record<string, string>> = {
  "BA-01":
    "A batch is charged once, with what its answers used, however many nodes and clients ask, and wherever a process dies",
  "BA-02":
    "No provider is told of a batch before each of its lines is allowed and the whole is held",
  "VI-01":
    "A video is charged once, for what its provider made at the price of its start, and costs nothing where it was not made",
  "VI-02": "No provider is told of a video before it is allowed, priced and held",
};

/** `mcpPromises` are what passes between API keys and MCP servers. */
export const mcpPromises: Readonly<Record<string, string>> = {
  "MC-01":
    "A tool that an API key may not use is neither listed nor called, by one rule over the server, its groups and the key",
  "MC-02":
    "A tool's price is held before its server hears of the call, and charged once for a result; an error, a refusal, silence and a question cost nothing",
  "MC-03":
    "An MCP server is called at public addresses alone, with the operator's headers and never the client's key, and no client, row or trace shows those headers",
};

/** What operators are told, and what a destination of notices can be made to do. */
export const alertPromises: Readonly<Record<string, string>> = {
  "AL-01":
    "An alert is told once when it begins and once when it ends, however many events, nodes and crashes there are; only a crash between sending and noting sends again, with the same id",
  "AL-02":
    "A destination of notices leads to no inner address and follows no redirect, and no name in a notice is markup or calls people",
  "AL-03":
    "A webhook is signed by Standard Webhooks; addresses and secrets of destinations are sealed, and shown once or never",
  "AL-04":
    "Nothing but a code goes to a receiver that a user names, few codes a day whichever users ask, until that user has typed it; what is a user's is told to that user alone",
};

/** `invariants` are what is true of money at every moment. */
export const invariants: Readonly<Record<string, string>> = {
  "I-1": "A balance is what the ledger credited minus what it debited",
  "I-2":
    "What a user, a token or a channel has used is the sum of their charges, whatever was deleted or cleared",
  "I-3": "The log rows and what was cleared of them add up to the used quota",
  "I-4":
    "No balance is below zero, neither before nor after its holds are subtracted; what a charge exceeds them by is a debt",
  "I-5": "Every hold is charged or released exactly once, and none remains",
  "I-6": "A call is charged at most once, however often its charge is sent",
  "I-7": "A call costs what the successful attempt used; failed attempts cost nothing",
  "I-8": "A code pays once, and a used one stays used",
  "I-9": "Codes have paid what used codes say; of a batch all codes are created or none",
  "I-10": "A credit that is sent again with its idempotency key is granted once",
  "I-11":
    "A manual change of a balance is in the ledger and in the audit trail, and undoes no charge",
  "I-12":
    "The holds of a token never exceed its limit, nor those of one without a limit its owner's balance",
  "I-13":
    "A call is charged at the price of its start, which its log row stores; later prices change nothing",
  "I-14": "Amounts are integers, rounded up once, never negative",
  "I-15": "A client that disconnects pays as the policy says",
  "I-16": "Refused calls and tests of channels cost no user anything",
  "I-17":
    "Deleting or disabling users, tokens and channels creates and destroys no quota; running calls are charged",
  "I-18": "A restored copy has books that agree",
  "I-19": "Issued quota is in balances or was charged: there is no other quota",
  "I-20":
    "Dashboard, log, lists of users and tokens, and the ledger show the same totals for the same days",
};

/** What can go wrong around a gateway, and what is promised then. */
export const faults: Readonly<Record<string, readonly [fault: string, promise: string]>> = {
  "FT-01": [
    "kill -9 while streams run",
    "Starts again without delay; holds end, settled charges stay, the books agree",
  ],
  "FT-02": [
    "kill -9 between the provider's end and the charge",
    "Recorded output is charged; at most three seconds of it are lost",
  ],
  "FT-03": [
    "SIGTERM while streams run",
    "Streams finish and are charged, new calls are refused with Retry-After, the exit code is 0",
  ],
  "FT-04": [
    "A second SIGTERM",
    "Ends at once: clients receive an error, delivered output is charged, the exit code says so",
  ],
  "FT-05": [
    "A provider that hangs: no connection, no response head, silence in the middle",
    "Streaming clients are kept alive; after 10 s without a connection another channel, after 120 s of silence an error",
  ],
  "FT-06": [
    "A provider that answers 500, 502, 529",
    "Another channel, before the first word only; the failed one is suspended; one charge",
  ],
  "FT-07": [
    "A provider that answers 429 with any Retry-After",
    "Honoured up to a minute; the client is told when all channels are limited",
  ],
  "FT-08": [
    "A provider that refuses the operator's key",
    "The channel goes out of service, the client gets 502 or 503, no console session ends",
  ],
  "FT-09": [
    "Malformed streams",
    "Valid events arrive, invalid ones end the stream with an error; memory stays small",
  ],
  "FT-10": [
    "A provider that closes half-way",
    "An error, never a false end; nothing is left behind",
  ],
  "FT-11": [
    "SQLite locked by another process",
    "Calls wait for some seconds, then are refused unserved; reads continue",
  ],
  "FT-12": [
    "Disk full",
    "New calls are refused, running ones end and are charged, free space alone restores service",
  ],
  "FT-13": [
    "A damaged database file",
    "The program refuses to start, says what to do, and leaves the file unchanged",
  ],
  "FT-14": [
    "PostgreSQL restarts, drops connections, is slow",
    "The same process answers within 5 s; statements in doubt are sent again by their id",
  ],
  "FT-15": ["Serialisation failures and deadlocks", "Retried, nothing is lost"],
  "FT-16": [
    "Redis down, frozen, slow, emptied",
    "No request waits for it, and no safety depends on it",
  ],
  "FT-17": [
    "One of two nodes on one PostgreSQL and one Redis changes something, or is killed under load",
    "Both agree on keys, prices, limits, settings and lockouts; the death of one loses nothing",
  ],
  "FT-18": ["The clock jumps", "Calls, sessions and the log continue; no negative durations"],
  "FT-19": [
    "10,000 streams at once",
    "Served or refused early, within a bound of memory, each client with its own words",
  ],
  "FT-20": [
    "File descriptors or memory run out",
    "Open streams continue, new calls are refused, no crash",
  ],
  "FT-21": [
    "Clients that read slowly",
    "The provider is slowed down; a client that reads nothing for a minute is disconnected and charged for what it received",
  ],
  "FT-22": ["Clients that write slowly", "Disconnected, and other clients notice nothing"],
  "FT-23": [
    "Bodies that are giant, endless, compressed or of a wrong length",
    "Refused before they are stored",
  ],
  "FT-24": ["Text that is not valid text", "Refused or harmless, on both databases"],
  "FT-25": ["JSON that is deep, wide, or has repeated members", "400 or 413, soon"],
  "FT-26": ["Endless headers, invalid methods and versions", "431 or 400, and the connection ends"],
  "FT-27": [
    "The same request twice",
    "Money moves once where an idempotency key says so; calls of the relay are charged each",
  ],
  "FT-28": [
    "A network that loses, reorders or half-closes",
    "Deadlines as above; a part is never taken for the whole, and what arrived is what is charged",
  ],
  "FT-29": ["A mail server that is down or slow", "No request waits for it; mails are retried"],
  "FT-30": [
    "A sign-in provider that is slow, broken or sends nonsense",
    "Reported as such; the sign-in can be tried again",
  ],
  "FT-31": [
    "A bug: an uncaught error",
    "The process finishes running calls and ends, for its supervisor to restart it",
  ],
  "FT-32": [
    "Wrong settings at the start",
    "One line that names the variable, before the program listens",
  ],
  "FT-33": [
    "Several users edit the same thing",
    "The second one is told; no change is lost silently",
  ],
  "FT-34": [
    "One user or one stranger takes what all share",
    "A share of it at most; nobody else notices",
  ],
  "FT-35": [
    "Calls of an account that can pay for nothing",
    "Refused before they take memory, and before the operator's guard or a provider is asked; what is free is served",
  ],
};

/** `notApplicable` says why a promise has no meaning here. */
export const notApplicable: Readonly<Record<string, string>> = {
  "F-42": "there is no callback of a payment provider: administrators and codes grant quota",
  "F-132": "a remark about sources, not a failure",
};

/** `leftOut` is what no test shows of a promise. */
export const leftOut: Readonly<Record<string, string>> = {
  "F-62": "the benchmarks, not a test, measure how long it takes over a million rows",
  "F-63":
    "the benchmarks measure lists and charts at a million rows; nothing has run with ten million",
  "F-110":
    "the test has 24 streams; `node benchmarks/src/streams-benchmark.ts --long 500 --tokens 650000` is the command for more",
  "F-112": "no test runs for days: Large runs says how long a soak ran and how memory changed",
  "F-121":
    "`node benchmarks/src/settle-benchmark.ts` measures how long it takes; Large runs has the figure",
  "F-130":
    "`node scripts/reproducible.ts` compares two installed builds byte by byte, outside of these tests; there is no container image",
  "FT-01": "three kills each time; hundreds under load are among the large runs",
  "FT-17": "within a second on an idle machine; the tests allow a busy one five",
  "FT-19":
    "the tests open 500; `node benchmarks/src/streams-benchmark.ts --open 7500` is the command for more (9500 need 24,000 descriptors)",
  "FT-28":
    "lost packets are pauses of our own proxy: the kernel's handling of real ones is not tested",
};

export const promiseIds: readonly string[] = [
  knownFailures,
  securityFindings,
  managementKeyPromises,
  passkeyPromises,
  signInPromises,
  dualRunPromises,
  budgetPromises,
  batchPromises,
  mcpPromises,
  alertPromises,
  invariants,
  faults,
].flatMap((texts) => Object.keys(texts));

/** For the configuration of Vitest, which refuses a tag that is not defined. */
export const promiseTags: { name: string; description: string }[] = [
  ...Object.entries({
    ...knownFailures,
    ...securityFindings,
    ...managementKeyPromises,
    ...passkeyPromises,
    ...signInPromises,
    ...dualRunPromises,
    ...budgetPromises,
    ...batchPromises,
    ...mcpPromises,
    ...alertPromises,
    ...invariants,
  }),
  ...Object.entries(faults).map(([id, [fault, promise]]) => [id, `${fault}: ${promise}`] as const),
].map(([name, description]) => ({ name, description }));
