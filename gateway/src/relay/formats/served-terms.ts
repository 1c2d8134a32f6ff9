/** The service tier, speed and region that a reply says it was served with. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { factorMembers, type ServedTerms } from "../../money/price-factors.ts";
import { isRecord } from "../wire/json-parts.ts";

/** Longer words are no tier. */
const wordMax = 40;

/** Reads the object that reports the terms: the reply for OpenAI's APIs, its `usage` for Anthropic's. */
export function servedTermsOf(reporting: unknown): ServedTerms | undefined {
  if (!isRecord(reporting)) return undefined;
  const served: ServedTerms = {};
  let isReported = false;
  for (const member of factorMembers) {
    const word = reporting[member];
    if (typeof word !== "string" || word === "" || word.length > wordMax) continue;
    served[member] = word;
    isReported = true;
  }
  return isReported ? served : undefined;
}

/** Google names the tier in a header. */
export const servedTermsInHeaders = ({
  "x-gemini-service-tier": tier,
}: IncomingHttpHeaders): ServedTerms | undefined =>
  typeof tier === "string" ? servedTermsOf({ service_tier: tier }) : undefined;
