/**
 * LiteLLM's newest rows of spending as calls with what they were charged for, so that prices can be
 * compared.
 */
import * as z from "zod/mini";
import type { SourceCall } from "../import-items.ts";
import { fillRow, formatSourceText } from "../sources/source-fields.ts";
import { buildRows, type SourceRow, type SourceTables } from "../sources/source-tables.ts";
import { buildNestedObject } from "./litellm-fields.ts";
import { readSpend, type SpendContext, spendColumns, spendTable } from "./litellm-logs.ts";

/** Calls that are charged by their tokens; the others by pictures, seconds, pages or searches. */
const chargedByTokens =
  /^a?(completion|text_completion|embedding|responses|generate_content|generate_content_stream|anthropic_messages)$/;
/** Dollars there become units with halves rounded up, and a charge here is rounded up. */
const rounding = { least: 0, most: 1 };

/** Calls of one millisecond on both sides of a page are left out, which a sample can do without. */
export async function* readSpendCalls(
  tables: SourceTables,
  context: SpendContext,
): AsyncGenerator<readonly (SourceCall | undefined)[]> {
  const order = { columns: spendColumns, key: "startTime", isDescending: true };
  for await (const rows of buildRows(tables, spendTable, order))
    yield rows.map((row) => readSpendCall(row, context));
}

const shape = { call_type: formatSourceText(100), metadata: formatSourceText(1_000_000) };
const chargedRow = z.object(shape);

/**
 * Undefined for a call that cost nothing, was charged by more than text tokens, or cannot be read.
 */
function readSpendCall(row: SourceRow, context: SpendContext): SourceCall | undefined {
  const log = readSpend(row, 0, context);
  const { success, data } = z.safeParse(chargedRow, fillRow(row, shape));
  if (!log || log.quota === 0 || !success || !chargedByTokens.test(data.call_type))
    return undefined;
  if (hasOtherCharges(buildNestedObject(data.metadata))) return undefined;
  const { promptTokens, completionTokens, cachedTokens, cacheWrite5mTokens, cacheWrite1hTokens } =
    log;
  return {
    userSourceId: log.userSourceId,
    channelSourceId: log.channelSourceId,
    group: undefined,
    model: log.requestedModel,
    usage: {
      input: promptTokens - cachedTokens - cacheWrite5mTokens - cacheWrite1hTokens,
      cache_read: cachedTokens,
      cache_write_5m: cacheWrite5mTokens,
      cache_write_1h: cacheWrite1hTokens,
      output: completionTokens,
    },
    quota: log.quota,
    rounding,
  };
}

/** Tools, a tier of service, and tokens of sound or pictures have prices of their own. */
function hasOtherCharges(metadata: Readonly<Record<string, unknown>>): boolean {
  const usage = buildNestedObject(metadata.usage_object);
  const tier = usage.service_tier ?? "default";
  const details = [
    buildNestedObject(usage.prompt_tokens_details),
    buildNestedObject(usage.completion_tokens_details),
  ];
  const isSome = (value: unknown): boolean => typeof value === "number" && value > 0;
  return (
    isSome(buildNestedObject(metadata.cost_breakdown).tool_usage_cost) ||
    !["default", "standard", "auto"].includes(String(tier)) ||
    details.some(({ audio_tokens, image_tokens }) => isSome(audio_tokens) || isSome(image_tokens))
  );
}
