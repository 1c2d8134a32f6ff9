/**
 * Password hashing: argon2id off the event loop, few at a time, with the parameters in the stored
 * text.
 */
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { refuse } from "../../../http/refusal.ts";
import { rateLimitSource } from "../../../http/request-head.ts";
import { ShareLedger } from "../../../limits/share-ledger.ts";
import { importedPasswordMatches, readImportedHash } from "./imported-passwords.ts";

/** 19 MiB and two passes, as OWASP recommends: about 26 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagBytes = 32;
const saltBytes = 16;

/**
 * Each hash takes a core and 19 MiB, so a flood of sign-ins must not slow down the relay: two run
 * at once, others wait, of which one source has a share.
 */
const concurrencyMax = 2;
const waitingMax = 50;

let running = 0;
const waiting: (() => void)[] = [];
const places = new ShareLedger<string>(waitingMax);

async function runInHashSlot<Result>(
  address: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (running >= concurrencyMax) {
    const source = rateLimitSource(address);
    if (places.take(source)) throw refuse("sign_in_busy", { retryAfter: 2 });
    await new Promise<void>((resolve) => waiting.push(resolve));
    places.give(source);
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The slot is passed on, not freed and taken again, so that no other call slips in between.
    if (next) next();
    else running -= 1;
  }
}

interface Argon2Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

const derive = (
  password: string,
  salt: Uint8Array,
  { memory, passes, parallelism }: Argon2Cost,
  bytes: number,
) =>
  new Promise<Buffer>((resolve, reject) => {
    // One Unicode form, so that a password matches on every keyboard.
    const message = password.normalize("NFC");
    const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: bytes };
    argon2("argon2id", parameters, (error, key) => (error ? reject(error) : resolve(key)));
  });

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

/** `address` is the one of the client that waits; none for a command of the operator. */
export async function hashPassword(password: string, address: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await runInHashSlot(address, () => derive(password, salt, cost, tagBytes));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(salt)}$${encode(key)}`;
}

/**
 * `carriedMark` ends a renewed hash whose password its owner has not changed since it was imported.
 */
const carriedMark = "$carried";

const hashPattern =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)(?:\$carried)?$/;

/** `isCarriedHash` is true as long as the password is the one that was imported. */
export const isCarriedHash = (hash: string): boolean =>
  hash.endsWith(carriedMark) || readImportedHash(hash) !== undefined;

/** `renewHash` hashes the same password anew at a sign-in; `before` is what is stored. */
export async function renewHash(
  password: string,
  before: string,
  address: string,
): Promise<string> {
  const hash = await hashPassword(password, address);
  return isCarriedHash(before) ? `${hash}${carriedMark}` : hash;
}

/**
 * Compared against when the user does not exist, so that a wrong name takes as long as a wrong
 * password.
 */
const dummyHash = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(new Uint8Array(saltBytes))}$${encode(new Uint8Array(tagBytes))}`;

/** An account without a password has an empty hash: nothing matches it, after the same time. */
export async function passwordMatches(
  password: string,
  hash: string | undefined,
  address: string,
): Promise<boolean> {
  const imported = readImportedHash(hash ?? "");
  if (imported)
    return await runInHashSlot(address, () => importedPasswordMatches(password, imported));
  const [, memory, passes, parallelism, salt = "", key = ""] =
    hashPattern.exec(hash || dummyHash) ?? [];
  const expected = Buffer.from(key, "base64");
  const storedCost = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
  if (expected.length === 0) return false;
  const actual = await runInHashSlot(address, () =>
    derive(password, Buffer.from(salt, "base64"), storedCost, expected.length),
  );
  return timingSafeEqual(actual, expected) && Boolean(hash);
}

/** Hashes with other parameters, and those of other systems, are renewed at the next sign-in. */
export const isOutdated = (hash: string) =>
  !hash.includes(`$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`);
