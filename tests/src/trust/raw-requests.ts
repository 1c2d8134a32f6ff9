// Requests byte by byte, as no client writes them: families of ways in which two readers of HTTP
// have disagreed, been crashed or been kept waiting. RFC 9112 says what a request is; what must
// happen to each is said beside it.

export interface RawRequest {
  family: string;
  name: string;
  /** Latin-1: a letter is a byte. */
  bytes: string;
  wanted: ExpectedRawResponse;
  /** Calls that may reach a provider. */
  reaches: number;
  /** The client ends its side after the bytes: otherwise the gateway would wait for more. */
  isCutOff: boolean;
}

export interface ExpectedRawResponse {
  /** Allowed first digits of the status; `-` is no response. */
  classes: string;
  /** The number of responses; 0 or 1 by default. */
  answers?: number;
  /** `closes` says whether the connection ends on the gateway's side. */
  closes: boolean;
}

const refused: ExpectedRawResponse = { classes: "4", closes: true };
const served: ExpectedRawResponse = { classes: "2", answers: 1, closes: true };
/** `answered` is any handling is allowed except a server error. */
const answered: ExpectedRawResponse = { classes: "234", answers: 1, closes: true };
const served2: ExpectedRawResponse = { classes: "2", answers: 2, closes: true };
const dropped: ExpectedRawResponse = { classes: "4-", closes: true };

interface RawRequestParts {
  key: string;
  /** A call of chat completions that costs something. */
  body: string;
}

type RawRequestCase = readonly [
  name: string,
  bytes: string,
  wanted: ExpectedRawResponse,
  reaches?: number,
];
type RawRequestFamily = (parts: RawRequestParts) => readonly RawRequestCase[];

const hex = (text: string): string => text.length.toString(16);
const chat = "/v1/chat/completions";
const withLines = (first: string, lines: readonly string[], remaining = ""): string =>
  [first, ...lines, "", remaining].join("\r\n");
const shown = (text: string): string =>
  text.length > 60 ? `${text.length} letters` : JSON.stringify(text);
const bytesFrom = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at));
const long = (length: number): string => "x".repeat(length);

/** The lines that make a request one of ours, and its last. */
const ours = ({ key }: RawRequestParts): string[] => [
  "host: gateway",
  `authorization: Bearer ${key}`,
  "content-type: application/json",
  "connection: close",
];

const post = (parts: RawRequestParts, lines: readonly string[], remaining: string): string =>
  withLines(`POST ${chat} HTTP/1.1`, [...ours(parts), ...lines], remaining);
const sized = (parts: RawRequestParts, lines: readonly string[] = []): string =>
  post(parts, [...lines, `content-length: ${parts.body.length}`], parts.body);
const chunked = (
  parts: RawRequestParts,
  remaining: string,
  lines: readonly string[] = [],
): string => post(parts, [...lines, "transfer-encoding: chunked"], remaining);
const get = (target: string, lines: readonly string[] = [], version = "HTTP/1.1"): string =>
  withLines(`GET ${target} ${version}`, ["host: gateway", ...lines, "connection: close"]);
/** What a request that is hidden in another would be. */
const hidden = (parts: RawRequestParts): string => sized(parts);

const methods: RawRequestFamily = (parts) => {
  const asking = (method: string): string =>
    withLines(
      `${method} ${chat} HTTP/1.1`,
      [...ours(parts), `content-length: ${parts.body.length}`],
      parts.body,
    );
  const none = [
    "",
    " ",
    "FETCH",
    "get",
    "Post",
    "pOST",
    "P",
    "POSTS",
    "GETPOST",
    "PO ST",
    "POST\t",
    "\tPOST",
    " POST",
    "\0POST",
  ];
  const others = [
    "POST\0",
    "P\xc3\x96ST",
    "\x80",
    "\xff\xfe",
    "PO\x7fST",
    "P(ST",
    '"POST"',
    "POST,GET",
    "POST:",
    "0",
    long(300),
    long(20_000),
  ];
  return [
    ...[...none, ...others].map(
      (method): RawRequestCase => [shown(method), asking(method), refused],
    ),
    ...[
      "PUT",
      "PATCH",
      "DELETE",
      "PROPFIND",
      "TRACE",
      "SEARCH",
      "LOCK",
      "PURGE",
      "SUBSCRIBE",
      "MKCOL",
      "REPORT",
      "SOURCE",
      "QUERY",
    ].map((method): RawRequestCase => [`${method}, which has no route`, asking(method), refused]),
    [
      "CONNECT to another host",
      withLines("CONNECT 169.254.169.254:80 HTTP/1.1", ["host: 169.254.169.254:80"]),
      dropped,
    ],
    ["CONNECT to a path", withLines(`CONNECT ${chat} HTTP/1.1`, ours(parts)), dropped],
    ["CONNECT with a body", asking("CONNECT"), dropped],
    [
      "OPTIONS of everything",
      withLines("OPTIONS * HTTP/1.1", ["host: x", "connection: close"]),
      { ...answered, answers: 1 },
    ],
    [
      "OPTIONS of a route",
      withLines(`OPTIONS ${chat} HTTP/1.1`, ["host: x", "connection: close"]),
      served,
    ],
    ["HEAD of a route that spends", asking("HEAD"), refused],
  ];
};

