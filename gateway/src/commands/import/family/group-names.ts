/**
 * Group names as they are accepted here. Pure: users and channels of one group get the same name.
 */
import { createHash } from "node:crypto";

const lengthMax = 32;
const suffixLength = 6;
const accepted = /^[^\s,\p{Cc}](?:[^,\p{Cc}]{0,30}[^\s,\p{Cc}])?$/u;

export const defaultGroup = "default";

/** A name that is not accepted gets a suffix of its own, so that no two groups become one. */
export function readAcceptedGroup(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") return defaultGroup;
  if (accepted.test(trimmed)) return trimmed;
  const suffix = createHash("sha256").update(trimmed).digest("hex").slice(0, suffixLength);
  const rest = trimmed.replace(/[,\p{Cc}]/gu, "_").slice(0, lengthMax - suffixLength - 1);
  return `${rest.trim()}-${suffix}`;
}
