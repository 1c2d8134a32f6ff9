/** Codes, secrets and lifetimes of programs that sign in for a person. Pure but for randomness. */
import { createHmac, hkdfSync, randomInt } from "node:crypto";
import { userCodeLetters } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { composeSessionId, hashParts } from "../sessions/session-cookie.ts";

export const deviceLifetimeMs = 10 * 60_000;
/** `pollSeconds` is the pause after which a program may ask again whether its code was approved. */
export const pollSeconds = 5;
/** A leaked key is of use for so long; agents renew it by themselves. */
export const agentKeyLifetimeMs = 3_600_000;
/**
 * Calls that were on their way with the key before, and agents that keep the answer of a key helper
 * for five minutes.
 */
export const earlierKeyMs = 10 * 60_000;
/**
 * A program whose reply was lost, or two of its processes, use one secret again within this time.
 */
export const refreshRepeatableMs = 30_000;

const userCodeLength = 8;

/** 25 thousand million codes, of which a person may try ten in ten minutes. */
export const composeUserCode = (): string =>
  Array.from(
    { length: userCodeLength },
    () => userCodeLetters[randomInt(userCodeLetters.length)],
  ).join("");

/** `formatUserCode` writes the code as people read it. */
export const formatUserCode = (code: string): string =>
  `${code.slice(0, userCodeLength / 2)}-${code.slice(userCodeLength / 2)}`;

export const hashUserCode = (code: string): string => hashParts("user code", code);

export const agentSignInKey = (masterKey: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", masterKey, "", "tollgate/v1/agent-sign-in", 32));

const familyEnd = ".";

/**
 * `composeFirstSecret` gives what renews the first key of a sign-in. All that follow begin as it
 * does: one that was spent long ago is known as a copy of this sign-in's.
 */
export const composeFirstSecret = (): string =>
  `${composeSessionId()}${familyEnd}${composeSessionId()}`;

/**
 * `hashFamily` names the session of the program that a secret is of. No cookie opens it: the hash
 * of one is made in another way.
 */
export const hashFamily = (secret: string): string =>
  hashParts("agent sign-in", secret.split(familyEnd, 1)[0] ?? "");

/**
 * `deriveNextSecret` gives what renews the key after this secret. It follows from it, so that a
 * program that repeats a request gets the same answer, and two secrets of one sign-in never work
 * side by side.
 */
export const deriveNextSecret = (key: Uint8Array, secret: string): string =>
  secret.slice(0, secret.indexOf(familyEnd) + 1) +
  createHmac("sha256", key).update(secret).digest("base64url");