/** Spellings of a route that spends: only the route itself may. */
const targets: RawRequestFamily = (parts) => {
  const asking = (target: string): string =>
    withLines(
      `POST ${target} HTTP/1.1`,
      [...ours(parts), `content-length: ${parts.body.length}`],
      parts.body,
    );
  const near = [
    "/v1//chat/completions",
    "//v1/chat/completions",
    "/v1/chat/completions/",
    "/v1/./chat/completions",
    "/v1/x/../chat/completions",
    "/api/../v1/chat/completions",
    "/V1/CHAT/COMPLETIONS",
    "/v1/chat%2fcompletions",
    "/v1%2fchat/completions",
    "/%76%31/chat/completions",
    "/v1/chat/completion%73",
    "/v1/chat/completions%00",
    "/v1/chat/completions%20",
    "/v1/chat/completions%0d%0a",
    "/v1/chat/completions;x=1",
    "/v1/chat\\completions",
    "\\v1\\chat\\completions",
    "/v1/chat/completions%3f",
    "/v1/chat/completions%23x",
    "/v1/chat/%2e%2e/chat/completions",
    "/v1/chat/..%2fchat/completions",
    "/v1/chat/completions.json",
    "v1/chat/completions",
    "*",
    "?",
    "#",
    ":",
    "@",
    "gateway:80",
    "http://gateway/v1/chat/completions",
    "https://gateway/v1/chat/completions",
    "http://169.254.169.254/v1/chat/completions",
    "http://user:word@gateway/v1/chat/completions",
    "http:///v1/chat/completions",
    "http:v1/chat/completions",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ftp://gateway/",
    "//gateway/v1/chat/completions",
    "/%",
    "/%zz",
    "/%u0041",
    "/%c0%ae%c0%ae/",
    "/\x80\xff",
    "/\xc3\xa9",
    "/v1/realtime",
    "/v1/models/%00",
    "/v1/models/%ff",
    "/v1beta/models/%zz:generateContent",
    "/v1/responses/%2e%2e",
  ];
  const broken = [
    `${chat} x`,
    `${chat}\t`,
    `${chat}\0`,
    `${chat}\x7f`,
    `${chat}\x01`,
    ` ${chat} ${chat}`,
    "",
  ];
  return [
    ...near.map((target): RawRequestCase => [shown(target), asking(target), refused]),
    ...broken.map((target): RawRequestCase => [shown(target), asking(target), refused]),
    ["with a query", asking(`${chat}?a=%zz&b=%00&__proto__=1`), served, 1],
    ["with a fragment", asking(`${chat}#x`), { classes: "24", answers: 1, closes: true }, 1],
    ["of 15,000 letters", asking(`/v1/${long(15_000)}`), refused],
    ["of 20,000 letters", asking(`/v1/${long(20_000)}`), refused],
    ...[
      "/assets/../../../../etc/passwd",
      "/assets/..%2f..%2f..%2fetc%2fpasswd",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets/....//....//etc/passwd",
      "/..\\..\\etc\\passwd",
      "/.git/config",
      "/index.html%00.js",
      "/assets/%00",
      "/assets/%zz",
      "/\x00",
      "/api/%2e%2e/v1/models",
      "/api/status/%00",
      "/api/%zz",
      "/api/channel/%ff",
      "/api//status",
      "/api/status?%zz=%00",
      `/api/status?${long(8_000)}`,
      "/api/token/?p=%zz",
      "/api/\x80",
    ].map((target): RawRequestCase => [`GET ${shown(target)}`, get(target), answered]),
  ];
};

