/**
 * Password hashes of other systems, which imported accounts have until their owner signs in:
 * bcrypt, and scrypt in LiteLLM's form. Their cost is bounded, because a hostile source chooses it.
 */
import { scrypt, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const bcryptPattern = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** The least that bcrypt allows, and about a second of a core. */
const bcryptCost = { min: 4, max: 14 } as const;

const scryptPrefix = "scrypt:";
const scryptBytes = { salt: 16, key: 32 } as const;
/** 16 MiB, as LiteLLM sets it: the text names no cost of its own. */
const scryptCost = { N: 16_384, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;

export type ImportedHash =
  | { kind: "bcrypt"; text: string }
  | { kind: "scrypt"; salt: Buffer; key: Buffer };

/** The hash of another system, if it is one that can be compared at a bounded cost. */
export function readImportedHash(text: string): ImportedHash | undefined {
  const cost = Number(bcryptPattern.exec(text)?.[1] ?? 0);
  if (cost >= bcryptCost.min && cost <= bcryptCost.max) return { kind: "bcrypt", text };
  if (!text.startsWith(scryptPrefix)) return undefined;
  const bytes = Buffer.from(text.slice(scryptPrefix.length), "base64");
  if (bytes.length !== scryptBytes.salt + scryptBytes.key) return undefined;
  return {
    kind: "scrypt",
    salt: bytes.subarray(0, scryptBytes.salt),
    key: bytes.subarray(scryptBytes.salt),
  };
}

/** The other systems hash a password as it was typed; this one in Unicode's form NFC. */
export async function importedPasswordMatches(
  password: string,
  hash: ImportedHash,
): Promise<boolean> {
  const candidates = [...new Set([password, password.normalize("NFC")])];
  if (hash.kind === "bcrypt") return await compareInThread(candidates, hash.text);
  for (const candidate of candidates) if (await scryptMatches(candidate, hash)) return true;
  return false;
}

async function compareInThread(candidates: readonly string[], hash: string): Promise<boolean> {
  const thread = new Worker(new URL("./bcrypt-thread.ts", import.meta.url), {
    workerData: { candidates, hash },
  });
  try {
    const [matches] = await once(thread, "message");
    return matches === true;
  } finally {
    await thread.terminate();
  }
}

const scryptMatches = (
  password: string,
  { salt, key }: { salt: Buffer; key: Buffer },
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, key.length, scryptCost, (error, derived) =>
      error ? reject(error) : resolve(timingSafeEqual(derived, key)),
    );
  });
