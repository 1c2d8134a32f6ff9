/**
 * LiteLLM's rows of spending, in the order in which the calls began. The texts of requests and
 * answers are never read.
 */
import { createHash } from "node:crypto";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import * as z from "zod/mini";
import type { SourceLog, SourceLogPage } from "../import-items.ts";
import { defineWholeNumber, fillRow, formatSourceText } from "../sources/source-fields.ts";
import { ImportRefused, type SourceRow, type SourceTables } from "../sources/source-tables.ts";
import { buildNestedObject, dollars, utcTime } from "./litellm-fields.ts";

export const spendTable = "LiteLLM_SpendLogs";
const count = z.pipe(defineWholeNumber(), z.int().check(z.minimum(0)));
const shape = {
  request_id: formatSourceText(400),
  call_type: formatSourceText(100),
  api_key: formatSourceText(400),
  spend: dollars,
  prompt_tokens: count,
  completion_tokens: count,
  startTime: utcTime,
  endTime: utcTime,
  completionStartTime: utcTime,
  model: formatSourceText(400),
  model_id: formatSourceText(400),
  model_group: formatSourceText(400),
  custom_llm_provider: formatSourceText(100),
  user: formatSourceText(400),
  team_id: formatSourceText(400),
  metadata: formatSourceText(1_000_000),
  status: formatSourceText(100),
};
const spendRow = z.object(shape);
export const spendColumns: readonly string[] = Object.keys(shape);
type SpendRow = z.output<typeof spendRow>;

/**
 * A row is written after its call ended, so that one that began earlier may follow: a younger one
 * is carried by the next run.
 */
const settledAfterMs = 15 * 60_000;
/** Rows that are read together, and more than calls ever began in one millisecond. */
const pageSize = 1_000;

/** `SpendContext` says whose the things are that a row names. */
export interface SpendContext {
  ownerOf(row: { userId: string; teamId: string }): { sourceId: string };
  tokenOf(apiKey: string): string | undefined;
  channelOf(deploymentId: string): string | undefined;
  now: number;
}

/**
 * Ids of rows there are random texts. Here a row counts as the millisecond in which its call began,
 * and its place among the calls of that millisecond.
 */
export async function* readSpendLogs(
  tables: SourceTables,
  context: SpendContext,
  afterId = 0,
): AsyncGenerator<SourceLogPage> {
  const existing = await tables.columns(spendTable);
  const columns = spendColumns.filter((column) => existing.has(column));
  const firstMs = Math.floor(afterId / pageSize);
  for (let after: unknown = new Date(Math.max(0, firstMs - 1)).toISOString(); ; ) {
    const page = await tables.page({
      table: spendTable,
      columns,
      key: "startTime",
      after,
      limit: pageSize,
    });
    const isLast = page.length < pageSize;
    const { complete, isYoung } = completeMoments(page, {
      isLast,
      settledMs: context.now - settledAfterMs,
    });
    const fresh = numberItems(complete).filter(({ sourceId }) => sourceId > afterId);
    const rows = fresh.flatMap(({ row, sourceId }) => readSpend(row, sourceId, context) ?? []);
    const last = fresh.at(-1);
    if (last) yield { rows, others: fresh.length - rows.length, lastId: last.sourceId };
    if (isLast || isYoung) return;
    after = complete.at(-1)?.startTime;
  }
}

const moment = z.object({ startTime: utcTime });
/** NaN for a time that no date here is. */
const parseStart = (row: SourceRow): number =>
  z.safeParse(moment, row).data?.startTime ?? Number.NaN;

/**
 * `completeMoments` leaves out the calls of the last millisecond of a page, of which the next page
 * may have more.
 */
