/**
 * How gateways of this kind have failed, F-01 to F-132, each as the promise that it shall not happen here, and the tests
 * that show it. The numbers are those of the list that was collected from their advisories and issues; it has gaps.
 */
import type { Evidence, NamedTest } from "./promise.ts";

export interface KnownFailure extends Evidence {
  id: string;
  promise: string;
}

/** Numbers that the list has, as first and last of each run. */
export const knownRuns: readonly (readonly [first: number, last: number])[] = [
  [1, 15],
  [20, 32],
  [40, 59],
  [60, 68],
  [70, 81],
  [90, 97],
  [100, 103],
  [110, 118],
  [120, 126],
  [130, 132],
];

const inFile =
  (file: string) =>
  (title: string): NamedTest => [file, title];
const credentials = inFile("tests/src/trust/credentials.api.test.ts");
const spending = inFile("tests/src/trust/spending.api.test.ts");
const races = inFile("tests/src/trust/races.api.test.ts");
const outgoing = inFile("tests/src/trust/outgoing-requests.api.test.ts");
const canaries = inFile("tests/src/trust/planted-secrets.api.test.ts");
const keyShapes = inFile("tests/src/trust/provider-key-formats.api.test.ts");
const names = inFile("tests/src/trust/hostile-names.api.test.ts");
const packages = inFile("scripts/npm-packages.test.ts");
const broken = inFile("tests/src/trust/broken-connections.api.test.ts");
const leaks = inFile("tests/src/trust/resource-leaks.api.test.ts");
const busy = inFile("gateway/src/money/busy-account.db.test.ts");
const faults = inFile("tests/src/trust/faults.api.test.ts");
const redis = inFile("tests/src/trust/redis-faults.api.test.ts");
const source = inFile("tests/src/trust/source-rules.test.ts");
const sessions = inFile("tests/src/api/sessions.db.test.ts");
const users = inFile("tests/src/api/users.db.test.ts");
const totp = inFile("tests/src/api/totp.db.test.ts");
const totpLogin = inFile("tests/src/api/totp-login.db.test.ts");
const reset = inFile("tests/src/api/password-reset.db.test.ts");
const registration = inFile("tests/src/api/registration.db.test.ts");
const external = inFile("tests/src/api/oauth-sign-in.db.test.ts");
const protocol = inFile("tests/src/api/protocol.db.test.ts");
const authorisation = inFile("tests/src/api/authorisation.db.test.ts");
const badInput = inFile("tests/src/api/invalid-input.db.test.ts");
const redemptions = inFile("tests/src/api/redemptions.db.test.ts");
const channels = inFile("tests/src/api/channels.db.test.ts");
const logs = inFile("tests/src/api/logs.db.test.ts");
const playground = inFile("tests/src/api/playground.db.test.ts");
const options = inFile("tests/src/api/options.db.test.ts");
const money = inFile("tests/src/relay/money.api.test.ts");
const partial = inFile("tests/src/relay/partial-answers.api.test.ts");
const refusals = inFile("tests/src/relay/refusals.api.test.ts");
const bodies = inFile("tests/src/relay/bodies.api.test.ts");
const streams = inFile("tests/src/relay/streams.api.test.ts");
const stops = inFile("tests/src/relay/shutdown.api.test.ts");
const moneyModel = inFile("gateway/src/money/money-model.db.test.ts");
const addresses = inFile("gateway/src/egress/address-policy.test.ts");
const egress = inFile("gateway/src/egress/egress.test.ts");
const richTexts = inFile("tests/src/trust/rich-text-injections.journey.test.ts");
const textFields = inFile("tests/src/trust/text-injections.journey.test.ts");
const chosenNames = inFile("tests/src/trust/chosen-names.journey.test.ts");

const csvCells: NamedTest = ["contract/src/log-csv.test.ts", "a cell is quoted and cannot run: %j"];
const everyOperation = authorisation("$name");
const foreignIds: NamedTest = ["tests/src/api/ownership.db.test.ts", "$name answers as if it did not exist"];

