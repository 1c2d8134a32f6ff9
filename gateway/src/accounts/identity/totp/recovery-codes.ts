/** Codes for a lost device: eight of 80 random bits, so a plain hash protects them. */
import { createHash, randomBytes } from "node:crypto";
import { encodeBase32 } from "./totp-code.ts";

const codesMade = 8;
const codeBytes = 10;

export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: codesMade }, () =>
    (encodeBase32(randomBytes(codeBytes)).match(/.{4}/g) ?? []).join("-"),
  );

/** Ignores dashes, spaces and case. */
export const hashRecoveryCode = (code: string): string =>
  createHash("sha256")
    .update(code.toUpperCase().replace(/[^A-Z2-7]/g, ""))
    .digest("hex");
