/** Begins a batch whose calls are checked: it is held for, and then the provider is told to run it. */
import { StorageUnavailable, tryWrite } from "../../storage/database.ts";
import { isBudgetRefusal } from "../../storage/money-commands.ts";
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import { idTime } from "../../storage/time-ids.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { callBudgetRefused } from "../admission/budget-refusals.ts";
import type { CallTags } from "../admission/call-tags.ts";
import { admit } from "../admission/token-limits.ts";
import { quotaRefusals } from "../admit-call.ts";
import type { Exchange } from "../exchange.ts";
import { accountHash } from "../provider-states/provider-states.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { objectAnswerMax, objectId } from "../stored-files/file-object.ts";
import { type ObjectRequest, readObject, sendObjectRequest } from "../stored-files/provider-objects.ts";
import { mayBeTaken } from "../upstream/upstream-error.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { badRequest, noRetryHeaders, RelayRefused } from "../wire/relay-refusal.ts";
import type { BatchSetting, CheckedCalls } from "./batch-calls.ts";
import type { BatchDialect } from "./batch-dialect.ts";
import { openBatchesMax } from "./batch-store.ts";
import type { BatchTerms } from "./batch-terms.ts";

/** The only window that providers offer. */
const windowMs = 24 * 3_600_000;
/** The hold has no owner that renews it; it ends with the batch. */
const leaseMs = 7 * 24 * 3_600_000;
/** When the provider is asked about a batch whose creation had no usable answer. */
const unknownAskAfterMs = 60_000;

/** Counts the creation against the limits of the key while it runs. Throws `RelayRefused`. */
export async function admitBatch(
  exchange: Exchange,
  { userId, tokenId, limits }: RelayCaller,
  run: () => Promise<void>,
  deps: RelayDeps,
): Promise<void> {
  // Before the lines are read; what decides is the statement that adds the row.
  if ((await deps.batches.store.open(userId)) >= openBatchesMax) throw tooMany();
  if (limits)
    exchange.admission = await admit({ id: exchange.id, tokenId, limits, promptEstimate: 0 }, deps.counters, deps.now);
  try {
    await run();
  } finally {
    exchange.admission?.finish(0);
  }
}

export interface AskedRun {
  dialect: BatchDialect;
  /** What every line calls. */
  endpoint: string;
  /** Where the lines are a file at the provider. */
  inputFileId?: string;
  /** Makes the provider run the batch. */
  request: ObjectRequest;
}

/**
 * The provider's answer. The row is there before the hold, and the hold before the provider is told: a crash in between leaves what the
 * clock ends. Throws `RelayRefused`.
 */
export async function beginBatch(
  exchange: Exchange,
  asked: AskedRun,
  checked: CheckedCalls,
  { caller, home }: BatchSetting,
  deps: RelayDeps,
): Promise<JsonRecord> {
  exchange.model = checked.model;
  const at = idTime(exchange.id);
  const { tokenId, userId } = caller;
  const tags = deps.tags.of(exchange, caller);
  const targets = () => [];
  const budgets = deps.budgets.heldBy({ at, tokenId, userId, model: checked.model, tags: tags?.counted, targets });
  const terms = termsFor(exchange, asked, checked, { caller, home }, { tags, hasBudgets: budgets !== undefined });
  const row = newRow(exchange.id, asked.dialect, terms, caller, home.channel.id);
  if (await tryWrite(deps.batches.db, deps.batches.store.insert(row))) throw tooMany();
  const drop = () => deps.batches.db.write([deps.batches.store.remove(row.id)]);
  const held = await deps.batches.db
    .money({
      verb: "hold",
      id: row.id,
      walletId: caller.walletId,
      userId,
      tokenId,
      tokenIsUnlimited: caller.isUnlimited,
      amount: checked.amount,
      least: checked.least,
      leaseUntil: at + leaseMs,
      snapshot: JSON.stringify(terms.snapshot),
      budgets,
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof StorageUnavailable)) await drop();
      throw error;
    });
  if (held !== "held" && typeof held !== "number") {
    await drop();
    if (isBudgetRefusal(held)) throw await callBudgetRefused(held, { at, least: checked.least }, deps);
    throw new RelayRefused(quotaRefusals[held]);
  }
  // From here on the client's connection matters no more: the provider may have the batch.
  exchange.onClientLeave(undefined);
  const sent = await sendObjectRequest(deps, home, asked.request, () => undefined);
  if ("error" in sent) {
    const { status, refusal } = sent.error;
    if (mayBeTaken(sent.error)) {
      if (status > 0)
        await deps.batches.db.write([deps.batches.store.change(row.id, { terms: termsAfter(terms, status) })]);
      throw outcomeUnknown(asked.dialect);
    }
    await deps.batches.db.money({ verb: "release", id: row.id });
    await drop();
    throw new RelayRefused(refusal);
  }
  const answer = await readObject(sent.answer, objectAnswerMax).catch(() => undefined);
  if (!answer || typeof answer.id !== "string" || !objectId.test(answer.id)) throw outcomeUnknown(asked.dialect);
  await deps.batches.accepted(row, answer, home);
  return answer;
}

const tooMany = (): RelayRefused =>
  badRequest("too_many_batches", `A user may have ${openBatchesMax} batches that have not ended`);

const termsAfter = (terms: BatchTerms, failedStatus: number): string => JSON.stringify({ ...terms, failedStatus });

const outcomeUnknown = ({ lostCreation }: BatchDialect): RelayRefused =>
  new RelayRefused({
    status: 502,
    type: "upstream_error",
    code: "batch_outcome_unknown",
    message: `The provider gave no usable answer and may run the batch. ${lostCreation}`,
    headers: noRetryHeaders,
  });

function termsFor(
  { request, receivedAt, shownUrl }: Exchange,
  { endpoint, inputFileId }: AskedRun,
  checked: CheckedCalls,
  { caller, home: { channel, key } }: BatchSetting,
  { tags, hasBudgets }: { tags: CallTags | undefined; hasBudgets: boolean },
): BatchTerms {
  return {
    snapshot: {
      username: caller.username,
      token_name: caller.tokenName,
      origin_model_name: checked.model,
      is_stream: false,
      url: shownUrl,
      method: request.method ?? "",
      body_size: Number(request.headers["content-length"] ?? 0) || 0,
      received_at: receivedAt,
      ...(tags && { tags: tags.logged }),
    },
    tokenId: caller.tokenId,
    group: checked.cost.frozen.group ?? caller.group,
    endpoint,
    ...(inputFileId !== undefined && { inputFileId }),
    account: accountHash(channel, key),
    channelName: channel.name,
    model: checked.model,
    price: checked.cost.frozen,
    lines: checked.lines,
    promptEstimate: checked.promptEstimate,
    promptMax: checked.promptMax,
    completionMax: checked.completionMax,
    isDistrusted: channel.mayReportFalseUsage,
    isPromptSeen: checked.isPromptSeen,
    hasBudgets,
    elapsedMs: Math.max(0, Date.now() - receivedAt),
  };
}

function newRow(
  id: number,
  { name }: BatchDialect,
  terms: BatchTerms,
  { userId }: RelayCaller,
  channelId: number,
): ProviderBatchRow {
  const at = idTime(id);
  return {
    id,
    batch_id: null,
    channel_id: channelId,
    user_id: userId,
    dialect: name,
    state: "creating",
    terms: JSON.stringify(terms),
    answer: null,
    created_at: at,
    expires_at: at + windowMs,
    due_at: at + unknownAskAfterMs,
    lease_until: 0,
  };
}
