/** What can go wrong around a gateway, what is promised then, and the tests that show it. */
import type { Evidence } from "./promise.ts";

export interface Fault extends Evidence {
  fault: string;
  promise: string;
}

const own = "tests/src/trust/faults.api.test.ts";
const network = "tests/src/trust/network-faults.api.test.ts";
const load = "tests/src/trust/overload.api.test.ts";
const broken = "tests/src/trust/broken-connections.api.test.ts";
const redis = "tests/src/trust/redis-faults.api.test.ts";
const nodes = "tests/src/trust/multiple-nodes.api.test.ts";
const stops = "tests/src/relay/shutdown.api.test.ts";
const streams = "tests/src/relay/streams.api.test.ts";
const bodies = "tests/src/relay/bodies.api.test.ts";
const raw = "tests/src/trust/raw-requests.api.test.ts";
const channels = "tests/src/relay/channels.api.test.ts";
const refusals = "tests/src/relay/refusals.api.test.ts";

export const faults: readonly Fault[] = [
  {
    fault: "kill -9 while streams run",
    promise: "Starts again without waiting; holds end, settled charges stay, the books agree",
    tests: [
      [stops, "three kills with open streams on SQLite: each start leaves nothing open"],
      [stops, "three kills with open streams on PostgreSQL: when the leases have run out nothing is open"],
      [
        "tests/src/api/redemption-crash.api.test.ts",
        "kill -9 amid redemptions pays each code once, however often it is sent again",
      ],
    ],
    open: "three kills each time; hundreds under load are among the large runs",
  },
  {
    fault: "kill -9 between the provider's end and the charge",
    promise: "What was recorded as delivered is charged, at most three seconds of it are lost",
    tests: [
      [
        "gateway/src/money/sweep.db.test.ts",
        "settles what was recorded as delivered, with a row and a trace, and releases everything else",
      ],
    ],
  },
  {
    fault: "SIGTERM while streams run",
    promise: "They finish and are charged, new calls are refused with Retry-After, the exit code is 0",
    tests: [
      [stops, "SIGTERM: running streams finish and are settled, new calls are refused, the exit code is 0"],
      [stops, "SIGTERM: an answer that a slow reader has not taken yet still reaches him whole"],
    ],
  },
  {
    fault: "A second SIGTERM",
    promise: "Ends at once: callers are told, what came is charged, the exit code says so",
    tests: [
      [
        stops,
        "a second SIGTERM ends at once, tells the callers, settles what was delivered, and says so in the exit code",
      ],
    ],
  },
  {
    fault: "A provider that hangs: no connection, no head, silence in the middle",
    promise: "Callers of streams are kept alive; after 10, 120 and 120 s another channel or an error",
    tests: [
      [own, "the provider's process is frozen and goes on: its streams go on as well"],
      [streams, "while an upstream that has answered keeps silent, comments reach the caller every few seconds"],
      ["tests/src/relay/timeouts.api.test.ts", "%s: the caller is told, nothing is charged, the trace says why"],
      ["tests/src/relay/timeouts.api.test.ts", "%s: the stream says how it ends, and what came is paid for"],
      [
        network,
        "a provider that takes no connection: another channel answers when the time is over, and alone it is told",
      ],
    ],
  },
  {
    fault: "A provider that answers 500, 502, 529",
    promise: "Another channel, before the first word only; the failed one rests; one charge",
    tests: [
      [
        "tests/src/relay/money.api.test.ts",
        "200 calls whose first three channels fail are answered by the fourth and billed once each",
      ],
      ["gateway/src/relay/routing/choose-channels.test.ts", "keeps a channel that just failed as the last resort"],
    ],
  },
  {
    fault: "A provider that answers 429 with any Retry-After",
    promise: "Honoured up to a minute; the caller is told when all channels are limited",
    tests: [
      [
        channels,
        "Retry-After is honoured: the next call goes elsewhere at once; when all are limited the caller is told when",
      ],
      [channels, "an absurd Retry-After rests the channel for a minute at most"],
    ],
  },
  {
    fault: "A provider that refuses the operator's key",
    promise: "The channel goes out of service, the caller gets 502 or 503, no console is signed out",
    tests: [
      ["tests/src/relay/automatic-status.api.test.ts", "are out of service from then on, and say why"],
      [refusals, "an upstream that refuses the operator's key (%i) is no fault of the caller's"],
      [
        "contract/src/contract.test.ts",
        "only 401 and 403 carry the phrases on which consoles sign out, and all of them do",
      ],
    ],
  },
  {
    fault: "Malformed streams",
    promise: "Good events arrive, bad ones end the stream with an error; memory stays small",
    tests: [
      [streams, "cut at every byte: the same words arrive and the same is charged"],
      [
        streams,
        "with a line of 10 MB: the stream ends with an error, what came before is there, and the memory stays small",
      ],
      ["gateway/src/relay/wire/sse-splitter.test.ts", "garbage of any kind never throws below the bound"],
      [
        "tests/src/trust/streams/replay-stream.test.ts",
        "five hundred generated streams are read as a plain reader reads them, each cut in sixteen ways",
      ],
    ],
  },
  {
    fault: "A provider that closes half-way",
    promise: "An error, never a false end; nothing is left behind",
    tests: [
      [broken, "F-113 an upstream that ends"],
      [broken, "F-114 an answer that breaks off never looks like a whole one"],
    ],
  },
  {
    fault: "SQLite locked by another process",
    promise: "Calls wait for some seconds, then are refused unserved; what only reads goes on",
    tests: [
      [own, "another process locks the file: calls wait, then are refused unserved, and work again when it lets go"],
    ],
  },
  {
    fault: "Disk full",
    promise: "New calls are refused, running ones end and are charged, space alone heals it",
    tests: [[own, "the disk is full: new calls are refused, running ones end, and space alone heals it"]],
  },
  {
    fault: "A database file that is damaged",
    promise: "The program refuses to start, says what to do, and leaves the file as it is",
    tests: [
      [own, "a damaged file: the program refuses to start, says what to do, and leaves the file as it is"],
      ["gateway/src/storage/migrate.db.test.ts", "a file that is no database is refused and left as it is"],
    ],
  },
  {
    fault: "PostgreSQL restarts, drops connections, is slow",
    promise: "The same process answers within 5 s; what was in doubt is asked again by its id",
    tests: [
      [
        own,
        "F-122 the server restarts three times under load, and once with nobody there: the same process answers within 5 s",
      ],
      [
        own,
        "PostgreSQL ends the gateway's connections again and again: nobody is served unbilled, and nothing is lost",
      ],
      [own, "PostgreSQL holds a table for two seconds: calls wait for it, and are all served and charged"],
      [network, "lost packets and connections that break again and again: nobody is served unbilled"],
      [network, "a single connection to it is enough: calls wait for their turn"],
    ],
  },
  {
    fault: "Serialisation failures and deadlocks",
    promise: "Tried again, nothing is lost",
    tests: [["gateway/src/money/money-model.db.test.ts", "in parallel every hold ends once, and the books agree"]],
  },
  {
    fault: "Redis down, frozen, slow, emptied",
    promise: "Nobody waits for it, and no safety depends on it",
    tests: [
      [redis, "F-123 frozen, it holds nobody up after a second: the breaker is open and the node counts alone"],
      [redis, "slow, it is as good as away, and used again when it is quick"],
      [redis, "killed and begun again empty, it costs no call, and one line of the log each time"],
      [redis, "what may happen once happens once, although Redis has gone meanwhile"],
      [redis, "emptied, it takes neither balances nor lockouts along"],
      [redis, "a wrong password for it is said without the password, and the gateway runs"],
      [redis, "an address at which nothing answers delays the start by a second and nothing else"],
    ],
  },
  {
    fault: "One of two nodes on one PostgreSQL and one Redis changes something, or is killed under load",
    promise: "Both agree on keys, prices, limits, settings and lockouts; the death of one loses nothing",
    tests: [
      [nodes, "the limits of a key and of a channel are shared to the last call"],
      [nodes, "calls that run at the same time are counted together, and their places are free when they end"],
      [nodes, "keys, prices, limits, channels, options and sessions that one node changes are in force on the other"],
      [nodes, "failures to sign in lock an account on both nodes"],
      [nodes, "kill -9 of one node under load: the other goes on, nothing is lost, the books agree"],
    ],
    open: "within a second on an idle machine: the tests give a busy one five",
  },
  {
    fault: "The clock jumps",
    promise: "Calls, sessions and the log go on; no negative durations",
    tests: [
      [own, "the clock jumps an hour ahead, an hour back and ten years ahead while calls run"],
      [own, "the clock stands still while calls run: each has an id of its own, and streams come to their end"],
      ["gateway/src/storage/time-ids.test.ts", "never repeats and never goes back, whatever the clock does"],
    ],
  },
  {
    fault: "10,000 streams at once",
    promise: "Served or refused early, within a bound of memory, each caller his own words",
    tests: [
      [load, "five hundred streams at once: each caller gets his own words and nobody else's"],
      [
        load,
        "512 descriptors and a flood: open streams end well, new calls get 503 early, and it is over with the flood",
      ],
    ],
    open: "the tests open 500; `node benchmarks/src/streams-benchmark.ts --open 7500` is the command for more (9500 need 24,000 descriptors)",
  },
  {
    fault: "File descriptors or memory run out",
    promise: "Open streams go on, new calls are refused, no crash",
    tests: [
      [own, "file descriptors run out: open streams go on, and when the flood is over new calls are served"],
      [
        load,
        "512 descriptors and a flood: open streams end well, new calls get 503 early, and it is over with the flood",
      ],
      [load, "a refusal is worded as each interface words it"],
      [load, "a small heap and a flood: no crash, open streams end well, and whoever is refused is told"],
      [
        load,
        "a small heap and more large bodies than it has room for: the rest is refused unread, small calls and 400 streams go on",
      ],
      [
        "gateway/src/http/body-memory-budget.test.ts",
        "bodies have room until it is full, and again when one of them is over",
      ],
      ["gateway/src/http/load-shedding.test.ts", "one pause of any length is no lag, a loop that stays late is"],
    ],
  },
  {
    fault: "Callers who read slowly",
    promise: "The provider waits; who takes nothing for a minute is dropped and charged for what came",
    tests: [
      [streams, "readers who take nothing hold the upstream back, and cost the gateway no memory"],
      [stops, "a reader who takes nothing for a minute is dropped, the upstream is told, and what was sent is settled"],
      [load, "who reads slowly but steadily is not cut, however much waits for him (stream: %s)"],
      [load, "who takes nothing is cut (stream: %s)"],
    ],
  },
  {
    fault: "Callers who write slowly",
    promise: "Cut off, and nobody else notices",
    tests: [
      [broken, "many who write slowly are cut off in time, and nobody else notices"],
      [broken, "bodies that come a byte a second are refused within the time of a head, and cost nothing"],
      ["gateway/src/http/body-timeout.test.ts", "and comes too slowly is told once"],
      ["gateway/src/http/body-timeout.test.ts", "and comes fast enough is left alone, however long it takes"],
    ],
  },
  {
    fault: "Bodies that are giant, endless, compressed or of a wrong length",
    promise: "Refused before they are kept",
    tests: [
      [broken, "pieces without end are cut off at their bound, and cost no memory"],
      [bodies, "that says so is refused before any of it is sent, and the connection ends"],
      [refusals, "415: a compressed body"],
      [bodies, "too small: the rest is no second call"],
    ],
  },
  {
    fault: "Text that is no text",
    promise: "Refused or harmless, on both databases",
    tests: [
      [bodies, "that is no UTF-8 does no harm"],
      [bodies, "such as NUL and half characters in the words and in the names"],
      ["tests/src/relay/money.api.test.ts", "a refusal ends its call whatever its text holds"],
    ],
  },
  {
    fault: "JSON that is deep, wide, or says things twice",
    promise: "400, soon",
    tests: [
      [bodies, "$place ($name) is 400"],
      [refusals, "a member that is there twice, because two readers may read two things"],
    ],
  },
  {
    fault: "Headers without end, methods and versions that are none",
    promise: "431 or 400, and the connection ends",
    tests: [
      [bodies, "of more than 16 kB are refused with 431"],
      [bodies, "that never end are refused as well"],
      [bodies, "%s is 400 and the end"],
      [raw, "there are more than three hundred of them, all distinct"],
      [raw, "raw requests, %s: each ends as it must, and nothing reaches a provider that must not"],
      [raw, "after all of them the same process answers, and has said nothing of a bug"],
    ],
  },
  {
    fault: "The same request twice",
    promise: "Money moves once where a key says so; calls of the relay are charged each",
    tests: [
      [
        "tests/src/api/redemptions.db.test.ts",
        "a call that is sent again with its Idempotency-Key is answered again and pays nothing more",
      ],
      ["tests/src/api/users.db.test.ts", "a top-up is paid once however often it is sent, and its owner sees why"],
      ["tests/src/relay/money.api.test.ts", "a caller's own ids make no call free: equal ids are billed twice"],
    ],
  },
  {
    fault: "A network that loses, reorders or half-closes",
    promise: "Deadlines as above; a part is never taken for the whole, and what came is what is charged",
    tests: [
      [network, "between gateway and provider:"],
      [network, "%s changes nothing"],
      [network, "a %s in the middle is no end, and what went out is charged"],
      [network, "and ends just as the next call goes out on it (%s): that call is sent once more, and billed once"],
      [network, "lost packets and connections that break again and again: nobody is served unbilled"],
    ],
    open: "lost packets are stalls of a proxy of ours: what a kernel makes of real ones is not tried",
  },
  {
    fault: "A mail server that is down or slow",
    promise: "Nobody waits for it; mails are tried again",
    tests: [
      ["tests/src/mail/mailer.test.ts", "a server that is busy is asked again, and the letter is written once"],
      ["tests/src/mail/mailer.test.ts", "a server that stays busy is given up"],
      [network, "a mail server that takes the connection and says nothing keeps nobody waiting"],
    ],
  },
  {
    fault: "A sign-in provider that is slow, broken or talks nonsense",
    promise: "Told as such; the way back stays good",
    tests: [
      [
        "tests/src/api/oauth-sign-in.db.test.ts",
        "a provider that is %s is told as such, and the state stays good for this code",
      ],
    ],
  },
  {
    fault: "A bug: an error that nothing caught",
    promise: "The process finishes what runs and ends, for its supervisor to start anew",
    tests: [
      [own, "an error that nothing caught: what runs ends and is charged, and the process gives way to the next"],
    ],
  },
  {
    fault: "Wrong settings at the start",
    promise: "One line that names the variable, before anything listens",
    tests: [
      ["gateway/src/config.test.ts", "refuses $name=$value and names the variable"],
      ["gateway/src/config.test.ts", "names every bad variable at once"],
      [own, "a disk that cannot be written: the program refuses to start in one line that says so"],
    ],
  },
  {
    fault: "Several people edit the same thing",
    promise: "The second is told; nothing is lost in silence",
    tests: [
      ["tests/src/api/channels.db.test.ts", "a stale edit is refused, a status change audited"],
      ["tests/src/api/tokens.db.test.ts", "of edits at the same moment one wins and nothing is mixed"],
      ["tests/src/api/users.db.test.ts", "an edit of a stale version is refused, and spending makes no version stale"],
    ],
  },
];
