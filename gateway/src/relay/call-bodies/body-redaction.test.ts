import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCrcChecksum } from "../guards/secret-shapes.ts";
import { buildBodySecrets, redactText } from "./body-redaction.ts";

const find = buildBodySecrets("sk-");
const json = "application/json";
const stream = "text/event-stream";
const random = (length: number) => randomBytes(length).toString("hex").slice(0, length);
const githubToken = (): string => {
  const part = random(30);
  return `ghp_${part}${readCrcChecksum(part)}`;
};

/** `leaks` are as they leak: in a question, a file, a shell command, a tool's arguments. */
const leaks: readonly [what: string, secret: string, around?: (secret: string) => string][] = [
  ["a GitHub token", githubToken()],
  ["an AWS access key", "AKIAQZ3JX7LM2NB5VTRW"],
  [
    "a secret key of AWS",
    `${random(20)}/${random(19)}`,
    (secret) => `aws_secret_access_key = ${secret}\n`,
  ],
  ["a Google key", `AIza${random(35)}`],
  [
    "an Anthropic key",
    `sk-ant-api03-${random(93)}AA`,
    (secret) => `export ANTHROPIC_API_KEY=${secret}`,
  ],
  ["an OpenAI key", `sk-proj-${random(120)}`],
  ["a key of this gateway", `sk-${random(48)}`],
  ["a management key", `tgm-${random(48)}`],
  ["a Slack token", `xoxb-${random(40)}`],
  ["a Stripe key", `sk_live_${random(24)}`],
  [
    "a bearer token",
    random(40),
    (secret) => `curl -H 'Authorization: Bearer ${secret}' https://example.com`,
  ],
  ["a signed token", `eyJ${random(20)}.eyJ${random(40)}.${random(43)}`],
  [
    "a password in an address",
    `p${random(12)}`,
    (secret) => `postgres://app:${secret}@db.example.com:5432/app`,
  ],
  ["a password of a file", `pw${random(12)}`, (secret) => `DB_PASSWORD="${secret}"`],
  [
    "a password of a document",
    `pw${random(12)}`,
    (secret) => `{\n  "client_secret": "${secret}",\n}`,
  ],
  [
    "a private key",
    random(64),
    (body) => `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`,
  ],
  ["a private key that was cut", random(64), (body) => `-----BEGIN PRIVATE KEY-----\n${body}`],
];

describe("a leaked credential is removed, and what stands around it stays", () => {
  test.each(leaks)("%s", (_, secret, around = (text) => `use ${text} for this`) => {
    const leak = around(secret);
    const message = (content: unknown) =>
      JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
    const kept = [
      redactText(message(`before it\n${leak}\nafter it`), json, find),
      redactText(message([{ type: "text", text: leak }]), json, find),
      // The arguments of a tool are JSON within a string.
      redactText(
        JSON.stringify({ arguments: JSON.stringify({ command: `x\n${leak}` }) }),
        json,
        find,
      ),
      redactText(`{"messages": "cut in the middle ${leak}`, json, find),
      redactText(leak, "text/plain", find),
    ];
    for (const text of kept) {
      expect(text).not.toContain(secret);
      expect(text).toContain("[removed: ");
    }
    expect(kept[0]).toMatch(/before it/);
    if (!leak.startsWith("-----")) expect(kept[0]).toMatch(/after it/);
    expect(() => JSON.parse(kept[0] ?? "")).not.toThrow();
    expect(() => JSON.parse(kept[2] ?? "")).not.toThrow();
  });
});

