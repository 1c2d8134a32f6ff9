/**
 * The terms that a reply states beside its content: the service tier, speed and region that the
 * call was served with, and its id. Pure.
 */
import type { IncomingHttpHeaders } from "node:http";
import { factorMembers, type ServedTerms } from "../../../money/prices/price-factors.ts";
import { isRecord } from "../../wire/json-parts.ts";

/** Longer words are no tier. */
const wordMax = 40;

/**
 * Reads the object that reports the terms: the reply for OpenAI's APIs, its `usage` for
 * Anthropic's.
 */
export function findServedTerms(reporting: unknown): ServedTerms | undefined {
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
export const findServedTermsInHeaders = ({
  "x-gemini-service-tier": tier,
}: IncomingHttpHeaders): ServedTerms | undefined =>
  typeof tier === "string" ? findServedTerms({ service_tier: tier }) : undefined;

/** OpenAI and most others, Anthropic, Azure, Amazon, Alibaba. */
const idHeaders = [
  "x-request-id",
  "request-id",
  "apim-request-id",
  "x-amzn-requestid",
  "x-dashscope-request-id",
];
/** Ids are short words; anything else does not become a header. */
const idForm = /^[\w.:/+=-]{1,128}$/;

/** The provider's own id of a request, which its support asks for. */
export function findUpstreamRequestId(headers: IncomingHttpHeaders): string | undefined {
  for (const name of idHeaders) {
    const id = headers[name];
    if (typeof id === "string" && idForm.test(id)) return id;
  }
  return undefined;
}
