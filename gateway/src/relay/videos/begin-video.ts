/**
 * Asks providers for a video that is checked: it is held for first, and the client learns its id
 * once the row says whose it is.
 */
import { randomBytes } from "node:crypto";
import { StorageUnavailable, tryWrite } from "../../storage/database.ts";
import { isBudgetRefusal } from "../../storage/money-commands.ts";
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import type { CallMetrics } from "../../telemetry/call-metrics.ts";
import { type BudgetStopDeps, callBudgetRefused } from "../admission/budget-refusals.ts";
import type { TagReader } from "../admission/call-tags.ts";
import { type FundsDeps, refuseForFunds } from "../admission/funds-refusals.ts";
import { ownerColumns } from "../admission/kept-owner.ts";
import type { AdmittedCall } from "../admit-call.ts";
import { CallRecorder, callSnapshot } from "../call-recorder.ts";
import { type AskDeps, askAccounts } from "../creations/ask-accounts.ts";
import type { VideoMeasures } from "../formats/videos.ts";
import { holdWithinBudgets } from "../hold-within-budgets.ts";
import type { HoldSettings } from "../relay-settings.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import { admitRun, type RunDeps } from "../runs/admit-run.ts";
import type { SendDeps } from "../upstream/send.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { type RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { askForVideo, outcomeUnknown } from "./ask-for-video.ts";
import type { OwnVideoDeps } from "./own-video.ts";
import { buildVideoPrices } from "./video-prices.ts";
import { openVideosMax } from "./video-store.ts";
import { computeNextAsk, view } from "./video-tasks.ts";
import {
  computeHeldUnits,
  computeUnitsOnChannel,
  isPricedByVideo,
  type VideoPrices,
  type VideoTerms,
} from "./video-terms.ts";

export type BeginVideoDeps = OwnVideoDeps &
  AskDeps &
  SendDeps &
  RunDeps &
  BudgetStopDeps &
  FundsDeps & {
    settings: HoldSettings;
    tags: TagReader;
    callMetrics: Pick<CallMetrics, "settled">;
  };

/** `windowMs` says how long the provider may take. */
const windowMs = 24 * 3_600_000;
/** The hold has no owner that renews it; it ends with the video. */
const leaseMs = 7 * 24 * 3_600_000;
/** Longer than all tries of a creation take together: what is not accepted then never will be. */
const creationMaxMs = 30 * 60_000;

/** A video that may be made, and where. */
export interface VideoOrder extends Omit<AdmittedCall, "recorder" | "unitsAt"> {
  measures: VideoMeasures;
  remixedFrom: string | null;
}

/**
 * The video; undefined where no provider took it, which the client has been told then. The row is
 * there before the hold, and the hold before a provider is told: a crash in between leaves what the
 * clock ends. Throws `RelayRefused` before anything is held.
 */