function completeMoments(
  page: readonly SourceRow[],
  { isLast, settledMs }: { isLast: boolean; settledMs: number },
) {
  const young = page.findIndex((row) => !(parseStart(row) <= settledMs));
  if (young >= 0 || isLast)
    return { complete: young < 0 ? page : page.slice(0, young), isYoung: young >= 0 };
  const lastMs = parseStart(page.at(-1) ?? {});
  const complete = page.filter((row) => parseStart(row) < lastMs);
  if (complete.length > 0) return { complete, isYoung: false };
  const at = new Date(lastMs).toISOString();
  throw new ImportRefused(
    `${spendTable} has ${pageSize} calls or more that began at ${at}: carry the rest without --logs`,
  );
}

function numberItems(rows: readonly SourceRow[]): { row: SourceRow; sourceId: number }[] {
  const idOf = (row: SourceRow): string => String(row.request_id);
  const moments = Map.groupBy(rows, parseStart);
  return [...moments].flatMap(([startMs, calls]) =>
    calls
      .toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
      .map((row, place) => ({ row, sourceId: startMs * pageSize + place })),
  );
}

const contentMax = 500;

/** Undefined for a row that is no charge, or cannot be read. */
export function readSpend(
  row: SourceRow,
  sourceId: number,
  context: SpendContext,
): SourceLog | undefined {
  const parsed = z.safeParse(spendRow, fillRow(row, shape));
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const { startTime: startMs, endTime: endMs, spend } = data;
  const quota = spend ?? 0;
  // A failure that cost nothing is no charge.
  if (startMs === undefined || (data.status === "failure" && quota === 0)) return undefined;
  const metadata = buildNestedObject(data.metadata);
  const account = context.ownerOf({ userId: data.user, teamId: data.team_id }).sourceId;
  const elapsedMs = Math.max(0, (endMs ?? startMs) - startMs);
  const firstMs = (data.completionStartTime ?? startMs) - startMs;
  // Where an answer came at once, LiteLLM writes its end as the time of its first content.
  const isStream = firstMs > 0 && firstMs < elapsedMs;
  const model = stripProvider(data);
  const alias = metadata.user_api_key_alias;
  return {
    sourceId,
    userSourceId: account,
    userNumber: numberAccount(account),
    username: data.user || data.team_id || account,
    tokenSourceId: context.tokenOf(data.api_key),
    tokenName: typeof alias === "string" ? alias.slice(0, contentMax) : "",
    channelSourceId: context.channelOf(data.model_id) ?? "",
    model,
    requestedModel: data.model_group || model,
    type: logTypes.consume,
    quota,
    ...buildUsage(data, metadata),
    elapsedMs,
    firstContentMs: isStream ? firstMs : 0,
    isStream,
    content: data.call_type,
    createdAtMs: startMs,
  };
}

const stripProvider = ({ model, custom_llm_provider: provider }: SpendRow): string =>
  provider !== "" && model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;

/** LiteLLM's prompt includes what was read from and written to a cache. */
function buildUsage(
  { prompt_tokens, completion_tokens }: SpendRow,
  metadata: Readonly<Record<string, unknown>>,
) {
  const usage = buildNestedObject(metadata.usage_object);
  const details = buildNestedObject(usage.prompt_tokens_details);
  const written = computeWhole(usage.cache_creation_input_tokens ?? details.cache_creation_tokens);
  const hour = computeWhole(
    buildNestedObject(details.cache_creation_token_details).ephemeral_1h_input_tokens,
  );
  const cachedTokens = Math.min(
    prompt_tokens,
    computeWhole(usage.cache_read_input_tokens ?? details.cached_tokens),
  );
  const writtenTokens = Math.min(prompt_tokens - cachedTokens, written);
  const cacheWrite1hTokens = Math.min(writtenTokens, hour);
  return {
    promptTokens: prompt_tokens,
    completionTokens: completion_tokens,
    cachedTokens,
    cacheWrite5mTokens: writtenTokens - cacheWrite1hTokens,
    cacheWrite1hTokens,
  };
}

const computeWhole = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Sums are kept by number. Two accounts of one number, of 2^48, would be compared together. */
const numberAccount = (account: string): number =>
  createHash("sha256").update(account).digest().readUIntBE(0, 6);