const versions: RawRequestFamily = (parts) => [
  ...[
    "HTTP/0.9",
    "HTTP/1.2",
    "HTTP/2.0",
    "HTTP/3.0",
    "HTTP/9.9",
    "HTTP/1",
    "HTTP/1.",
    "HTTP/.1",
    "HTTP/1.1.1",
    "HTTP/1.10",
    "HTTP/01.1",
    "HTTP/11",
    "HTTP/1,1",
    "HTTP/-1.1",
    "HTTP/+1.1",
    "HTTP/1.1x",
    "HTTP/a.b",
    "HTTP/1.\xb2",
    "http/1.1",
    "Http/1.1",
    "HTTP 1.1",
    "HTTP",
    "HTTPS/1.1",
    "XHTTP/1.1",
    "ICE/1.0",
    "RTSP/1.0",
    "SIP/2.0",
    "HTTP/1.1 HTTP/1.1",
    "HTTP/1.1\0",
    long(300),
  ].map(
    (version): RawRequestCase => [
      shown(version),
      get("/v1/models", [], version) + hidden(parts),
      refused,
    ],
  ),
  ["none", `GET /v1/models\r\n\r\n${hidden(parts)}`, refused],
  ["1.0 without a host", "GET /healthz HTTP/1.0\r\n\r\n", served],
  [
    "1.0 in pieces",
    `POST ${chat} HTTP/1.0\r\n${[...ours(parts), "transfer-encoding: chunked"].join("\r\n")}\r\n\r\n0\r\n\r\n`,
    { ...refused, answers: 1 },
  ],
];

const tokenLetters = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/;

const headerNames: RawRequestFamily = (parts) => [
  ...[...bytesFrom(0, 0x20), ...bytesFrom(0x21, 0x7f), ...["\x80", "\xa0", "\xff"]]
    .filter((letter) => !tokenLetters.test(letter) && letter !== ":")
    .map(
      (letter): RawRequestCase => [
        `with ${shown(letter)} in it`,
        sized(parts, [`x${letter}y: 1`]),
        refused,
      ],
    ),
  ["that is empty", sized(parts, [": 1"]), refused],
  ["without a colon", sized(parts, ["x-header"]), refused],
  ["with a blank before the colon", sized(parts, ["x-header : 1"]), refused],
  ["with a tab before the colon", sized(parts, ["x-header\t: 1"]), refused],
  ["of 20,000 letters", sized(parts, [`${long(20_000)}: 1`]), refused],
  [
    "that means something to a language",
    sized(parts, ["__proto__: 1", "constructor: 2", "toString: 3", "hasOwnProperty: 4"]),
    served,
    1,
  ],
  ["of every letter that may be in one", sized(parts, ["!#$%&'*+-.^_`|~09azAZ: 1"]), served, 1],
];

const headerValues: RawRequestFamily = (parts) => [
  ...[...bytesFrom(0, 0x1f), "\x7f"]
    .filter((letter) => !"\t\r\n".includes(letter))
    .map(
      (letter): RawRequestCase => [
        `with ${shown(letter)} in it`,
        sized(parts, [`x-header: a${letter}b`]),
        refused,
      ],
    ),
  ["with a carriage return", sized(parts, ["x-header: a\rb"]), refused],
  ["with a line feed", sized(parts, ["x-header: a\nb"]), refused],
  [
    "with a carriage return that hides another header",
    sized(parts, ["x-header: a\rtransfer-encoding: chunked"]),
    refused,
  ],
  [
    "with a line feed that hides another header",
    sized(parts, ["x-header: a\ntransfer-encoding: chunked"]),
    refused,
  ],
  ["with a tab", sized(parts, ["x-header: a\tb"]), served, 1],
  ["with bytes above 127", sized(parts, ["x-header: \x80\xe4\xff"]), served, 1],
  ["that is empty", sized(parts, ["x-header:"]), served, 1],
  ["of blanks alone", sized(parts, [`x-header:${" ".repeat(2_000)}`]), served, 1],
  ["folded by a blank", sized(parts, ["x-header: a", " b"]), refused],
  ["folded by a tab", sized(parts, ["x-header: a", "\tb"]), refused],
  ["folded, with an empty line", sized(parts, ["x-header:", " ", " b"]), refused],
  [
    "folded transfer coding",
    post(parts, ["transfer-encoding:", " chunked"], `0\r\n\r\n${hidden(parts)}`),
    refused,
  ],
  ["folded length", post(parts, ["content-length:", ` ${parts.body.length}`], parts.body), refused],
  ["folded before any header", `GET /healthz HTTP/1.1\r\n host: x\r\n\r\n`, refused],
];

