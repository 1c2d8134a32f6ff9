/**
 * Begins a batch whose calls are checked: it is held for, and then the provider is told to run it.
 */

import type { Counters } from "../../limits/counters.ts";
import type { CallSnapshot } from "../../money/call-log-row.ts";
import { StorageUnavailable, tryWrite } from "../../storage/database.ts";
import { isBudgetRefusal } from "../../storage/money-commands.ts";
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import { type BudgetStopDeps, callBudgetRefused } from "../admission/budget-refusals.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { type FundsDeps, refuseForFunds } from "../admission/funds-refusals.ts";
import { ownerColumns } from "../admission/kept-owner.ts";
import { admitWithinLimits } from "../admission/token-limits.ts";
import { type AccountAnswer, type AskDeps, askAccounts } from "../creations/ask-accounts.ts";
import {
  type BeginCreationDeps,
  beginCreation,
  findHome,
  readHome,
} from "../creations/creation.ts";
import {
  type ObjectRequest,
  readAskedObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import type { ArrivedRequest, KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import { hashAccount } from "../provider-states/state-rules.ts";
import type { ChannelCandidate, ChannelChoice } from "../routing/choose-channels.ts";
import { buildLoggedRow, type EndDeps, type LoggedRowDeps, tellEnd } from "../settle-call.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import type { SendDeps } from "../upstream/send.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { noRetryHeaders, RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import type { BatchSetting, CheckedCalls } from "./batch-calls.ts";
import type { BatchDialect } from "./batch-dialect.ts";
import { openBatchesMax } from "./batch-store.ts";
import type { BatchTerms } from "./batch-terms.ts";
import type { Batches } from "./batches.ts";

export type BeginBatchDeps = BeginCreationDeps &
  AskDeps &
  SendDeps &
  BudgetStopDeps &
  FundsDeps &
  EndDeps &
  LoggedRowDeps & { batches: Batches; counters: Counters };

/** The only window that providers offer. */
const windowMs = 24 * 3_600_000;
/** The hold has no owner that renews it; it ends with the batch. */
const leaseMs = 7 * 24 * 3_600_000;
/**
 * `unknownAskAfterMs` are when the provider is asked about a batch whose creation had no usable
 * answer.
 */
const unknownAskAfterMs = 60_000;

/** Counts the creation against the limits of the key while it runs. Throws `RelayRefused`. */
export async function admitBatch(
  exchange: KnownCall,
  caller: CallerIdentity & CallerFunds & KeyRules,
  run: () => Promise<void>,
  deps: BeginBatchDeps,
): Promise<void> {
  // Before the lines are read; what decides is the statement that adds the row.
  if ((await deps.batches.store.open(caller)) >= openBatchesMax) throw refuseTooMany();
  await admitWithinLimits(exchange, caller, 0, deps);
  try {
    await run();
  } finally {
    exchange.facts.admission?.finish(0);
  }
}

export interface AskedRun {
  dialect: BatchDialect;
  /** `endpoint` is what every line calls. */
  endpoint: string;
  /** `inputFileId` is where the lines are a file at the provider. */
  inputFileId?: string;
  /** Makes the provider run the batch. */
  request: ObjectRequest;
}

/**
 * `BatchPlaces` are where a batch may run: each account with what the checked calls come to there.
 */
export interface BatchPlaces {
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules;
  choice: ChannelChoice;
  /** The account that keeps what the batch names. */
  bound: ObjectHome | undefined;
  checkedAt: ReadonlyMap<ChannelCandidate, CheckedCalls>;
}

/**
 * The provider's answer; undefined where no provider took the batch, which the client has been told
 * then. The row is there before the hold, and the hold before a provider is told: a crash in
 * between leaves what the clock ends. Throws `RelayRefused`.
 */
export async function beginBatch(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  asked: AskedRun,
  { caller, choice, bound, checkedAt }: BatchPlaces,
  deps: BeginBatchDeps,
): Promise<JsonRecord | undefined> {
  const { db, store } = deps.batches;
  const [first] = choice.candidates;
  if (!first) throw new TypeError("a batch without a place to run");
  const checkedFor = (candidate: ChannelCandidate): CheckedCalls => {
    const checked = checkedAt.get(candidate);
    if (!checked)
      throw new TypeError(`channel ${candidate.channel.id} was not checked for the batch`);
    return checked;
  };
  const { model } = checkedFor(first);
  const at = computeIdTime(exchange.id);
  const { tokenId, userId, teamId, memberId } = caller;
  const bodyBytes = Number(exchange.request.headers["content-length"] ?? 0) || 0;
  const plan = { entry: nameEntry(asked), model, choice, bound, bodyBytes };
  const creation = beginCreation(exchange, caller, plan, deps);
  const { recorder, tags } = creation;
  const targets = () => [];
  const budgets = deps.budgets.heldBy({
    at,
    tokenId,
    userId,
    teamId,
    memberId,
    model,
    tags: tags?.counted,
    targets,
  });
  const hasBudgets = budgets !== undefined;
  const termsAt = (candidate: ChannelCandidate, home: ObjectHome): BatchTerms =>
    buildTerms(
      exchange,
      asked,
      checkedFor(candidate),
      { caller, home },
      { snapshot: recorder.snapshot, hasBudgets },
    );
  let terms = termsAt(first, bound ?? findHome(first.channel));
  let row = buildRow(exchange.id, asked.dialect, terms, caller, first.channel.id);
  if (await tryWrite(db, store.insert(row))) throw refuseTooMany();
  const drop = () => db.write([store.remove(row.id)]);
  const all = choice.candidates.map(checkedFor);
  const least = Math.max(...all.map((one) => one.least));
  const held = await db
    .money({
      verb: "hold",
      id: row.id,
      walletId: caller.walletId,
      userId,
      tokenId,
      tokenIsUnlimited: caller.isUnlimited,
      amount: Math.max(...all.map(({ amount }) => amount)),
      least,
      leaseUntil: at + leaseMs,
      snapshot: JSON.stringify(recorder.snapshot),
      budgets,
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof StorageUnavailable)) await drop();
      throw error;
    });
  if (held !== "held" && typeof held !== "number") {
    await drop();
    if (isBudgetRefusal(held)) throw await callBudgetRefused(held, { at, least, caller }, deps);
    throw await refuseForFunds(held, least, caller, deps);
  }
  // From here on the client's connection matters no more: the provider may have the batch.
  exchange.onClientLeave(undefined);
  const unitsAt = (candidate: ChannelCandidate): number => checkedFor(candidate).onChannel;
  const end = await askAccounts(
    { ...creation, unitsAt },
    async (attempt): Promise<AccountAnswer<JsonRecord>> => {
      const home = readHome(attempt);
      const here = termsAt(attempt.candidate, home);
      // The clock asks the account that the row names, should this process die now.
      if (here.account !== terms.account) {
        row = { ...row, channel_id: home.channel.id, terms: JSON.stringify(here) };
        await db.write([store.change(row.id, { channel_id: row.channel_id, terms: row.terms })]);
      }
      terms = here;
      const sent = await sendObjectRequest(deps, home, asked.request, () => undefined);
      return readAskedObject(sent, objectAnswerMax, "batch");
    },
    deps,
  );
  terms = { ...terms, traced: recorder.traced() };
  if ("attempt" in end) {
    await deps.batches.accepted(
      { ...row, terms: JSON.stringify(terms) },
      end.made,
      readHome(end.attempt),
    );
    return end.made;
  }
  const { error, isUncertain } = end;
  if (isUncertain) {
    const failed = error.status > 0 ? { failedStatus: error.status } : {};
    await db.write([store.change(row.id, { terms: JSON.stringify({ ...terms, ...failed }) })]);
    throw refuseOutcomeUnknown(asked.dialect);
  }
  const settlement = recorder.finishUnanswered(error);
  const log = buildLoggedRow(settlement, deps);
  await db.money({
    verb: "settle",
    id: row.id,
    charge: 0,
    log,
    trace: settlement.trace,
    hasBudgets,
  });
  await drop();
  tellEnd(exchange, settlement, log, deps);
  exchange.refuse(error.refusal);
  return undefined;
}

/** `nameEntry` gives what metrics call a line of the batch. */
const nameEntry = ({ dialect, endpoint }: AskedRun): string =>
  dialect.formatOf(endpoint)?.endpoint ?? "";

const refuseTooMany = (): RelayRefused =>
  refuseBadRequest(
    "too_many_batches",
    `A user may have ${openBatchesMax} batches that have not ended`,
  );

const refuseOutcomeUnknown = ({ lostCreation }: BatchDialect): RelayRefused =>
  new RelayRefused({
    status: 502,
    type: "upstream_error",
    code: "batch_outcome_unknown",
    message: `The provider gave no usable answer and may run the batch. ${lostCreation}`,
    headers: noRetryHeaders,
  });

function buildTerms(
  { receivedAt }: ArrivedRequest,
  { endpoint, inputFileId }: AskedRun,
  checked: CheckedCalls,
  { caller, home: { channel, key } }: BatchSetting,
  { snapshot, hasBudgets }: { snapshot: CallSnapshot; hasBudgets: boolean },
): BatchTerms {
  return {
    snapshot,
    tokenId: caller.tokenId,
    group: checked.cost.frozen.group ?? caller.group,
    endpoint,
    ...(inputFileId !== undefined && { inputFileId }),
    account: hashAccount(channel, key),
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

function buildRow(
  id: number,
  { name }: BatchDialect,
  terms: BatchTerms,
  caller: CallerIdentity,
  channelId: number,
): ProviderBatchRow {
  const at = computeIdTime(id);
  return {
    id,
    batch_id: null,
    channel_id: channelId,
    ...ownerColumns(caller),
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