export async function beginVideo(
  order: VideoOrder,
  deps: BeginVideoDeps,
): Promise<JsonRecord | undefined> {
  const { exchange, call, caller, routing, measures } = order;
  const { db, store } = deps.videos;
  const at = computeIdTime(exchange.id);
  const prices = new Map(
    order.choice.candidates.map((candidate) => [
      candidate,
      buildVideoPrices(candidate, deps.channels.snapshot, at),
    ]),
  );
  const priceAt = (candidate: ChannelCandidate): VideoPrices => {
    const known = prices.get(candidate);
    if (!known) throw new TypeError(`channel ${candidate.channel.id} was not chosen for the video`);
    return known;
  };
  const candidates = order.choice.candidates.filter((candidate) =>
    isPricedByVideo(priceAt(candidate).asked),
  );
  const [first] = candidates;
  if (!first) throw notPriced(call.model);
  const amount = Math.max(...candidates.map((one) => computeHeldUnits(priceAt(one), measures)));
  const tags = deps.tags.of(exchange, caller, call.bodyTags);
  admitRun(exchange, call, caller, deps);
  const row = buildRow(order, first.channel.id);
  if (await tryWrite(db, store.insert(row)))
    throw refuseBadRequest(
      "too_many_videos",
      `A user may have ${openVideosMax} videos that are not finished`,
    );
  const drop = () => db.write([store.remove(row.id)]);
  const snapshot = callSnapshot(exchange, caller, call, tags);
  let hasBudgets = false;
  const { held, choice } = await holdWithinBudgets(
    { call, tags, run: exchange.facts.run?.run },
    caller,
    at,
    { ...order.choice, candidates },
    deps,
    (_, budgets) => {
      hasBudgets = budgets !== undefined;
      return db.money({
        verb: "hold",
        id: row.id,
        walletId: caller.walletId,
        userId: caller.userId,
        tokenId: caller.tokenId,
        tokenIsUnlimited: caller.isUnlimited,
        amount,
        leaseUntil: at + leaseMs,
        snapshot: JSON.stringify(snapshot),
        budgets,
      });
    },
  ).catch(async (error: unknown) => {
    if (!(error instanceof StorageUnavailable)) await drop();
    throw error;
  });
  if (held !== "held" && typeof held !== "number") {
    await drop();
    if (isBudgetRefusal(held))
      throw await callBudgetRefused(
        held,
        { at, least: amount, caller, run: exchange.facts.run?.run },
        deps,
      );
    throw await refuseForFunds(held, amount, caller, deps);
  }
  // From here on the client's connection matters no more: the provider may make the video.
  exchange.onClientLeave(undefined);
  const recorder = new CallRecorder(exchange, caller, call.client.endpoint, choice, snapshot);
  const admitted: AdmittedCall = { exchange, call, caller, routing, choice, recorder };
  const asked = await askAccounts(
    {
      ...admitted,
      namesState: false,
      unitsAt: (candidate) => computeUnitsOnChannel(priceAt(candidate), measures),
    },
    (attempt) => askForVideo(attempt, call, deps),
    deps,
  );
  if ("attempt" in asked) {
    const { attempt, made: answer } = asked;
    const { candidate, channel, key } = attempt;
    const traced = recorder.traced();
    const terms: VideoTerms = {
      ...priceAt(candidate),
      snapshot,
      tokenId: caller.tokenId,
      group: candidate.group ?? caller.group,
      channelName: channel.name,
      model: candidate.cost.model,
      ...(candidate.target && { target: candidate.target.model }),
      ...(measures.seconds !== undefined && { seconds: measures.seconds }),
      size: measures.size,
      isDistrusted: channel.mayReportFalseUsage,
      hasBudgets,
      elapsedMs: Math.max(0, Date.now() - exchange.receivedAt),
      retries: traced.attempts.length - 1,
      traced,
    };
    const video = view(row, answer, { channel, key });
    const known = {
      upstream_id: String(answer.id),
      channel_id: channel.id,
      state: "running",
      terms: JSON.stringify(terms),
      answer: JSON.stringify(video),
      due_at: computeNextAsk(row, deps.now()),
    };
    const home = { channel, key, model: call.model };
    const id = { kind: "video", id: row.video_id } as const;
    await deps.providerStates.issue([id], caller, home, [store.accept(row.id, known)]);
    return video;
  }
  const { error, isUncertain } = asked;
  const { log, trace, measures: measured } = recorder.finishUnanswered(error);
  await db.money({ verb: "settle", id: row.id, charge: 0, log, trace, hasBudgets });
  await drop();
  deps.callMetrics.settled(log, measured);
  exchange.refuse(isUncertain ? outcomeUnknown : error.refusal);
  return undefined;
}

const notPriced = (model: string): RelayRefused =>
  refuseBadRequest(
    "video_not_priced",
    `No channel for the model ${model} has a price for a second of video; ask the operator to enter one`,
    "model",
  );

function buildRow(
  { exchange, call, caller, measures, remixedFrom }: VideoOrder,
  channelId: number,
): VideoTaskRow {
  const at = computeIdTime(exchange.id);
  const video_id = `video_${randomBytes(16).toString("hex")}`;
  const { seconds, size } = measures;
  // What `view` keeps of a video that its provider has not described yet.
  const answer = { model: call.model, seconds, size, remixed_from_video_id: remixedFrom };
  return {
    id: exchange.id,
    video_id,
    upstream_id: null,
    channel_id: channelId,
    ...ownerColumns(caller),
    state: "creating",
    terms: "",
    answer: JSON.stringify(answer),
    created_at: at,
    expires_at: at + windowMs,
    due_at: at + creationMaxMs,
    lease_until: 0,
  };
}
