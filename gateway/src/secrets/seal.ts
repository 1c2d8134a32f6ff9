/**
 * Authenticated encryption of secrets at rest. One key per purpose is derived from the master key,
 * and each sealed text is bound to the row that stores it: a value copied to another row does not
 * decrypt.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import type { SealContext, SealPurpose } from "./encrypted-columns.ts";

export interface Sealer {
  readonly keyId: string;
  readonly prefix: string;
  seal<Purpose extends SealPurpose>(
    purpose: Purpose,
    context: SealContext<Purpose>,
    text: string,
  ): string;
  /**
   * Throws `SealError` when the text was sealed with another key, for another purpose or another
   * row.
   */
  open<Purpose extends SealPurpose>(
    purpose: Purpose,
    context: SealContext<Purpose>,
    sealed: string,
  ): string;
  /** `isOurs` says whether this master key sealed it, by the key id in front. */
  isOurs(sealed: string): boolean;
}

export class SealError extends Error {}

const version = "v1";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Identifies a master key without revealing it. */
export const readKeyId = (masterKey: Uint8Array): string =>
  createHash("sha256").update("tollgate key id").update(masterKey).digest("hex").slice(0, 8);

/** The prefix of every value that a master key has sealed. */
export const composeSealPrefix = (keyId: string): string => `${version}.${keyId}.`;

/** `readSealingKeyId` is about the master key that sealed this value. */
export const readSealingKeyId = (sealed: string): string => sealed.split(".")[1] ?? "";

export function createSealer(masterKey: Uint8Array): Sealer {
  if (masterKey.byteLength !== keyBytes)
    throw new TypeError(`the master key must have ${keyBytes} bytes`);
  const keyId = readKeyId(masterKey);
  const prefix = composeSealPrefix(keyId);
  const subKeys = new Map<string, Buffer>();

  const subKey = (purpose: string): Buffer => {
    const known = subKeys.get(purpose);
    if (known) return known;
    const derived = Buffer.from(
      hkdfSync("sha256", masterKey, "", `tollgate/${version}/${purpose}`, keyBytes),
    );
    subKeys.set(purpose, derived);
    return derived;
  };
  const associated = (purpose: string, context: string) =>
    Buffer.from(JSON.stringify([version, keyId, purpose, context]));

  return {
    keyId,
    prefix,
    seal(purpose, context, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", subKey(purpose), nonce).setAAD(
        associated(purpose, context),
      );
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return prefix + Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
    },
    open(purpose, context, sealed) {
      const [sealedVersion, sealedBy, encoded = ""] = sealed.split(".");
      if (sealedVersion !== version) throw new SealError("sealed in an unknown form");
      if (sealedBy !== keyId) throw new SealError(`sealed with another master key (${sealedBy})`);
      const blob = Buffer.from(encoded, "base64url");
      if (blob.length < nonceBytes + tagBytes) throw new SealError("sealed text is cut short");
      const decipher = createDecipheriv(
        "aes-256-gcm",
        subKey(purpose),
        blob.subarray(0, nonceBytes),
        {
          authTagLength: tagBytes,
        },
      );
      decipher.setAAD(associated(purpose, context)).setAuthTag(blob.subarray(-tagBytes));
      try {
        return (
          decipher.update(blob.subarray(nonceBytes, -tagBytes), undefined, "utf8") +
          decipher.final("utf8")
        );
      } catch {
        throw new SealError("sealed text does not belong here");
      }
    },
    isOurs: (sealed) => sealed.startsWith(prefix),
  };
}