const lengths: RawRequestFamily = (parts) => {
  const { body } = parts;
  const bad = [
    "+5",
    "-1",
    "-0",
    "0x5",
    "5,5",
    "5, 6",
    "5 5",
    "5;",
    "5.0",
    "1e1",
    "\xd9\xa5",
    "five",
    "NaN",
    "Infinity",
    "null",
    "true",
    '"5"',
    "'5'",
  ];
  const worse = [
    "99999999999999999999999",
    "18446744073709551616",
    "18446744073709551621",
    "5\0",
    "5\x0b",
    "5\x0c",
    "5_0",
    "5,",
    ",5",
    "[5]",
    "%35",
    "0b1",
    "0o5",
  ];
  const another = hidden(parts);
  return [
    ...[...bad, ...worse].map(
      (value): RawRequestCase => [
        shown(value),
        post(parts, [`content-length: ${value}`], body),
        refused,
      ],
    ),
    ["none at all", post(parts, [], body), refused],
    ["an empty one", post(parts, ["content-length:"], another), refused],
    ["a blank one", post(parts, ["content-length:  "], another), refused],
    ["zeros in front", post(parts, [`content-length: 000${body.length}`], body), served, 1],
    ["blanks around", post(parts, [`content-length: \t ${body.length} \t`], body), served, 1],
    [
      "twice the same",
      post(parts, [`content-length: ${body.length}`, `content-length: ${body.length}`], body),
      refused,
    ],
    [
      "twice, the first is less",
      post(parts, ["content-length: 0", `content-length: ${body.length}`], body),
      refused,
    ],
    [
      "twice, the first is more",
      post(parts, [`content-length: ${body.length}`, "content-length: 0"], body),
      refused,
    ],
    [
      "twice, in capitals",
      post(parts, [`Content-Length: ${body.length}`, "CONTENT-LENGTH: 0"], body),
      refused,
    ],
    [
      "below the body",
      post(parts, [`content-length: ${body.length - 5}`], body),
      { ...refused, answers: 1 },
    ],
    [
      "of nothing, and a call behind it",
      post(parts, ["content-length: 0"], another),
      { ...refused, answers: 1 },
    ],
    ["2 MiB more than is taken", post(parts, [`content-length: ${34 * 1024 * 1024}`], ""), refused],
    [
      "on a GET, with a call in it",
      get("/healthz", [`content-length: ${another.length}`]) + another,
      served,
    ],
  ];
};

const codings: RawRequestFamily = (parts) => {
  const { body } = parts;
  const pieces = `${hex(body)}\r\n${body}\r\n0\r\n\r\n`;
  const coded = (value: string, remaining: string): string =>
    post(parts, [`transfer-encoding: ${value}`], remaining);
  const tail = `0\r\n\r\n${hidden(parts)}`;
  const last = [
    "xchunked",
    "chunkedx",
    "chunked, identity",
    "chunked, gzip",
    "identity",
    "gzip",
    "deflate",
    "compress",
    "br",
    "trailers",
  ];
  const odd = [
    "chunk",
    "chunked chunked",
    "chun ked",
    "chunked;q=1",
    "chunked;",
    '"chunked"',
    "'chunked'",
    "chunked,x",
    "\x0bchunked",
    "chunked\x0b",
    "\0chunked",
    "chunked\0",
    "\x0cchunked",
    "[chunked]",
    "cow",
    "chunked, cow",
    "null",
    "0",
    ":chunked",
    "\xc5\xbfchunked",
    "\xa0chunked",
    "chunked\xa0",
    "\x85chunked",
  ];
  return [
    ...[...last, ...odd].map(
      (value): RawRequestCase => [shown(value), coded(value, tail), refused],
    ),
    ["an empty one", coded("", tail), refused],
    ...["chunked", "Chunked", "cHuNkEd", " chunked", "\tchunked", "chunked "].map(
      (value): RawRequestCase => [shown(value), coded(value, pieces), served, 1],
    ),
    ...[
      "gzip, chunked",
      "identity, chunked",
      "chunked, chunked",
      ",chunked",
      "chunked,",
      "chunked\t",
    ].map(
      (value): RawRequestCase => [
        `${shown(value)}, which may be taken or not`,
        coded(value, pieces),
        { classes: "24", closes: true },
        1,
      ],
    ),
    [
      "twice",
      post(parts, ["transfer-encoding: chunked", "transfer-encoding: chunked"], tail),
      refused,
    ],
    [
      "and identity",
      post(parts, ["transfer-encoding: chunked", "transfer-encoding: identity"], tail),
      refused,
    ],
    [
      "identity, and it",
      post(parts, ["transfer-encoding: identity", "transfer-encoding: chunked"], tail),
      { classes: "4", answers: 1, closes: true },
    ],
    ["and a length of nothing", chunked(parts, tail, ["content-length: 0"]), refused],
    ["and a length of all", chunked(parts, pieces, [`content-length: ${pieces.length}`]), refused],
    [
      "and a length behind it",
      post(parts, ["transfer-encoding: chunked", "content-length: 5"], tail),
      refused,
    ],
    [
      "with an underscore for the hyphen, and a length",
      post(parts, ["transfer_encoding: chunked", `content-length: ${body.length}`], body),
      served,
      1,
    ],
    [
      "on a GET, with a call in it",
      get("/healthz", ["transfer-encoding: chunked"]) + pieces,
      served,
    ],
    [
      "under another name, and a length",
      post(parts, ["x-transfer-encoding: chunked", `content-length: ${body.length}`], body),
      served,
      1,
    ],
  ];
};

