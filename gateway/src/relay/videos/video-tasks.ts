/**
 * Videos that providers make after their response. A video is held for when it is asked for and
 * charged once at its end, by the node that asks first. Its row survives every process, and its
 * charge is idempotent by its id, as that of a call.
 */

import { callLogRow } from "../../money/call-log-row.ts";
import { callCost } from "../../money/prices/buying-price.ts";
import { buildLoggedPrice, noUsage } from "../../money/prices/price.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import type { CallMetrics } from "../../telemetry/call-metrics.ts";
import { type ObjectApi, readObject, sendObjectRequest } from "../creations/provider-objects.ts";
import { videos } from "../formats/videos.ts";
import type { HomeFinder, ObjectHome } from "../provider-states/provider-states.ts";
import type { RelayChannelTable } from "../routing/channel-table.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { buildTaskTrace } from "../task-trace.ts";
import { redact } from "../upstream/redact-secrets.ts";
import type { SendDeps } from "../upstream/send.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import {
  buildMeasures,
  buildVideo,
  buildVideoObject,
  findFailedVideo,
  isEnded,
  readFailure,
} from "./video-object.ts";
import type { VideoStore } from "./video-store.ts";
import { buildVideoCharge, type VideoCharge, type VideoTerms } from "./video-terms.ts";

export const besideVideos: ObjectApi = {
  format: videos,
  address: /\/videos$/,
  request: { prompt: "-" },
};

/** Longer than any answer takes; a node that dies is replaced after it. */
const leaseMs = 5 * 60_000;
const askEveryMs = { min: 5_000, max: 60_000 };
/** A provider may list a new video late; after this, one that it does not know will not be made. */
const unknownForMs = 10 * 60_000;
/** Results are at the provider for days at most. */
const keptForMs = 30 * 24 * 3_600_000;

export interface VideosDeps extends SendDeps {
  db: Pick<Database, "money" | "write">;
  store: VideoStore;
  states: HomeFinder;
  channels: Pick<RelayChannelTable, "snapshot">;
  metrics: Pick<CallMetrics, "settled">;
  onShortfall(channelId: number): void;
  onError(error: unknown): void;
}

export interface Videos {
  db: VideosDeps["db"];
  store: VideoStore;
  /**
   * Asks the provider if it is time, and charges a video that has ended. Never rejects: what is
   * known stays.
   */
  refreshIfDue(row: VideoTaskRow): Promise<void>;
  /** `refreshDue` does the same for all. */
  refreshDue(): Promise<void>;
  sweep(): Write;
}

