/** Usage as Amazon's Converse counts it. */
import { noUsage, promptTokens } from "../../../money/prices/price.ts";
import { isRecord, records } from "../../wire/json-parts.ts";
import { findTokenCount, type ReportedUsage } from "./reported-usage.ts";

/** Unlike OpenAI's count, the input excludes cached tokens. Undefined when every count is 0. */
export function parseConverseUsage(wire: unknown): ReportedUsage | undefined {
  if (!isRecord(wire)) return undefined;
  const cacheWrites =
    findTokenCount(wire.cacheWriteInputTokens ?? wire.cacheWriteInputTokenCount) ?? 0;
  const hourlyCacheWrites = records(wire.cacheDetails)
    .filter(({ ttl }) => ttl === "1h")
    .reduce((sum, { inputTokens }) => sum + (findTokenCount(inputTokens) ?? 0), 0);
  const cache_write_1h = Math.min(hourlyCacheWrites, cacheWrites);
  const usage = {
    ...noUsage,
    input: findTokenCount(wire.inputTokens) ?? 0,
    cache_read: findTokenCount(wire.cacheReadInputTokens ?? wire.cacheReadInputTokenCount) ?? 0,
    cache_write_5m: cacheWrites - cache_write_1h,
    cache_write_1h,
    output: findTokenCount(wire.outputTokens) ?? 0,
  };
  if (Object.values(usage).every((tokens) => tokens === 0)) return undefined;
  const isPromptUncounted =
    promptTokens(usage) === 0 && findTokenCount(wire.inputTokens) === undefined;
  return {
    usage,
    hiddenOutput: 0,
    isCorrected: false,
    ...(isPromptUncounted && { isPromptUncounted }),
    wire: { family: "converse", members: wire },
  };
}
