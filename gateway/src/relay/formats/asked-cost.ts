/**
 * The client's question for the cost of its call, in OpenRouter's words (`usage: {"include":
 * true}`) or LiteLLM's (`stream_options: {"include_cost": true}`). Both ask the gateway: no
 * provider is sent them, and OpenAI would refuse the call.
 */
import { isRecord, type JsonRecord, record } from "../wire/json-parts.ts";
import type { PlainRequest } from "./call-parts.ts";

/** `findAskedCost` reads the question of a request of chat completions for its costs. */
export function findAskedCost({
  usage,
  stream_options,
}: JsonRecord): Pick<PlainRequest, "wantsCost" | "ownMembers"> {
  const isUsageAsked = isRecord(usage) && "include" in usage;
  const isCostAsked = isRecord(stream_options) && "include_cost" in stream_options;
  if (!isUsageAsked && !isCostAsked) return {};
  return {
    wantsCost: record(usage).include === true || record(stream_options).include_cost === true,
    ownMembers: [
      ...(isUsageAsked ? [["usage"]] : []),
      ...(isCostAsked ? [["stream_options", "include_cost"]] : []),
    ],
  };
}