const chunks: RawRequestFamily = (parts) => {
  const { body } = parts;
  const size = hex(body);
  const end = "0\r\n\r\n";
  const sizes = [
    "zz",
    "-1",
    "+1",
    "0x1",
    " 1",
    "g",
    "1g",
    "1 g",
    "",
    " ",
    "1,0",
    "1.0",
    "1\0",
    "\x011",
    "\xb2",
    "1'",
    "1:",
    "ffffffffffffffffff",
    "10000000000000000",
    "1\r1",
    "\n1",
    "\r\n1",
  ];
  return [
    ...sizes.map(
      (one): RawRequestCase => [
        `a size of ${shown(one)}`,
        chunked(parts, `${one}\r\n${body}\r\n${end}`),
        refused,
      ],
    ),
    ["a line feed behind the size", chunked(parts, `${size}\n${body}\r\n${end}`), refused],
    ["a carriage return behind the size", chunked(parts, `${size}\r${body}\r\n${end}`), refused],
    ["a line feed behind the piece", chunked(parts, `${size}\r\n${body}\n${end}`), refused],
    ["a carriage return behind the piece", chunked(parts, `${size}\r\n${body}\r${end}`), refused],
    ["nothing behind the piece", chunked(parts, `${size}\r\n${body}${end}`), refused],
    ["a piece that is longer than its size", chunked(parts, `1\r\n${body}\r\n${end}`), refused],
    ["line feeds at the end", chunked(parts, `${size}\r\n${body}\r\n0\n\n`), refused],
    ["a line feed as the last line", chunked(parts, `${size}\r\n${body}\r\n0\r\n\n`), refused],
    [
      "blanks behind the last size",
      chunked(parts, `${size}\r\n${body}\r\n0  \r\n\r\n`),
      { classes: "24", closes: true },
      1,
    ],
    ["an extension with a line feed", chunked(parts, `${size};a\n${body}\r\n${end}`), refused],
    ["an extension with a NUL", chunked(parts, `${size};a\0b\r\n${body}\r\n${end}`), refused],
    [
      "an extension of 20,000 letters",
      chunked(parts, `${size};${long(20_000)}\r\n${body}\r\n${end}`),
      refused,
    ],
    [
      "long extensions, and no JSON",
      chunked(parts, `1;${long(9_000)}\r\n{\r\n`.repeat(4) + end),
      refused,
    ],
    [
      "an extension whose quote never ends",
      chunked(parts, `${size};a="\r\n${body}\r\n${end}`),
      { classes: "24", closes: true },
      1,
    ],
    ["a name and a value", chunked(parts, `${size};a=b\r\n${body}\r\n${end}`), served, 1],
    ["a value in quotes", chunked(parts, `${size};a="b;c"\r\n${body}\r\n${end}`), served, 1],
    ["zeros in front", chunked(parts, `0000${size}\r\n${body}\r\n${end}`), served, 1],
    [
      "a size in capitals",
      chunked(
        parts,
        `A\r\n${body.slice(0, 10)}\r\n${hex(body.slice(10))}\r\n${body.slice(10)}\r\n${end}`,
      ),
      served,
      1,
    ],
    [
      "a byte each",
      chunked(parts, [...body].map((letter) => `1\r\n${letter}\r\n`).join("") + end),
      served,
      1,
    ],
    [
      "many zeros for the end",
      chunked(parts, `${size}\r\n${body}\r\n0000000000\r\n\r\n`),
      served,
      1,
    ],
    ["nothing but the end", chunked(parts, end), { ...refused, answers: 1 }],
    [
      "a call behind the end",
      chunked(parts, `${size}\r\n${body}\r\n${end}${hidden(parts)}`),
      { classes: "24", closes: true },
      1,
    ],
    ["a trailer", chunked(parts, `${size}\r\n${body}\r\n0\r\nx-trailer: 1\r\n\r\n`), served, 1],
    [
      "a trailer that would be another key",
      chunked(parts, `${size}\r\n${body}\r\n0\r\nauthorization: Bearer none\r\n\r\n`),
      served,
      1,
    ],
    [
      "a trailer that is a length",
      chunked(parts, `${size}\r\n${body}\r\n0\r\ncontent-length: 5\r\n\r\n`),
      { classes: "24", closes: true },
      1,
    ],
    [
      "a trailer that is a coding",
      chunked(parts, `${size}\r\n${body}\r\n0\r\ntransfer-encoding: chunked\r\n\r\n`),
      { classes: "24", closes: true },
      1,
    ],
    ["a trailer without a colon", chunked(parts, `${size}\r\n${body}\r\n0\r\nx\r\n\r\n`), refused],
    ["a trailer with a NUL", chunked(parts, `${size}\r\n${body}\r\n0\r\nx: \0\r\n\r\n`), refused],
    [
      "a trailer that is folded",
      chunked(parts, `${size}\r\n${body}\r\n0\r\nx: 1\r\n 2\r\n\r\n`),
      refused,
    ],
    [
      "a trailer of 20,000 letters",
      chunked(parts, `${size}\r\n${body}\r\n0\r\nx: ${long(20_000)}\r\n\r\n`),
      refused,
    ],
    [
      "two thousand trailers",
      chunked(parts, `${size}\r\n${body}\r\n0\r\n${"x: 12345678\r\n".repeat(2_000)}\r\n`),
      refused,
    ],
  ];
};

