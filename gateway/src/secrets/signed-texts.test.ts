import fc from "fast-check";
import { expect, test } from "vitest";
import { hashParts } from "../accounts/identity/sessions/session-cookie.ts";
import { buildWebhookHeaders } from "../egress/standard-webhook.ts";
import { workChallenge } from "../http/work-rules.ts";
import { mailCodeHash } from "../notices/mail/mail-code-rules.ts";
import { auditPayload } from "../storage/audit-chain.ts";
import { createSealer } from "./seal.ts";

const key = new Uint8Array(32);
const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
const seal = createSealer(key);

/** `Sign` is what three parts are signed with, or found by; undefined where they are refused. */
type Sign = (first: string, second: string, third: string) => string | undefined;

const refusable =
  (sign: Sign): Sign =>
  (...parts) => {
    try {
      return sign(...parts);
    } catch {
      return undefined;
    }
  };

/**
 * Every text that the gateway joins of what others may choose, before it signs or hashes it.
 * Telegram's has its own test.
 */
const signers: readonly (readonly [string, Sign])[] = [
  [
    "a challenge of work",
    (purpose, source, nonce) =>
      workChallenge(key, { purpose: purpose as "reset", source }, { bits: 1, nonce, now: 0 }).slice(
        -43,
      ),
  ],
  ["a mailed code", (purpose, email, code) => mailCodeHash(purpose as "reset", email, code)],
  [
    "a notice",
    (id, seconds, body) => {
      if (String(Number(seconds)) !== seconds) return undefined;
      return buildWebhookHeaders([secret], { id, seconds: Number(seconds), body })[
        "webhook-signature"
      ];
    },
  ],
  [
    "an entry of the record of changes",
    (address, action, target) =>
      auditPayload({ at: 1, actorId: 2, address, action, target, change: {} }),
  ],
  ["a callback, the proof of a sign-in and a logout token", hashParts],
];

const separators = ["\n", " ", ".", "/", "-", ":", "=", "|", ",", '"', "\\", "\0", ""];
const part = fc.oneof(
  fc
    .array(fc.constantFrom(...separators, "a", "b", "5"), { maxLength: 5 })
    .map((them) => them.join("")),
  // Numbers, for what must be one.
  fc.constantFrom("5", "5.5", "a.5"),
);

/**
 * `recut` is the same parts, and what the same text is when its separators are taken for others.
 */
const recut = fc
  .record({
    parts: fc.tuple(part, part, part),
    separator: fc.constantFrom(...separators),
    at: fc.tuple(fc.nat(), fc.nat()),
  })
  .map(({ parts, separator, at }) => {
    const pieces = parts.join(separator).split(separator);
    const [from = 0, to = 0] = at.map((place) => place % (pieces.length + 1)).sort((a, b) => a - b);
    const joined = (start: number, end?: number) => pieces.slice(start, end).join(separator);
    return { parts, moved: [joined(0, from), joined(from, to), joined(to)] as const };
  });

test.each(signers)("no other parts are signed like those of %s", (_, sign) => {
  const signed = refusable(sign);
  fc.assert(
    fc.property(recut, ({ parts, moved }) => {
      fc.pre(parts.some((one, index) => one !== moved[index]));
      const signature = signed(...parts);
      if (signature !== undefined) expect(signed(...moved)).not.toBe(signature);
    }),
    { numRuns: 3_000 },
  );
});

test("a sealed value opens for its own purpose and row alone, wherever the separators of another row stand", () => {
  fc.assert(
    fc.property(recut, ({ parts: [, row], moved: [, other] }) => {
      fc.pre(row !== other);
      const sealed = seal.seal("option-secret", `options/value/${row}`, "x");
      expect(() => seal.open("option-secret", `options/value/${other}`, sealed)).toThrow(
        "does not belong here",
      );
      expect(() =>
        seal.open("oidc-secret", `oidc_providers/secret_sealed/${row}`, sealed),
      ).toThrow();
    }),
    { numRuns: 300 },
  );
});