export function createVideos(deps: VideosDeps): Videos {
  const { db, store, states, channels, metrics, now, onShortfall, onError } = deps;

  /** Throws `RelayRefused` where the provider cannot be asked. */
  async function ask(row: VideoTaskRow): Promise<JsonRecord> {
    const home = await states.homeOf("video", row.video_id, row.channel_id, channels.snapshot);
    if (!home) throw refuseUnreachable();
    const sent = await sendObjectRequest(
      deps,
      home,
      buildVideoRequest("GET", row),
      () => undefined,
    );
    if ("error" in sent) {
      const { status, refusal } = sent.error;
      const isGone = (status === 404 || status === 410) && now() > row.created_at + unknownForMs;
      if (isGone)
        return findFailedVideo(row, "video_lost", "The provider does not know the video any more");
      throw new RelayRefused(refusal);
    }
    return view(row, await readObject(sent.answer, objectAnswerMax), home);
  }

  async function refresh(row: VideoTaskRow): Promise<void> {
    // A node that died has stored the end before it charged.
    if (isEnded(buildVideo(row))) return end(row, buildVideo(row));
    if (row.state === "creating") return abandon(row);
    const isLate = now() > row.expires_at;
    const known = await ask(row).catch((error: unknown) => {
      if (!(error instanceof RelayRefused)) throw error;
      return buildVideo(row);
    });
    const video =
      isLate && !isEnded(known)
        ? findFailedVideo(
            row,
            "video_expired",
            "The provider did not finish the video within a day",
          )
        : known;
    await db.write([
      store.change(row.id, { answer: JSON.stringify(video), due_at: computeNextAsk(row, now()) }),
    ]);
    if (isEnded(video)) await end(row, video);
  }

  async function end(row: VideoTaskRow, video: JsonRecord): Promise<void> {
    const terms = buildTerms(row);
    if (video.status === "completed") {
      const charge = buildVideoCharge(terms, buildMeasures(video));
      await settle(
        row,
        terms,
        charge,
        "success",
        `video of ${charge.seconds} s, ${buildMeasures(video).size}`.replace(/, $/, ""),
      );
    } else {
      const nothing = { units: 0, usage: noUsage, price: terms.asked, seconds: 0 };
      await settle(row, terms, nothing, "failed", `the video was not made: ${readFailure(video)}`);
    }
    await db.write([store.change(row.id, { state: "settled" })]);
  }

  async function settle(
    row: VideoTaskRow,
    terms: VideoTerms,
    { units, usage, price }: VideoCharge,
    outcome: string,
    content: string,
  ): Promise<void> {
    const log = callLogRow(terms.snapshot, {
      id: row.id,
      userId: row.user_id,
      tokenId: terms.tokenId,
      channelId: row.channel_id,
      channelName: terms.channelName,
      model: terms.model,
      quota: units,
      usage,
      outcome,
      content,
      // Videos take minutes: as times of calls they would say nothing of the channel.
      elapsedMs: terms.elapsedMs,
      price: outcome === "success" ? JSON.stringify(buildLoggedPrice(price, usage)) : null,
      costNanos: callCost(price, usage),
      retries: terms.retries,
    });
    const { hasBudgets, target, group } = terms;
    const trace = JSON.stringify(buildTaskTrace(row, terms, outcome, now()));
    const settled = await db.money({
      verb: "settle",
      id: row.id,
      charge: units,
      log,
      trace,
      target,
      hasBudgets,
    });
    if (settled === "already") return;
    if (settled === "short") onShortfall(row.channel_id);
    metrics.settled(log, { entry: "videos", group, usage, attempts: [], overheadMs: 0 });
  }

  /** The process that asked for it has died: no client has its id, so nothing is charged. */
  async function abandon(row: VideoTaskRow): Promise<void> {
    await db.money({ verb: "release", id: row.id });
    await db.write([store.remove(row.id)]);
  }

  const refreshIfDue: Videos["refreshIfDue"] = async (row) => {
    if (row.state === "settled" || row.due_at > now()) return;
    try {
      const [claimed] = await db.write([store.claim(row, now(), now() + leaseMs)]);
      if (claimed?.affected !== 1) return;
      await refresh(row);
    } catch (error) {
      onError(error);
    }
    await db.write([store.change(row.id, { lease_until: 0 })]).catch(onError);
  };

  return {
    db,
    store,
    refreshIfDue,
    async refreshDue() {
      for (const row of await store.due(now())) await refreshIfDue(row);
    },
    sweep: () => store.sweep(now() - keptForMs),
  };
}

/** The provider's answer under the gateway's own id. */
export function view(
  row: VideoTaskRow,
  answer: JsonRecord,
  { channel, key }: ObjectHome,
): JsonRecord {
  const known = buildVideo(row);
  const { remixed_from_video_id: source } = known;
  const own = {
    videoId: row.video_id,
    model: String(known.model ?? ""),
    createdAtMs: row.created_at,
    measures: buildMeasures(known),
    remixedFrom: typeof source === "string" ? source : null,
  };
  return buildVideoObject(answer, own, (words) => redact(words, key.key, channel.key));
}

/** A request about a video that its provider has; `path` is below it. */
export const buildVideoRequest = (
  method: "GET" | "DELETE",
  { upstream_id }: VideoTaskRow,
  path = "",
) => ({ method, api: besideVideos, path: `videos/${upstream_id}${path}` }) as const;

export const buildTerms = ({ terms }: VideoTaskRow): VideoTerms => JSON.parse(terms) as VideoTerms;

/** A fifth of the video's age: soon at first, and once a minute for one that takes long. */
export const computeNextAsk = (
  { created_at }: Pick<VideoTaskRow, "created_at">,
  at: number,
): number =>
  at + Math.min(Math.max(Math.round((at - created_at) / 5), askEveryMs.min), askEveryMs.max);

export const refuseUnreachable = (): RelayRefused =>
  new RelayRefused({
    status: 503,
    type: "server_error",
    code: "video_unreachable",
    message: "The provider that makes this video cannot be asked at the moment; try again later",
  });
