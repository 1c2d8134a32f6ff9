/** The log of the family in the order in which it was written. */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import * as z from "zod/mini";
import type { SourceCharge, SourceLog, SourceLogPage } from "../import-items.ts";
import {
  defineWholeNumber,
  fillRow,
  formatSourceText,
  parseJsonObject,
  sourceFlag,
  sourceTime,
  sourceUnits,
} from "../sources/source-fields.ts";
import { buildRows, type SourceRow, type SourceTables } from "../sources/source-tables.ts";
import type { FamilyKind } from "./family-kind.ts";

const count = z.pipe(defineWholeNumber(), z.int().check(z.minimum(0)));
const shape = {
  id: defineWholeNumber(),
  user_id: defineWholeNumber(),
  created_at: sourceTime,
  type: defineWholeNumber(),
  content: formatSourceText(1_000_000),
  username: formatSourceText(400),
  token_id: defineWholeNumber(),
  token_name: formatSourceText(400),
  channel_id: defineWholeNumber(),
  model_name: formatSourceText(400),
  origin_model_name: formatSourceText(400),
  quota: sourceUnits,
  prompt_tokens: count,
  completion_tokens: count,
  cached_prompt_tokens: count,
  /** Milliseconds; new-api stores seconds in `use_time`. */
  elapsed_time: count,
  use_time: count,
  is_stream: sourceFlag,
  other: formatSourceText(1_000_000),
};
const logRow = z.object(shape);
const columns = Object.keys(shape).filter((name) => name !== "id");

/**
 * Tests, errors, refunds and calls that Laisky's fork has not reconciled yet have no counterpart.
 */
const carriedTypes: readonly number[] = [
  logTypes.topup,
  logTypes.consume,
  logTypes.management,
  logTypes.system,
];
/** A call of the source may be written late: a row that is younger is carried by the next run. */
const settledAfterMs = 10_000;
const secondMs = 1_000;
const contentMax = 500;

export async function* readLogs(
  tables: SourceTables,
  { kind, afterId, now }: { kind: FamilyKind; afterId: number | undefined; now: number },
): AsyncGenerator<SourceLogPage> {
  for await (const page of buildRows(tables, "logs", { columns, key: "id", after: afterId })) {
    const young = page.findIndex((row) => Number(row.created_at) * secondMs > now - settledAfterMs);
    const settled = young < 0 ? page : page.slice(0, young);
    const rows = settled.flatMap((row) => readLog(kind, row) ?? []);
    const last = settled.at(-1);
    if (last) yield { rows, others: settled.length - rows.length, lastId: Number(last.id) };
    if (young >= 0) return;
  }
}

const chargeRow = z.object({
  request_id: formatSourceText(100),
  type: defineWholeNumber(),
  quota: sourceUnits,
  created_at: sourceTime,
});
const chargeColumns = ["request_id", "type", "quota", "created_at"];

/**
 * Newest first. Rows without the id of their request, as older versions write them, are left out.
 */
export async function* readCharges(tables: SourceTables): AsyncGenerator<readonly SourceCharge[]> {
  for await (const rows of buildRows(tables, "logs", {
    columns: chargeColumns,
    key: "id",
    isDescending: true,
  })) {
    yield rows.flatMap((row) => {
      const { success, data } = z.safeParse(chargeRow, fillRow(row, chargeRow.shape));
      if (
        !success ||
        data.type !== logTypes.consume ||
        data.request_id === "" ||
        data.created_at === undefined
      )
        return [];
      return [
        {
          requestId: data.request_id,
          quota: Math.max(0, data.quota),
          createdAtMs: data.created_at,
        },
      ];
    });
  }
}

export function readLog(kind: FamilyKind, row: SourceRow): SourceLog | undefined {
  const parsed = z.safeParse(logRow, fillRow(row, shape));
  if (!parsed.success) return undefined;
  const { data } = parsed;
  if (!carriedTypes.includes(data.type) || data.created_at === undefined || data.id <= 0)
    return undefined;
  const { prompt, cached, written5m, written1h, firstContentMs } = buildUsage(kind, data);
  return {
    sourceId: data.id,
    userSourceId: String(data.user_id),
    userNumber: data.user_id,
    username: data.username,
    tokenSourceId: data.token_id > 0 ? String(data.token_id) : undefined,
    tokenName: data.token_name,
    channelSourceId: String(data.channel_id),
    model: data.model_name,
    requestedModel: data.origin_model_name || data.model_name,
    type: data.type,
    // A refund stands as a negative charge in some versions: a sum of charges would not be one.
    quota: Math.max(0, data.quota),
    promptTokens: prompt,
    completionTokens: data.completion_tokens,
    cachedTokens: cached,
    cacheWrite5mTokens: written5m,
    cacheWrite1hTokens: written1h,
    elapsedMs: kind === "new-api" ? data.use_time * secondMs : data.elapsed_time,
    firstContentMs,
    isStream: data.is_stream,
    content: data.content.slice(0, contentMax),
    createdAtMs: data.created_at,
  };
}

/**
 * `buildUsage` adds the tokens that were read from and written to a cache to the prompt, as the
 * wire here has it.
 */
function buildUsage(kind: FamilyKind, row: z.output<typeof logRow>) {
  const plain = { prompt: row.prompt_tokens, written5m: 0, written1h: 0, firstContentMs: 0 };
  if (kind !== "new-api")
    return { ...plain, cached: Math.min(row.cached_prompt_tokens, row.prompt_tokens) };
  const other = parseJsonObject(row.other) ?? {};
  const whole = (name: string): number => {
    const value = other[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  const [cached, written] = [whole("cache_tokens"), whole("cache_creation_tokens")];
  const written1h = Math.min(written, whole("cache_creation_tokens_1h"));
  const isBeside = other.claude === true || cached + written > row.prompt_tokens;
  const elapsedMs = row.use_time * secondMs;
  const frt = whole("frt");
  return {
    prompt: row.prompt_tokens + (isBeside ? cached + written : 0),
    cached,
    written5m: written - written1h,
    written1h,
    firstContentMs: frt <= elapsedMs ? frt : 0,
  };
}