export const knownFailures: readonly KnownFailure[] = [
  {
    id: "F-01",
    promise: "A credential counts as a whole: no prefix of it, however long, and nothing longer opens anything",
    tests: [
      credentials("F-01 no part of a credential is taken for the whole, although the whole was just used"),
      sessions("a wrong access token and any part of a right one are refused"),
    ],
  },
  {
    id: "F-02",
    promise: "No spelling of a path or Host header reaches a protected operation past its check",
    tests: [protocol("no spelling of a path or Host reaches a protected route without a session")],
  },
  {
    id: "F-03",
    promise: "A session ends everywhere with signing out, a new password, a second factor, disabling and deletion",
    tests: [
      sessions("after logout the cookie is worth nothing, and logging out always succeeds"),
      sessions("a new password ends every other session and works at once"),
      users("a deleted account is signed out at once, its name is free, and its quota stays in the books"),
      users("a new password ends the sessions, and a disabled account is out until it is enabled"),
      totp("it is on once a code of the waiting secret was shown, and all other sessions end"),
    ],
  },
  {
    id: "F-04",
    promise: "Role and status are looked up at each call, never read from what the browser holds",
    tests: [sessions("role and status are those of the moment")],
  },
  {
    id: "F-05",
    promise: "A code of the second factor works once, however many come at once, over restarts and nodes",
    tests: [
      totpLogin("fifty at once with one code, each on a node of its own, give exactly one session"),
      totpLogin("a code works once, also after a restart and on another node"),
    ],
  },
  {
    id: "F-06",
    promise: "The second factor cannot be guessed: few tries, then the password again, and longer and longer waits",
    tests: [
      totpLogin("after five wrong codes the password is needed again, and guessing on takes longer and longer"),
      totpLogin("one try each second"),
    ],
  },
  {
    id: "F-07",
    promise: "Neither words nor time of an answer tell whether an account exists",
    tests: [
      credentials("F-07 a wrong password takes as long for an unknown name as for a known one"),
      sessions("wrong password, unknown user and disabled user are answered alike"),
      reset("known, unknown and disabled accounts are answered alike; only the first gets a mail"),
      registration("known and unknown addresses are answered alike, and only the owner learns of an account"),
    ],
  },
  {
    id: "F-08",
    promise: "A link that resets a password works once, for its address, for ten minutes, and ends all sessions",
    tests: [
      reset("of twenty uses of one link at once, over two nodes, one succeeds"),
      reset("a link is worth nothing to anybody else, after another one, and after ten minutes"),
      reset("the mailed link sets a password, once, and every session ends"),
    ],
  },
  {
    id: "F-09",
    promise: "A rule about who may sign in holds on every way in",
    tests: [
      external("a disabled account is refused and gets no session"),
      external("without registration only those who have an account come in"),
      external("is asked for after the provider, and only its code opens a session"),
      reset("a second factor is asked for as before"),
      registration("%o is honoured"),
    ],
  },
  {
    id: "F-10",
    promise:
      "Coming back from a provider counts in the browser that left, once, for ten minutes; repeats get the same answer",
    tests: [
      external("is good in the browser that asked for it, for ten minutes, for one code"),
      external("gets the same session within a minute, and nothing after it"),
      external("somebody else's code does not bind in a victim's browser"),
    ],
  },
  {
    id: "F-11",
    promise: "After sign-in nobody is led to another site",
    tests: [
      ["console/src/shell/redirect-target.test.ts", "after sign-in %j leads to %j"],
      ["tests/src/journeys/shell.journey.test.ts", "after it, redirect_to %s leads to %s"],
    ],
  },
  {
    id: "F-12",
    promise: "Nobody becomes root by coming first, and the first password is random and must be changed",
    tests: [
      sessions("root gets a made-up password once, an opening balance once, and must change the password"),
      ["tests/src/journeys/first-light.api.test.ts", "the printed password opens nothing but its own replacement"],
    ],
  },
  {
    id: "F-13",
    promise: "A session id that was planted before signing in is worth nothing after it",
    tests: [sessions("a planted session id does not survive signing in, nor does the session before")],
  },
  {
    id: "F-14",
    promise: "What a caller says about its own address counts for nothing unless the operator named the proxy",
    tests: [
      sessions("guessing is slowed down, whether the account exists or not, and whatever the headers claim"),
      refusals("a token outside its addresses"),
    ],
  },
  {
    id: "F-15",
    promise: "The welcome gift is given once for a mailbox, even if its account was deleted meanwhile",
    tests: [registration("a mailbox is welcomed once, even if the account is gone")],
  },
  {
    id: "F-20",
    promise: "Whoever edits their own account changes the fields that are theirs and no others",
    tests: [sessions("one may not become somebody else, whatever the body says")],
  },
  {
    id: "F-21",
    promise: "A token gives no more rights than its owner has, when it is made and each time that it is used",
    tests: [
      credentials(
        "F-21 a token gives no right that its owner does not have, neither when it is made nor when it is used",
      ),
    ],
  },
  {
    id: "F-22",
    promise: "Every operation has a role, and everybody below it is refused",
    tests: [everyOperation, authorisation("the lists name nothing that does not exist")],
  },
  {
    id: "F-23",
    promise: "What signing in hands out opens no more than the role of whoever signed in",
    tests: [
      everyOperation,
      playground("stands in no list, cannot be read or changed as a token, and opens nothing on /api"),
    ],
  },
  {
    id: "F-24",
    promise: "Lists and records of accounts hold no password, hash, secret or access token",
    tests: [
      users("no reply holds a password, a hash or an access token"),
      users("administrators touch neither peers nor those above, and nobody gives a role but root"),
    ],
  },
  {
    id: "F-25",
    promise: "Administrators cannot raise themselves, touch their peers or remove the last root",
    tests: [
      users("administrators touch neither peers nor those above, and nobody gives a role but root"),
      users("of two roots that take each other's role at the same moment one remains"),
      logs("a trace is for the owner and administrators, found by log or by its id"),
    ],
  },
  { id: "F-26", promise: "What belongs to somebody else answers as if it did not exist", tests: [foreignIds] },
  { id: "F-27", promise: "That holds for showing and renewing keys as well", tests: [foreignIds] },
  {
    id: "F-28",
    promise: "Maintenance (clearing, testing all, balances) is for administrators",
    tests: [everyOperation],
  },
  {
    id: "F-29",
    promise: "A restriction of a key holds by whatever header it comes, and a key in an address is none",
    tests: [credentials("F-29 a restriction of a key holds by whatever header the key comes")],
  },
  {
    id: "F-30",
    promise: "What is sealed or mailed for one purpose is worth nothing for another",
    tests: [
      totp("a secret that was sealed for another user or purpose is worth nothing"),
      reset("a code for an address is no link, and a link no code"),
      ["gateway/src/secrets/seal.test.ts", "it opens for no other row, purpose or master key, nor after a change"],
    ],
  },
  {
    id: "F-31",
    promise: "Without a good key no connection to a provider is opened, not even for a WebSocket",
    tests: [credentials("F-31 whoever asks to change to a WebSocket without a good key reaches no upstream")],
  },
  {
    id: "F-32",
    promise: "No answer holds a provider's key",
    tests: [
      canaries("are in no answer to a caller whose provider quotes them"),
      canaries("are in no answer or export for visitors, other people, administrators and root"),
      channels("the provider key goes in and never comes out"),
    ],
  },
  {
    id: "F-40",
    promise: "A redemption code pays once, whoever races for it",
    tests: [redemptions("100 people race for each of 50 codes: each code pays one of them, and the books agree")],
  },
  { id: "F-41", promise: "A used code stays used", tests: [redemptions("a used code is final")] },
  {
    id: "F-42",
    promise: "A payment is credited once, for the amount that was paid",
    notApplicable: "there is no callback of a payment provider: quota is given by administrators and by codes",
  },
  {
    id: "F-43",
    promise: "However many calls come at once, they spend no more than the balance",
    tests: [
      money("200 parallel calls on a balance for 10 spend no more than the balance, and none is served unbilled"),
      moneyModel("500 parallel holds on a balance for 10: exactly 10 are held"),
    ],
  },
  {
    id: "F-44",
    promise: "That holds for a token's own limit and for accounts and tokens that were made a moment ago",
    tests: [
      spending("F-44 someone who has just been made cannot spend more than was given, however many calls come first"),
      money("200 parallel calls on a token for 10 never spend more than the token holds"),
      races("of racers on an account and its tokens exactly as many are served as can pay"),
    ],
  },
  {
    id: "F-45",
    promise: "What was set aside for a call that its caller left is free again at once",
    tests: [
      spending("F-45 of 150 streams that are left at any moment none keeps its hold, and the next call is served"),
    ],
  },
  {
    id: "F-46",
    promise: "A refund is paid once, whatever fails between and is tried again",
    tests: [
      moneyModel("50 parallel replays of one settle charge it once"),
      moneyModel("a settle that cannot be written changes nothing, and its neighbours in the batch stand"),
      ["gateway/src/money/sweep.db.test.ts", "by two nodes at once ends each hold once"],
    ],
  },
  {
    id: "F-47",
    promise: "Whoever leaves before the usage was told pays for what came, in every interface",
    tests: [spending("F-47 who leaves a stream of $name before its usage was told pays for what came")],
  },
  {
    id: "F-48",
    promise: "The text of an error is no output and costs nothing",
    tests: [
      partial("(e) the error's own text is no output"),
      partial("(e) an error inside a stream: what came before it reaches the caller, and nothing more is charged"),
    ],
  },
  {
    id: "F-49",
    promise: "Whoever leaves before the first word pays nothing, and the row says why",
    tests: [
      partial("(c) a caller who leaves before the first byte pays nothing, and the upstream hears of it"),
      partial("(c) a caller of a stream who leaves before the first word pays nothing"),
    ],
  },
  {
    id: "F-50",
    promise: "The provider's call ends with the caller's, and nothing is tried for those who have left",
    tests: [
      partial(
        "(d) a caller who leaves in the middle pays the prompt and what had come, and the upstream is told within a second",
      ),
      spending("F-50 a caller who leaves while the first channel thinks is not tried anywhere else"),
      races("callers who leave a talking or silent provider end its calls and leave nothing taken"),
    ],
  },
  {
    id: "F-51",
    promise: "Reading on after the caller has left is bounded in number, time and bytes",
    notApplicable: "the gateway never reads on: the provider's call ends with the caller's",
  },
  {
    id: "F-52",
    promise: "Ids that callers send are labels: equal ones make no call free",
    tests: [money("a caller's own ids make no call free: equal ids are billed twice")],
  },
  {
    id: "F-53",
    promise: "A call that several channels failed is charged once, for the one that answered",
    tests: [
      money("200 calls whose first three channels fail are answered by the fourth and billed once each"),
      money("a channel that drops connections costs nothing, and neither does a call that every channel fails"),
    ],
  },
  {
    id: "F-54",
    promise: "An answer dearer than what is left takes what is left and records the rest",
    tests: [
      spending("F-54 an answer dearer than all that is left takes all that is left, and the rest is on record"),
      moneyModel("a charge that outgrew its hold takes what is left, and no other call's hold"),
    ],
  },
  {
    id: "F-55",
    promise: "No charge is kept in memory: a killed process loses none that was settled",
    tests: [
      stops("three kills with open streams on SQLite: each start leaves nothing open"),
      stops("three kills with open streams on PostgreSQL: when the leases have run out nothing is open"),
    ],
  },
  {
    id: "F-56",
    promise: "Under load every row and charge belongs to whoever made the call",
    tests: [
      races("mixed calls at once: every answer and row is its caller's, and the drift is 0"),
      spending("F-56 under load with failures and callers who leave every row is of whoever made the call"),
    ],
  },
  {
    id: "F-57",
    promise:
      "Deleting, disabling or expiring a token moves no balance, and no usage of a provider makes a charge negative",
    tests: [
      spending("F-57 a token that is deleted, disabled or expired, full or spent, moves nobody's balance"),
      ["gateway/src/relay/formats/openai-usage.test.ts", "%j counts nothing that could be charged"],
    ],
  },
  {
    id: "F-58",
    promise: "Numbers that overflow, are fractions or no numbers at all are refused or exact",
    tests: [
      refusals("max_tokens %s"),
      badInput("each field of the body of $name"),
      ["gateway/src/money/price.test.ts", "beyond what can be stored is an error, not a wrong number"],
    ],
  },
  {
    id: "F-59",
    promise: "No amount can be set to less than nothing or to a fraction",
    tests: [badInput("each field of the body of $name")],
  },
  {
    id: "F-60",
    promise: "SQL in any credential, header, path or body is text, also where the call fails",
    tests: [credentials("F-60 SQL in any credential, header, path or body of a failing call is text like any other")],
  },
  {
    id: "F-61",
    promise: "Lists are sorted by our own names of columns alone",
    tests: [
      badInput("%s refuses bad values of %s"),
      source("F-61 no name of a column and no direction is pasted into a statement but from our own lists"),
    ],
  },
  {
    id: "F-62",
    promise: "Search takes what was typed literally, and one search of a user at a time",
    tests: [
      logs("searching finds literal text and refuses more than a month"),
      [
        "gateway/src/http/per-user-queue.test.ts",
        "one at a time for each caller, whatever became of the one before, and not endlessly many",
      ],
    ],
    open: "how long it takes over a million rows is measured by the benchmarks, not by a test",
  },
  {
    id: "F-63",
    promise: "The log does not grow without end, and clearing it holds nobody up",
    tests: [
      ["gateway/src/logs/log-retention.db.test.ts", "log rows go when their days are over, their traces with them"],
      ["gateway/src/logs/log-retention.db.test.ts", "more rows than one step removes go as well"],
      ["gateway/src/logs/list-logs.db.test.ts", "a range that ends within a day"],
    ],
    open: "lists and charts are measured at a million rows by the benchmarks; nothing has run with ten million",
  },
  {
    id: "F-64",
    promise: "Forms and bodies that are made to be slow to read are refused soon",
    tests: [
      broken("F-64 a form with %s is refused soon, and others are served meanwhile"),
      bodies("that never end are refused as well"),
    ],
  },
  {
    id: "F-65",
    promise: "No regular expression takes long over hostile text",
    tests: [source("F-65 no regular expression of the server takes long over hostile text")],
  },
  {
    id: "F-66",
    promise: "Names that a language gives a meaning (__proto__, constructor) are names like any other",
    tests: [
      bodies("such as members that a language gives a meaning"),
      refusals("503: a model named %s"),
      ["gateway/src/settings/option-rules.test.ts", "%s is no setting"],
    ],
  },
  {
    id: "F-67",
    promise: "Nothing that comes over HTTP is evaluated, started or loaded",
    tests: [
      source("F-67 the gateway evaluates no text, starts no program and loads no code by a name that it is given"),
    ],
  },
  {
    id: "F-68",
    promise: "Names with line ends or formulas break no log line, header or spreadsheet",
    tests: [
      names("F-68 names with line ends, colours and formulas stay names: one log line, no header, no formula"),
      csvCells,
    ],
  },
  {
    id: "F-70",
    promise: "Nothing in a call says where it goes or with which key",
    tests: [outgoing("F-70 nothing in a call says where it goes or with which key")],
  },
  {
    id: "F-71",
    promise: "Without a word of the operator nothing private is called",
    tests: [outgoing("F-71 without a word of the operator nothing inside is called, whatever a channel says")],
  },
  {
    id: "F-72",
    promise: "No spelling of a private or reserved address passes for a public one",
    tests: [
      addresses("%s: %s is refused with any scheme and port"),
      addresses("are none of the reserved blocks, from their first address to their last"),
      addresses("the corpus has more than 400 spellings, each once"),
      egress("refuses the whole corpus of hostile URLs before it resolves a name or opens a connection"),
    ],
  },
  {
    id: "F-73",
    promise: "A redirect is not followed, and no key goes to a second host",
    tests: [
      outgoing("F-73 a provider that answers %i is not followed to anywhere"),
      egress("does not follow a redirect with status %d, wherever it leads"),
    ],
  },
  {
    id: "F-74",
    promise: "What is checked is what is called",
    tests: [
      addresses("no text of any kind makes the check fail, and what it lets pass is http and not private"),
      egress("does not even resolve what the policy forbids"),
      egress("asks again for every host, and refuses after it has allowed another"),
    ],
  },
  {
    id: "F-75",
    promise: "A name that resolves anew leads nowhere else: the checked address is the one that is called",
    tests: [egress("connects to the address that it checked: a second answer is never asked for")],
  },
  {
    id: "F-76",
    promise: "Addresses of pictures, files and tools in messages are never opened by the gateway",
    tests: [outgoing("F-76 addresses inside messages are for the provider to open:")],
  },
  {
    id: "F-77",
    promise: "Addresses that the console shows are never fetched by the server",
    tests: [outgoing("F-77 addresses that are shown are never fetched, and those that are called follow the policy")],
  },
  {
    id: "F-78",
    promise: "A model's name changes neither host nor path of the provider's address",
    tests: [outgoing("F-78 a name in the address of a call is one segment of it or refused:")],
  },
  {
    id: "F-79",
    promise: "A stored key goes to the host that it was entered for and comes out nowhere",
    tests: [
      channels("another host needs the key again"),
      channels("the provider key goes in and never comes out"),
      [
        "tests/src/api/channel-keys.db.test.ts",
        "stored keys never follow a channel to another host, not even when one is added for it",
      ],
    ],
  },
  {
    id: "F-80",
    promise: "Only headers that we name go to a provider and come back from it",
    tests: [
      [
        "tests/src/relay/channels.api.test.ts",
        "the upstream gets the operator's key and nothing of the caller's headers",
      ],
      outgoing("F-80 nothing that a provider says in its headers reaches the caller but what the answer needs"),
    ],
  },
  {
    id: "F-81",
    promise: "A request that two servers could read differently is refused, and the connection ends",
    tests: [
      broken("F-81 bytes that two readers could read as different calls are refused, and no second answer comes:"),
      bodies("twice, and differently: refused"),
      bodies("together with chunks: refused"),
      [
        "tests/src/trust/raw-requests.api.test.ts",
        "raw requests, %s: each ends as it must, and nothing reaches a provider",
      ],
      ["tests/src/trust/behind-nginx.api.test.ts", "F-81 raw requests, %s: we see no call that nginx has not seen"],
    ],
  },
  {
    id: "F-90",
    promise: "Texts of the operator run no script",
    tests: [
      richTexts("F-90 a page without our defences runs many of them, of every family that is markup"),
      richTexts("F-90 what does run is noticed"),
      richTexts("F-90 F-91 every payload by itself, rendered as its writer sees it"),
      richTexts("F-90 F-91 home page, notice, footer and about"),
      chosenNames("F-90 ends neither the page's settings nor its title"),
    ],
  },
  {
    id: "F-91",
    promise: "Markdown is sanitised after it became HTML, and again when it comes from a cache",
    tests: [
      richTexts("F-90 F-91 every payload by itself, rendered as its writer sees it"),
      richTexts("F-90 F-91 home page, notice, footer and about"),
      richTexts("F-91 what was put where the browser keeps the last rendering"),
    ],
  },
  {
    id: "F-92",
    promise: "Links lead to the web alone, and the browser's storage holds nothing that opens /api",
    tests: [
      textFields("F-92 F-94 addresses that would run are neither framed, linked nor followed"),
      chosenNames("F-92 F-94 %s takes no address that would run, and none with a markup in it"),
      ["console/src/features/topup/payment-link.test.ts", "the link %j leads to %j"],
      ["console/src/components/image-url.test.ts", "the logo %j is loaded from %j"],
      ["console/src/api-call.test.ts", "the relay gets the key and nothing that proves a session"],
      playground("works for its owner under /v1, for a quarter of an hour and a dollar"),
    ],
  },
  {
    id: "F-93",
    promise: "No renderer writes markup where it fails: there is one place that writes HTML",
    tests: [
      textFields("F-93 what %s says when nothing could be loaded"),
      textFields("F-93 $path, which cannot read the answer $data"),
      textFields("F-93 charts by keyboard and as tables"),
      textFields("F-93 suggestions while one searches"),
      source("F-93 F-95 F-96 the console writes HTML in one place, behind its sanitiser, and everything else as text"),
    ],
  },
  {
    id: "F-94",
    promise: "No frame shows a page of our own",
    tests: [
      options("no frame shows a page of our own, by whichever name this server goes"),
      ["console/src/components/iframe-url.test.ts", "%j is framed as %s"],
      textFields("F-92 F-94 addresses that would run are neither framed, linked nor followed"),
      chosenNames("F-92 F-94 %s takes no address that would run, and none with a markup in it"),
    ],
  },
  {
    id: "F-95",
    promise: "What a model says is text in the console",
    tests: [
      chosenNames("their models, tokens and the words of their upstream, in the log, in the trace and as a file"),
      textFields("F-95 the trace of a call, what it says on hover, and the channels to choose from"),
      source("F-93 F-95 F-96 the console writes HTML in one place, behind its sanitiser, and everything else as text"),
    ],
  },
  {
    id: "F-96",
    promise: "Names that users choose are text in every list, dialog and file",
    tests: [
      textFields("F-96 the screens are all that the console has"),
      textFields("F-92 F-95 F-96 %s shows every text as text"),
      textFields("F-96 menus, questions and messages of %s name it as it is called"),
      chosenNames("F-96 names of tokens"),
      chosenNames("F-96 names of redemption codes"),
      chosenNames("F-96 names of channels and of models, also on the page for visitors"),
      chosenNames("F-96 names and browsers of people"),
      chosenNames("F-96 names of groups"),
      chosenNames("their models, tokens and the words of their upstream, in the log, in the trace and as a file"),
      source("F-93 F-95 F-96 the console writes HTML in one place, behind its sanitiser, and everything else as text"),
      csvCells,
      ["gateway/src/mail/mail-messages.test.ts", "names add no header, no line and no markup"],
    ],
  },
  {
    id: "F-97",
    promise: "No page can be framed by another site, and no answer of the API is kept",
    tests: [
      chosenNames("shows nothing in a frame of another site"),
      chosenNames("shows nothing of what somebody saw who has signed out, whichever way one goes back"),
      credentials("F-97 no page may be framed, and nothing of the API may be kept"),
      protocol("every reply says how browsers are to treat it"),
    ],
  },
  {
    id: "F-100",
    promise: "No more than eight characters of a key stand in any log line, error, trace or page",
    tests: [
      keyShapes("F-100 no part of them is in any answer, log line, trace or log row"),
      keyShapes("F-100 nor in a mail that says why a channel was disabled"),
      canaries("are not in what the program printed, at its most talkative"),
      canaries("are in no trace"),
      canaries("are in no answer to a caller whose provider quotes them"),
      ["contract/src/mask-key.test.ts", "the key %j is shown as %j"],
    ],
  },
  {
    id: "F-101",
    promise: "Errors name neither the provider's address nor a key in it",
    tests: [
      keyShapes("F-101 callers learn neither the provider's address nor what the connection failed with"),
      canaries("are in no answer to a caller whose provider quotes them"),
      ["gateway/src/channels/fetch-balance.test.ts", "what goes wrong is told without key or address"],
    ],
  },
  {
    id: "F-102",
    promise: "Words alone take no channel out of service: they may be the caller's own",
    tests: [
      ["tests/src/relay/automatic-status.api.test.ts", "words alone change nothing: they may be the caller's own"],
    ],
  },
  {
    id: "F-103",
    promise: "Keys, codes, seeds, sessions and passwords do not lie in the database as they are",
    tests: [
      canaries("are in no file of the database, nor in a copy of it"),
      totp("neither secret nor codes lie anywhere in clear"),
      [
        "gateway/src/secrets/rotate-key.db.test.ts",
        "every column that is called sealed, and every text that is, has its place in the list",
      ],
    ],
  },
  {
    id: "F-110",
    promise: "Memory does not grow with the length of answers",
    tests: [
      broken("F-110 two dozen long answers at once leave nothing behind"),
      streams("readers who take nothing hold the upstream back, and cost the gateway no memory"),
      bodies("that is sent is not kept in memory"),
    ],
    open: "the test has 24 streams; `node benchmarks/src/streams-benchmark.ts --long 500 --tokens 650000` is the command for more",
  },
  {
    id: "F-111",
    promise: "A limiter costs as much memory as its keys may, whatever limit is set",
    tests: [source("F-111 a limiter costs no more memory than its keys may, whatever limit is set and whoever comes")],
  },
  {
    id: "F-112",
    promise: "Nothing leaks over days",
    tests: [leaks("F-112 what calls leave behind does not grow with their number, however they end")],
    open: "no test runs for days: how long a soak has run, and how memory went, stands under Large runs",
  },
  {
    id: "F-113",
    promise: "A connection that ends at any moment, on either side, harms nobody else",
    tests: [
      broken("F-113 an upstream that ends"),
      broken("F-113 who leaves while the key is looked up leaves nothing that a stop would wait for"),
    ],
  },
  {
    id: "F-114",
    promise: "An answer that broke off never looks whole",
    tests: [
      broken("F-114 an answer that breaks off never looks like a whole one"),
      partial("(b) an upstream that fails before the first word costs nothing (%s)"),
    ],
  },
  {
    id: "F-115",
    promise: "A stream may last as long as something comes: only silence is limited",
    tests: [
      faults("F-115 a stream of more than twenty minutes is cut by nothing, and is kept alive between its words"),
    ],
  },
  {
    id: "F-116",
    promise: "Each piece reaches the caller when it comes",
    tests: [streams("each event reaches the caller when it comes, not when there is enough of it")],
  },
  {
    id: "F-117",
    promise: "Whoever hangs up right after the last event has everything: a success",
    tests: [partial("(d) a caller who hangs up right after [DONE] has everything: a success at the upstream's count")],
  },
  {
    id: "F-118",
    promise: "Counting a prompt takes bounded time and never fails, whatever it holds",
    tests: [
      broken("F-118 a prompt of %s is counted soon and breaks nothing"),
      [
        "gateway/src/relay/counting/tokenizer.test.ts",
        "hostile text of any length is counted within the time of a test",
      ],
    ],
  },
  {
    id: "F-120",
    promise: "Many who write to the same accounts at once lose nothing to deadlocks",
    tests: [
      moneyModel("in parallel every hold ends once, and the books agree"),
      users("administrators' edits and charges at the same moment lose nothing"),
    ],
  },
  {
    id: "F-121",
    promise: "One busy account does not slow the others down",
    tests: [
      busy(
        "F-121 two hundred calls that end together, grants and new holds between them: each counts once, to the unit",
      ),
    ],
    open: "how long it takes is measured by `node benchmarks/src/settle-benchmark.ts` and stands under Large runs",
  },
  {
    id: "F-122",
    promise: "A restart of PostgreSQL, idle or under load, ends no process and is over within five seconds",
    tests: [
      faults(
        "F-122 the server restarts three times under load, and once with nobody there: the same process answers within 5 s",
      ),
      faults(
        "PostgreSQL ends the gateway's connections again and again: nobody is served unbilled, and nothing is lost",
      ),
    ],
  },
  {
    id: "F-123",
    promise: "A frozen Redis holds nobody up",
    tests: [redis("F-123 frozen, it holds nobody up after a second: the breaker is open and the node counts alone")],
  },
  {
    id: "F-124",
    promise: "A name that is taken is told in words, without any of the database's",
    tests: [
      registration("of fifty at once under one name, over several nodes, one gets it"),
      users("a taken name, an unknown group and a short password are refused and leave no wallet behind"),
      [
        "gateway/src/storage/write.db.test.ts",
        "a batch that meets a taken value changes nothing and names the constraint",
      ],
    ],
  },
  {
    id: "F-125",
    promise: "Whoever calls too often is told how long to wait, and nobody else notices",
    tests: [
      [
        "tests/src/api/api-limit.api.test.ts",
        "an address that calls too often is told how long to wait; others and the pages go on",
      ],
      [
        "tests/src/api/api-limit.api.test.ts",
        "F-125 500 calls of one cheap route leave the rest of the page, and everybody else, what they need",
      ],
      [
        "tests/src/api/api-limit.api.test.ts",
        "searches and downloads have few calls of their own, each user for themselves",
      ],
    ],
  },
  {
    id: "F-126",
    promise: "A migration is done or not done, and an older program refuses a newer schema",
    tests: [
      ["gateway/src/storage/migrate.db.test.ts", "a step that fails changes nothing, and the next try can succeed"],
      ["gateway/src/storage/migrate.db.test.ts", "refuses a newer schema and says what to do"],
      [
        "gateway/src/storage/upgrade.db.test.ts",
        "from schema 1 keeps every balance, and codes can be redeemed into it",
      ],
      [
        "tests/src/trust/killed-migrations.api.test.ts",
        "F-126 kill -9 while a large database is brought to the newest schema (%s): the next start completes it",
      ],
    ],
  },
  {
    id: "F-130",
    promise: "Packages are locked to their content, run no scripts, and are few",
    tests: [
      packages("holds a SHA-512 of every package"),
      packages("lets no package run a script at its installation but the one that brings Node.js"),
      packages("brings the gateway's process at most 40 packages"),
    ],
    open: "`node scripts/reproducible.ts` compares two installed builds byte by byte, outside of these tests; there is no image",
  },
  {
    id: "F-131",
    promise: "The program runs on a Node that is maintained, and is tried on it",
    tests: [source("F-131 the gateway asks for a Node that is maintained, and is tried on the one that is locked")],
  },
  {
    id: "F-132",
    promise: "That nothing is known of some gateways says nothing about them",
    notApplicable: "a remark about sources, not a failure",
  },
];