describe("a credential that is encoded is removed", () => {
  const url = (secret: string) =>
    `https://example.com/hook?a=1&key=${encodeURIComponent(secret)}&b=2`;
  const everyCode = (text: string) =>
    [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  test.each(leaks)("%s", (_, secret, around = (text) => text) => {
    const leak = around(secret);
    const encoded = Buffer.from(leak).toString("base64");
    const kept = [
      ...[
        encoded,
        Buffer.from(leak).toString("base64url"),
        Buffer.from(` ${leak}`).toString("base64"),
      ].map((text) => [text, `  token: ${text}\nafter it`] as const),
      // A path before it moves its groups of four.
      [encoded, `blobs/${encoded} after it`] as const,
      [everyCode(secret), `before ${everyCode(leak)} after it`] as const,
    ];
    for (const [hidden, text] of kept) {
      const clean = redactText(JSON.stringify({ content: text }), json, find);
      expect(clean).not.toContain(hidden);
      expect(clean).toContain("[removed: ");
      // A key without an end is removed to the end of the text.
      if (!leak.startsWith("-----")) expect(clean).toContain("after it");
    }
  });

  test("of an address and a header, what stands beside it stays", () => {
    const secret = `p+${random(12)}=`;
    const text = `postgres%3A%2F%2Fapp%3A${encodeURIComponent(secret)}%40db and ${url(githubToken())}`;
    const clean = redactText(text, "text/plain", find);
    expect(clean).toMatch(
      /^postgres%3A%2F%2Fapp%3A\[removed: a password in an address\]%40db and https:\/\/example/,
    );
    expect(clean).toMatch(/key=\[removed: [^\]]+\]&b=2$/);
    const header = `Authorization: Basic ${Buffer.from("ann:pw").toString("base64")} sent`;
    expect(redactText(header, "text/plain", find)).toBe(
      "Authorization: Basic [removed: a password] sent",
    );
  });
});

test("a credential that a stream brings in pieces of any size is removed from all of them", () => {
  const secret = githubToken();
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 }),
      (sizes) => {
        const whole = `Here it is: ${secret} - keep it safe`;
        const pieces: string[] = [];
        for (let at = 0, next = 0; at < whole.length; next += 1) {
          const size = sizes[next % sizes.length] ?? 1;
          pieces.push(whole.slice(at, at + size));
          at += size;
        }
        const event = (content: string) =>
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
        const kept = redactText(`${pieces.map(event).join("")}data: [DONE]\n\n`, stream, find);
        const text = [...kept.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
          .map(([, quoted]) => JSON.parse(quoted ?? '""') as string)
          .join("");
        expect(text).toBe("Here it is: [removed: a GitHub token] - keep it safe");
        expect(kept).toContain("data: [DONE]");
      },
    ),
  );
});

test("attachments are left out with their size", () => {
  const picture = randomBytes(3_000).toString("base64");
  const content = [
    { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
    { type: "input_audio", input_audio: { data: picture, format: "wav" } },
  ];
  const kept = redactText(JSON.stringify({ content }), json, find);
  expect(kept).not.toContain(picture.slice(0, 100));
  expect(kept.match(/\[removed: an attachment of \d+ characters\]/g)).toHaveLength(2);
});

test("what holds no secret stays as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: "grapheme" }), (value, text) => {
      const body = JSON.stringify({
        messages: [{ role: "user", content: `say ${text}` }],
        more: value,
      });
      const known = /secret|passw|token|api.?key|authorization/i.test(body);
      if (!known) expect(JSON.parse(redactText(body, json, find))).toEqual(JSON.parse(body));
    }),
  );
  const prose = "The secret of a good password: it is long. Tokens are counted; see api keys.";
  expect(redactText(JSON.stringify({ prose }), json, find)).toBe(JSON.stringify({ prose }));
});

test("JSON that is nested deeper than any client writes is left out", () => {
  const deep = `${"[".repeat(5_000)}"${githubToken()}"${"]".repeat(5_000)}`;
  expect(redactText(deep, json, find)).toContain("[removed: deeply nested data]");
});

// A pattern that walks a text once for each of its letters would still run when the test is ended.
test("a text of the largest size is read, whatever it holds", () => {
  const size = 6 * 1024 * 1024;
  const hostile = [
    "a",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "bearer ",
    "x://a:",
    "password=",
    "sk-",
    '{"a":"\\n',
    "%41",
    "Zm9v",
  ];
  for (const piece of hostile) {
    const text = piece.repeat(size / piece.length / 8);
    expect(redactText(text, "text/plain", find).length, piece).toBeGreaterThan(0);
  }
});
