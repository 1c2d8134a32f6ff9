/**
 * Usage as Anthropic counts it: the input excludes cached tokens, and passes of other models are
 * counted beside the call.
 */
import { textBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import { noUsage, promptTokens, type TextBucket, type Usage } from "../../../money/prices/price.ts";
import { record, records } from "../../wire/json-parts.ts";
import { findTokenCount, type ReportedUsage } from "./reported-usage.ts";

interface MessagesUsageWire {
  input_tokens?: unknown;
  output_tokens?: unknown;
  output_tokens_details?: { thinking_tokens?: unknown } | null;
  cache_read_input_tokens?: unknown;
  cache_creation_input_tokens?: unknown;
  cache_creation?: {
    ephemeral_5m_input_tokens?: unknown;
    ephemeral_1h_input_tokens?: unknown;
  } | null;
  server_tool_use?: { web_search_requests?: unknown } | null;
  iterations?: unknown;
}

/**
 * Passes of a model that the counts beside them leave out: its advisor, and the summary of an
 * earlier conversation.
 */
const separateIterations = new Set<unknown>(["advisor_message", "compaction"]);

/** The usage of separate passes, at the price of the call. */
function separateUsage(iterations: unknown): Usage {
  const sum = { ...noUsage };
  for (const iteration of records(iterations)) {
    const usage = separateIterations.has(iteration.type)
      ? parseMessagesUsage(iteration)?.usage
      : undefined;
    if (usage) for (const bucket of textBuckets) sum[bucket] += usage[bucket];
  }
  return sum;
}

/**
 * Unlike OpenAI's count, the input excludes cached tokens. A count that a later event omits keeps
 * its value.
 */
export function parseMessagesUsage(
  wire: unknown,
  previous: Usage = noUsage,
): ReportedUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const reported = wire as MessagesUsageWire;
  const cacheWrites = findTokenCount(reported.cache_creation_input_tokens);
  const hour = findTokenCount(reported.cache_creation?.ephemeral_1h_input_tokens);
  const fiveMinutes = findTokenCount(reported.cache_creation?.ephemeral_5m_input_tokens);
  const searched = findTokenCount(reported.server_tool_use?.web_search_requests);
  const web_searches = searched ?? previous.web_searches ?? 0;
  const separate = separateUsage(reported.iterations);
  /** A count that this object omits already holds the separate passes of an earlier one. */
  const withSeparate = (bucket: TextBucket, counted: number | undefined): number =>
    counted === undefined ? previous[bucket] : counted + separate[bucket];
  const hourlyWrites = hour ?? previous.cache_write_1h;
  const otherWrites =
    cacheWrites === undefined ? undefined : Math.max(0, cacheWrites - hourlyWrites);
  // Compatible servers send a total beside zeros for both ages.
  const writesOfFiveMinutes =
    fiveMinutes === undefined ? otherWrites : Math.max(fiveMinutes, otherWrites ?? 0);
  const said = {
    input: findTokenCount(reported.input_tokens),
    cache_read: findTokenCount(reported.cache_read_input_tokens),
    cache_write_5m: writesOfFiveMinutes,
    cache_write_1h: hour,
    output: findTokenCount(reported.output_tokens),
  };
  // Compatible servers say 0 of everything, also beside the searches that they ran: the counts
  // before stand, or the estimate.
  const saysNoTokens = [said, separate].every((counts) =>
    Object.values(counts).every((tokens) => !tokens),
  );
  if (saysNoTokens && !searched) return undefined;
  const counted: Usage = { ...noUsage };
  for (const bucket of textBuckets) counted[bucket] = withSeparate(bucket, said[bucket]);
  // Compatible servers say 0 of the prompt at the end of a stream; no prompt has no tokens.
  const prompt = promptTokens(counted) > 0 && !saysNoTokens ? counted : previous;
  const output = saysNoTokens ? previous.output : counted.output;
  const usage: Usage = { ...prompt, output, ...(web_searches > 0 && { web_searches }) };
  const thinking = findTokenCount(reported.output_tokens_details?.thinking_tokens) ?? 0;
  const hiddenOutput = Math.min(thinking + separate.output, usage.output);
  const isPromptUncounted =
    promptTokens(usage) === 0 &&
    (saysNoTokens || findTokenCount(reported.input_tokens) === undefined);
  return {
    usage,
    hiddenOutput,
    isCorrected: false,
    ...(saysNoTokens && output === 0 && { isPartial: true }),
    ...(isPromptUncounted && { isPromptUncounted }),
    wire: { family: "anthropic", members: record(wire) },
  };
}
