/**
 * Tells whether a setting of the source changed since the last run, without keeping its text: some
 * are secrets.
 */
import { createHash } from "node:crypto";

export const readOptionDigest = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);
