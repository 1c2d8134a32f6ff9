/**
 * Batches that run at providers. A batch is held when it is sent and charged once at its end, by
 * the node that asks first: the clock of any node, or a client. Its row survives every process; its
 * charge is idempotent by its id, as that of a call.
 */
import { callLogRow } from "../../money/call-log-row.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import type { CallMetrics } from "../../telemetry/call-metrics.ts";
import { readOwner } from "../admission/kept-owner.ts";
import {
  type ObjectRequest,
  readObject,
  sendObjectRequest,
} from "../creations/provider-objects.ts";
import { formatUsageNote } from "../formats/usage/reported-usage.ts";
import { buildUsageDetails } from "../formats/usage/usage-details.ts";
import type { HomeFinder, IssuedObjects, ObjectHome } from "../provider-states/provider-states.ts";
import type { RelayChannelTable } from "../routing/channel-table.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { buildTaskTrace } from "../task-trace.ts";
import type { AbortableCall } from "../upstream/answer-parts.ts";
import type { SendDeps } from "../upstream/send.ts";
import { type JsonRecord, text } from "../wire/json-parts.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { buildDialect } from "./batch-dialects.ts";
import { readOutcome, readResults, sumNote } from "./batch-results.ts";
import type { BatchStore } from "./batch-store.ts";
import type { BatchTerms } from "./batch-terms.ts";
import { type BatchCharge, buildBatchCharge, buildLostBatchCharge } from "./batch-usage.ts";
import { buildCreationOutcome, isOver } from "./created-batch.ts";

/** Longer than any result takes to read; a node that dies is replaced after it. */
const leaseMs = 10 * 60_000;
const firstAskAfterMs = 30_000;
const askEveryMaxMs = 10 * 60_000;
/**
 * `graceMs` says how long after its provider's own limit a batch may still be found and charged
 * exactly.
 */
const graceMs = 24 * 3_600_000;
/** Batches of a provider's list that are looked at, and its size. */
const listedMax = 100;
const listMax = 4 * 1024 * 1024;
const keptForMs = 60 * 24 * 3_600_000;

export interface BatchesDeps extends SendDeps {
  db: Pick<Database, "money" | "write">;
  store: BatchStore;
  /** Adds the files that a batch wrote to those of its user. */
  states: IssuedObjects & HomeFinder;
  channels: Pick<RelayChannelTable, "snapshot">;
  mintId(): number;
  metrics: Pick<CallMetrics, "settled">;
  onShortfall(channelId: number): void;
  onError(error: unknown): void;
}

export interface Batches {
  db: BatchesDeps["db"];
  store: BatchStore;
  /**
   * Asks the provider; charges and remembers a batch that has ended. Throws `RelayRefused` where it
   * cannot be asked or read.
   */
  refresh(row: ProviderBatchRow, onAbortable?: (call: AbortableCall) => void): Promise<JsonRecord>;
  /** The provider has the batch, and answered with it. */
  accepted(row: ProviderBatchRow, answer: JsonRecord, home: ObjectHome): Promise<void>;
  /** Asks about the batches whose time has come. */
  refreshDue(): Promise<void>;
  sweep(): Write;
}

