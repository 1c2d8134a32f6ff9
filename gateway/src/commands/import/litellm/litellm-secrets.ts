/**
 * Values that LiteLLM seals in its database: by LITELLM_SALT_KEY, or by the master key without one.
 */
import { createDecipheriv, createHash } from "node:crypto";
import { ImportRefused } from "../sources/source-tables.ts";
import { openSecretbox } from "./secretbox.ts";

const gcmPrefix = "v2:gcm:";
const gcmBytes = { nonce: 12, tag: 16 } as const;
/**
 * Nonce, tag and one byte of a secretbox in base 64, in either alphabet; a service account of
 * Google has three thousand.
 */
const boxPattern = /^[\w+/-]{55,20000}={0,2}$/;
/**
 * `plainKeyPattern` is as the keys of most providers begin: long, of the same letters as base 64,
 * and in clear text.
 */
const plainKeyPattern = /^(sk-|AIza|gsk_|xai-|nvapi-|r8_|pplx-)/;

const missingKey =
  "the provider keys in the database are sealed: set LITELLM_SALT_KEY (or LITELLM_MASTER_KEY, if it has none) to the value that LiteLLM runs with";

export type LitellmSecrets = ReturnType<typeof buildLitellmSecrets>;

/** `secret` is the salt key or the master key of the source, empty where neither is known. */
export function buildLitellmSecrets(secret: string) {
  const key = secret === "" ? undefined : createHash("sha256").update(secret).digest();
  const opened = (text: string): string | undefined => {
    if (!key) return undefined;
    if (text.startsWith(gcmPrefix))
      return openGcm(Buffer.from(text.slice(gcmPrefix.length), "base64url"), key);
    return boxPattern.test(text)
      ? openSecretbox(Buffer.from(text, "base64url"), key)?.toString("utf8")
      : undefined;
  };
  return {
    /**
     * The texts in their order, in clear. What does not open is clear text once another value has
     * opened. Throws `ImportRefused` where nothing opens and a value looks sealed: a sealed text
     * must never become a provider's key.
     */
    openAll(texts: readonly string[]): string[] {
      const found = texts.map(opened);
      const isKeyProven = found.some((text) => text !== undefined);
      return texts.map((text, index) => {
        const clear = found[index];
        if (clear !== undefined) return clear;
        const looksSealed =
          text.startsWith(gcmPrefix) ||
          (!isKeyProven && boxPattern.test(text) && !plainKeyPattern.test(text));
        if (looksSealed) throw new ImportRefused(missingKey);
        return text;
      });
    },
  };
}

function openGcm(sealed: Buffer, key: Buffer): string | undefined {
  if (sealed.length < gcmBytes.nonce + gcmBytes.tag) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, gcmBytes.nonce));
  decipher.setAuthTag(sealed.subarray(-gcmBytes.tag));
  const body = sealed.subarray(gcmBytes.nonce, -gcmBytes.tag);
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