const lineEnds: RawRequestFamily = (parts) => {
  const whole = sized(parts);
  const head = whole.slice(0, whole.indexOf("\r\n\r\n"));
  return [
    ["line feeds alone", `${head.replaceAll("\r\n", "\n")}\n\n${parts.body}`, refused],
    ["carriage returns alone", `${head.replaceAll("\r\n", "\r")}\r\r${parts.body}`, refused],
    ["line feeds first", `${head.replaceAll("\r\n", "\n\r")}\n\r\n\r${parts.body}`, refused],
    [
      "two carriage returns",
      `${head.replaceAll("\r\n", "\r\r\n")}\r\r\n\r\r\n${parts.body}`,
      refused,
    ],
    ["a line feed behind the request line", whole.replace("\r\n", "\n"), refused],
    ["a carriage return behind the request line", whole.replace("\r\n", "\r"), refused],
    ["a line feed behind the head", `${head}\r\n\n${parts.body}`, refused],
    ["a carriage return behind the head", `${head}\r\n\r${parts.body}`, refused],
    ["vertical tabs", head.replaceAll("\r\n", "\x0b") + parts.body, refused],
    ["next lines", head.replaceAll("\r\n", "\x85") + parts.body, refused],
    ["an empty line in front", `\r\n${whole}`, served, 1],
    ["ten empty lines in front", "\r\n".repeat(10) + whole, served, 1],
    ["line feeds in front", `\n\n${whole}`, { classes: "24", closes: true }, 1],
    ["a byte order mark in front", `\xef\xbb\xbf${whole}`, refused],
    ["NULs without end", "\0".repeat(40_000), dropped],
    ["blanks without end", " ".repeat(40_000), dropped],
    ["letters without end", "A".repeat(40_000), dropped],
  ];
};