export function createBatches(deps: BatchesDeps): Batches {
  const { db, store, states, channels, metrics, now, onShortfall, onError } = deps;

  async function homeOf({
    batch_id: id,
    channel_id: channelId,
  }: ProviderBatchRow): Promise<ObjectHome> {
    const home =
      id === null ? undefined : await states.homeOf("batch", id, channelId, channels.snapshot);
    if (!home) throw refuseCannotAsk();
    return home;
  }

  async function ask(
    home: ObjectHome,
    request: ObjectRequest,
    onAbortable: (call: AbortableCall) => void,
  ) {
    const sent = await sendObjectRequest(deps, home, request, onAbortable);
    if ("error" in sent) throw new RelayRefused(sent.error.refusal);
    return sent.answer;
  }

  const refresh: Batches["refresh"] = async (row, onAbortable = () => undefined) => {
    const home = await homeOf(row);
    const dialect = buildDialect(row);
    const { api } = dialect;
    const asked: ObjectRequest = { method: "GET", api, path: `${dialect.path}/${row.batch_id}` };
    const answer = await readObject(await ask(home, asked, onAbortable), objectAnswerMax);
    if (answer.id !== row.batch_id) throw refuseCannotAsk();
    const end = dialect.endOf(answer);
    if (!end) {
      await db.write([
        store.change(row.id, {
          answer: JSON.stringify(answer),
          due_at: computeNextAsk(row, now()),
        }),
      ]);
      return answer;
    }
    const terms = buildTerms(row);
    const read = (path: string) => ask(home, { method: "GET", api, path }, onAbortable);
    const { sum, files } = await readResults(row, answer, terms, dialect, read, deps.mintId);
    await settle(
      row,
      terms,
      buildBatchCharge(sum, terms),
      readOutcome(end, sum),
      sumNote(end, sum, terms),
    );
    const ended = store.change(row.id, { state: "settled", answer: JSON.stringify(answer) });
    const ids = files.map(({ file_id: id }) => ({ kind: "file" as const, id }));
    await states.issue(ids, readOwner(row), { ...home, model: terms.model }, [
      ...files.map(store.addFile),
      ended,
    ]);
    return answer;
  };

  async function settle(
    row: ProviderBatchRow,
    terms: BatchTerms,
    { units, charged, price, costNanos }: BatchCharge,
    outcome: string,
    note: string,
  ): Promise<void> {
    const log = callLogRow(terms.snapshot, {
      id: row.id,
      userId: row.user_id,
      tokenId: terms.tokenId,
      channelId: row.channel_id,
      channelName: terms.channelName,
      model: terms.model,
      quota: units,
      usage: charged.usage,
      outcome,
      content: [note, formatUsageNote(charged)].filter((part) => part !== "").join("; "),
      // Batches take hours: as times of calls they would say nothing of the channel.
      elapsedMs: terms.elapsedMs,
      price: JSON.stringify(price),
      costNanos,
      usageDetails: JSON.stringify(buildUsageDetails(charged)),
      retries: terms.traced ? Math.max(0, terms.traced.attempts.length - 1) : null,
    });
    const { hasBudgets } = terms;
    const trace = JSON.stringify(buildTaskTrace(row, terms, outcome, now()));
    const settled = await db.money({
      verb: "settle",
      id: row.id,
      charge: units,
      log,
      trace,
      hasBudgets,
    });
    if (settled === "already") return;
    if (settled === "short") onShortfall(row.channel_id);
    const entry = buildDialect(row).formatOf(terms.endpoint)?.endpoint ?? "";
    metrics.settled(log, {
      entry,
      group: terms.group,
      usage: charged.usage,
      attempts: [],
      overheadMs: 0,
    });
  }

  /** The creation had no usable answer: the provider's list says whether the batch runs. */
  async function resolveCreation(row: ProviderBatchRow): Promise<void> {
    const terms = buildTerms(row);
    const dialect = buildDialect(row);
    const home =
      terms.inputFileId === undefined
        ? states.homeWith(row.channel_id, terms.account ?? "", channels.snapshot)
        : await states.homeOf("file", terms.inputFileId, row.channel_id, channels.snapshot);
    if (!home) throw refuseCannotAsk();
    const query = new URLSearchParams({ limit: String(listedMax) });
    const asked: ObjectRequest = { method: "GET", api: dialect.api, path: dialect.path, query };
    const list = await readObject(await ask(home, asked, () => undefined), listMax);
    const outcome = buildCreationOutcome(list, row, terms, dialect, now());
    const ids = outcome.state === "taken" ? outcome.batches.map(({ id }) => text(id)) : [];
    const known = ids.length > 0 ? await store.idsOf(row.channel_id, ids) : [];
    const own =
      outcome.state === "taken"
        ? outcome.batches.find(({ id }) => !known.includes(text(id)))
        : undefined;
    const isNone =
      outcome.state === "not_taken" ||
      (outcome.state === "taken" && !own && !dialect.areTermsUnique);
    if (isNone && isOver(row.created_at, now())) await drop(row);
    else if (own && dialect.areTermsUnique) await accepted(row, own, home);
    else if (own && isOver(row.created_at, now())) await giveUp(row, true);
    else await db.write([store.change(row.id, { due_at: computeNextAsk(row, now()) })]);
  }

  async function drop(row: ProviderBatchRow): Promise<void> {
    await db.money({ verb: "release", id: row.id });
    await db.write([store.remove(row.id)]);
  }

  /**
   * The provider took the batch, or may have: nothing more can be learned, so the prompts are
   * charged.
   */
  async function giveUp(row: ProviderBatchRow, isFound = false): Promise<void> {
    const terms = buildTerms(row);
    // An error is no silence: without a word in the provider's list, nothing says that the batch
    // runs.
    if (row.batch_id === null && terms.failedStatus !== undefined && !isFound) return drop(row);
    const note = `batch of ${terms.lines} lines whose result the provider did not tell; the prompts are charged`;
    await settle(row, terms, buildLostBatchCharge(terms), "cut", note);
    await db.write([store.change(row.id, { state: "settled" })]);
  }

  const accepted: Batches["accepted"] = async (row, answer, home) => {
    const { model } = buildTerms(row);
    const id = text(answer.id);
    const known = {
      batch_id: id,
      channel_id: row.channel_id,
      terms: row.terms,
      state: "running",
      answer: JSON.stringify(answer),
      expires_at: buildDialect(row).expiryOf(answer) ?? row.expires_at,
      due_at: now() + firstAskAfterMs,
    };
    await states.issue([{ kind: "batch", id }], readOwner(row), { ...home, model }, [
      store.change(row.id, known),
    ]);
  };

  return {
    db,
    store,
    refresh,
    accepted,
    async refreshDue() {
      for (const row of await store.due(now())) {
        const [claimed] = await db.write([store.claim(row, now(), now() + leaseMs)]);
        if (claimed?.affected !== 1) continue;
        try {
          if (row.batch_id === null) await resolveCreation(row);
          else await refresh(row);
        } catch (error) {
          // A refusal is the provider's or the operator's state, and is asked again.
          if (!(error instanceof RelayRefused)) onError(error);
          await db.write([store.change(row.id, { due_at: computeNextAsk(row, now()) })]);
        }
        if (now() > row.expires_at + graceMs) await giveUp(row);
        await db.write([store.change(row.id, { lease_until: 0 })]);
      }
    },
    sweep: () => store.sweep(now() - keptForMs),
  };
}

export const buildTerms = ({ terms }: ProviderBatchRow): BatchTerms =>
  JSON.parse(terms) as BatchTerms;

/** A tenth of the batch's age: soon at first, and rarely for one that takes a day. */
const computeNextAsk = ({ created_at }: ProviderBatchRow, at: number): number =>
  at + Math.min(Math.max(Math.round((at - created_at) / 10), firstAskAfterMs), askEveryMaxMs);

const refuseCannotAsk = (): RelayRefused =>
  new RelayRefused({
    status: 503,
    type: "server_error",
    code: "batch_unreachable",
    message: "The provider cannot be asked about this batch at the moment; try again later",
  });
