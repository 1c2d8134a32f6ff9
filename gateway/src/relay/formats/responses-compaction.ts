/**
 * Compaction of a long conversation, as coding agents ask for it: `/v1/responses/compact` answers
 * with the shorter conversation, and so does an item `compaction_trigger` in an ordinary request.
 * The result is encrypted by its provider.
 */
import { type JsonRecord, records, text } from "../wire/json-parts.ts";
import type { ClientFormat, ReplyFacts } from "./api-format.ts";
import { buildWrittenReply } from "./reply-facts.ts";
import { buildAddress, isCompactionItem, responses } from "./responses.ts";
import { findUsageOfResponse } from "./responses-usage.ts";
import { joinOutput, parseWritten } from "./usage/written-output.ts";

/** Everything in the output but the summary is repeated from the request. */
function readReply(json: JsonRecord): ReplyFacts | undefined {
  const { object, output } = json;
  if (text(object) !== "response.compaction" || !Array.isArray(output)) return undefined;
  const summaries = records(output).filter(isCompactionItem);
  return {
    usage: findUsageOfResponse(json),
    ...buildWrittenReply(joinOutput(summaries.map((item) => parseWritten(item)))),
  };
}

const { writeOutputLimit: _, ...unlimited } = responses;

export const responsesCompaction: ClientFormat = {
  ...unlimited,
  parseRequest: (json, isEstimateRough) => ({
    ...responses.parseRequest(json, isEstimateRough),
    isStream: false,
    ownApiFor: "compaction",
  }),
  upstream: {
    ...responses.upstream,
    urlFor: (endpointUrl) => buildAddress(endpointUrl, "compact"),
    readReply,
  },
};