const hosts: RawRequestFamily = () => {
  const values = [
    "",
    " ",
    "a b",
    "a/b",
    "/api/status?",
    "x/api/status?",
    "x#",
    "x/..",
    "a?b",
    "a@b",
    "user:word@a",
    "[::1",
    "::1]",
    "[::1]:3000",
    "::1",
    "a:b",
    "a:99999",
    "a:-1",
    "a:",
    ":80",
    "a,b",
    "\x80",
    "\xff",
    "a%00",
    "%",
    "a\\b",
    "http://a",
    "169.254.169.254",
    "localhost",
    "..",
    "-",
    "_",
    "xn--",
    "a..b",
    "<script>",
    "'",
    '"',
    "{}",
    "__proto__",
    long(300),
    long(8_000),
  ];
  const asking = (target: string, value: string): string =>
    `GET ${target} HTTP/1.1\r\nhost: ${value}\r\nconnection: close\r\n\r\n`;
  return [
    ...values.map(
      (value): RawRequestCase => [
        `${shown(value)} for the management API`,
        asking("/api/status", value),
        answered,
      ],
    ),
    ...values.map(
      (value): RawRequestCase => [
        `${shown(value)} for what needs a session`,
        asking("/api/option/", value),
        { ...refused, answers: 1 },
      ],
    ),
    ["none", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", refused],
    [
      "two that differ",
      "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n",
      refused,
    ],
    [
      "two that are the same",
      "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: a\r\nconnection: close\r\n\r\n",
      refused,
    ],
    ["with a NUL", asking("/healthz", "a\0b"), refused],
    ["with a carriage return", asking("/healthz", "a\rb"), refused],
    [
      "and others in other headers",
      get("/api/option/", [
        "x-forwarded-host: localhost",
        "x-original-url: /api/status",
        "x-rewrite-url: /api/status",
        "forwarded: host=a",
      ]),
      { ...refused, answers: 1 },
    ],
    [
      "and an absolute target of another",
      "GET http://169.254.169.254/latest HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n",
      refused,
    ],
  ];
};

const sizes: RawRequestFamily = (parts) => [
  ["a value of 17,000 letters", sized(parts, [`x-header: ${long(17_000)}`]), refused],
  ["a value of 100,000 letters", sized(parts, [`x-header: ${long(100_000)}`]), refused],
  ["a cookie of 17,000 letters", sized(parts, [`cookie: ${long(17_000)}`]), refused],
  [
    "two thousand headers",
    sized(
      parts,
      Array.from({ length: 2_000 }, (_, n) => `x-${n}: ${n}`),
    ),
    refused,
  ],
  [
    "two thousand headers of one name",
    sized(
      parts,
      Array.from({ length: 2_000 }, () => "x-header: 1234"),
    ),
    refused,
  ],
  [
    "two thousand empty names",
    sized(
      parts,
      Array.from({ length: 2_000 }, () => ":"),
    ),
    refused,
  ],
  [
    "a key of 10,000 letters",
    get("/v1/models", [`authorization: Bearer ${long(10_000)}`]),
    refused,
  ],
  ["a key of dots", get("/v1/models", [`authorization: ${"..".repeat(4_000)}`]), refused],
  [
    "ninety headers",
    sized(
      parts,
      Array.from({ length: 90 }, (_, n) => `x-${n}: ${n}`),
    ),
    served,
    1,
  ],
];

const inARow: RawRequestFamily = (parts) => {
  const first = get("/healthz").replace("connection: close\r\n", "");
  const whole = sized(parts);
  return [
    ["two that are right", first + get("/readyz"), served2],
    ["a right one and a wrong one", `${first}GARBAGE\r\n\r\n`, { classes: "24", closes: true }],
    ["a wrong one and a right one", `GARBAGE\r\n\r\n${first}`, refused],
    ["one that closes, and another", get("/healthz") + whole, served],
    ["one that closes, and garbage", `${get("/healthz")}\0\0\0`, served],
    [
      "a call, and a half one",
      first + whole.slice(0, 60) + get("/healthz"),
      { classes: "24", closes: true },
    ],
    [
      "one that is refused for its size, and a call",
      `${sized(parts, [`x: ${long(20_000)}`])}${whole}`,
      refused,
    ],
    [
      "one without a key, and a call in its body",
      withLines(
        `POST ${chat} HTTP/1.1`,
        ["host: x", "connection: close", `content-length: ${whole.length}`],
        whole,
      ),
      refused,
    ],
    [
      "three hundred at once",
      first.repeat(299) + get("/healthz"),
      { classes: "2", answers: 300, closes: true },
    ],
  ];
};

const upgrades: RawRequestFamily = (parts) => {
  const upgrade = (target: string, protocol: string, lines: readonly string[] = []): string =>
    withLines(`GET ${target} HTTP/1.1`, [
      "host: x",
      "connection: upgrade, close",
      `upgrade: ${protocol}`,
      ...lines,
    ]);
  const socket = ["sec-websocket-version: 13", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="];
  return [
    ...[
      "h2c",
      "h2",
      "HTTP/2.0",
      "TLS/1.0",
      "websocket",
      "WebSocket",
      "socks",
      "",
      "a, b",
      "websocket, h2c",
      "\x80",
      long(5_000),
    ].map(
      (protocol): RawRequestCase => [
        `to ${shown(protocol)}`,
        upgrade("/healthz", protocol, ["http2-settings: AAMAAABkAARAAAAAAAIAAAAA"]),
        served,
      ],
    ),
    [
      "of a call to h2c",
      sized(parts, ["upgrade: h2c", "http2-settings: AAMAAABkAARAAAAAAAIAAAAA"]),
      served,
      1,
    ],
    ["of a call to a socket", sized(parts, ["upgrade: websocket", ...socket]), served, 1],
    [
      "realtime without a key",
      upgrade("/v1/realtime?model=sim-model", "websocket", socket),
      refused,
    ],
    [
      "realtime with a wrong key",
      upgrade("/v1/realtime?model=sim-model", "websocket", [
        ...socket,
        "authorization: Bearer sk-none",
      ]),
      refused,
    ],
    [
      "realtime without the key of a socket",
      upgrade("/v1/realtime?model=sim-model", "websocket", [`authorization: Bearer ${parts.key}`]),
      refused,
    ],
    [
      "realtime by another version",
      upgrade("/v1/realtime?model=sim-model", "websocket", [
        "sec-websocket-version: 8",
        `authorization: Bearer ${parts.key}`,
      ]),
      refused,
    ],
    [
      "realtime by POST",
      withLines("POST /v1/realtime?model=sim-model HTTP/1.1", [
        ...ours(parts),
        "upgrade: websocket",
        "content-length: 0",
      ]),
      refused,
    ],
    [
      "realtime for two hosts",
      upgrade("/v1/realtime?model=none", "websocket", [...socket, "host: y"]),
      refused,
    ],
    [
      "realtime without a model",
      upgrade("/v1/realtime", "websocket", [...socket, `authorization: Bearer ${parts.key}`]),
      refused,
    ],
    [
      "realtime with frames at once",
      `${upgrade("/v1/realtime?model=none", "websocket", [...socket, "authorization: Bearer sk-none"])}\x81\x05hello`,
      refused,
    ],
    ["HTTP/2 from the start", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden(parts)}`, refused],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", refused],
    ["SSH", "SSH-2.0-OpenSSH_9.6\r\n", refused],
    ["SMTP", "EHLO example.org\r\n", refused],
    ["Redis", "*1\r\n$4\r\nPING\r\n", refused],
    ["PostgreSQL", "\x00\x00\x00\x08\x04\xd2\x16\x2f", refused],
    ["SOCKS", "\x05\x01\x00", refused],
    ["the PROXY protocol", `PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n${get("/healthz")}`, refused],
    ["an answer", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", refused],
  ];
};

const expectations: RawRequestFamily = (parts) => [
  [
    "100-continue",
    sized(parts, ["expect: 100-continue"]),
    { classes: "12", answers: 2, closes: true },
    1,
  ],
  [
    "100-continue and more",
    sized(parts, ["expect: 100-continue, x"]),
    { classes: "124", closes: true, answers: 2 },
    1,
  ],
  [
    "100-continue without a body",
    get("/healthz", ["expect: 100-continue"]),
    { classes: "12", closes: true, answers: 2 },
  ],
  ...["200-ok", "101-continue", "x", "\x80", long(5_000)].map(
    (value): RawRequestCase => [shown(value), sized(parts, [`expect: ${value}`]), refused],
  ),
  [
    "100-continue by HTTP/1.0",
    get("/healthz", ["expect: 100-continue"], "HTTP/1.0"),
    { classes: "12", closes: true },
  ],
];

/** Clients that stop in the middle of a call, at each of these places. */
const cutOff: RawRequestFamily = (parts) => {
  const usual = sized(parts);
  const pieces = chunked(
    parts,
    `${hex(parts.body)};a=b\r\n${parts.body}\r\n0\r\nx-trailer: 1\r\n\r\n`,
  );
  const places = (text: string, count: number, from = 0): number[] =>
    Array.from(
      { length: count },
      (_, n) => from + Math.floor(((n + 0.5) * (text.length - from)) / count),
    );
  return [
    ["a piece of 2^63 bytes", chunked(parts, `8000000000000000\r\n${parts.body}\r\n`), dropped],
    ["empty lines without end", "\r\n".repeat(20_000), dropped],
    ...places(usual, 40).map(
      (at): RawRequestCase => [`a call after ${at} bytes`, usual.slice(0, at), dropped],
    ),
    ...places(pieces, 40, pieces.indexOf("transfer-encoding") + 1).map(
      (at): RawRequestCase => [`a call in pieces after ${at} bytes`, pieces.slice(0, at), dropped],
    ),
  ];
};

const families: Readonly<Record<string, RawRequestFamily>> = {
  methods,
  targets,
  versions,
  "names of headers": headerNames,
  "values of headers": headerValues,
  lengths,
  "transfer codings": codings,
  pieces: chunks,
  "line ends": lineEnds,
  hosts,
  "heads that are too large": sizes,
  "requests in a row": inARow,
  "other protocols": upgrades,
  expectations,
  "calls that are cut off": cutOff,
};

export const rawRequests = (parts: RawRequestParts): RawRequest[] =>
  Object.entries(families).flatMap(([family, written]) =>
    written(parts).map(([name, bytes, wanted, reaches = 0]) => ({
      family,
      name,
      bytes,
      wanted,
      reaches,
      isCutOff: written === cutOff,
    })),
  );

export const rawFamilies = Object.keys(families);
