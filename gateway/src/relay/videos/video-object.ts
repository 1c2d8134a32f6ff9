/**
 * A video as clients read it: the provider's members that are known, under the gateway's own id.
 * Pure.
 */
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import { parseSeconds, type VideoMeasures } from "../formats/videos.ts";
import { isRecord, type JsonRecord, parseObject, record, text } from "../wire/json-parts.ts";

/** The year 2500, in seconds. */
const timeMax = 16_725_225_600;
const sizeMax = 40;
const messageMax = 500;
const codeMax = 100;

const states: Readonly<Record<string, string>> = {
  queued: "queued",
  pending: "queued",
  in_progress: "in_progress",
  processing: "in_progress",
  running: "in_progress",
  completed: "completed",
  succeeded: "completed",
  failed: "failed",
  cancelled: "failed",
  expired: "failed",
};

/** The gateway's own part of a video. */
export interface OwnVideo {
  videoId: string;
  /** `model` is as the client named it. */
  model: string;
  createdAtMs: number;
  /** `measures` are what was asked for. */
  measures: VideoMeasures;
  remixedFrom: string | null;
}

/** `hide` takes secrets out of the provider's words. */
export function buildVideoObject(
  { status, progress, completed_at, expires_at, seconds, size, error }: JsonRecord,
  { videoId, model, createdAtMs, measures, remixedFrom }: OwnVideo,
  hide: (words: string) => string,
): JsonRecord {
  const state =
    (typeof status === "string" && Object.hasOwn(states, status) ? states[status] : undefined) ??
    "queued";
  const isOver = state === "completed" || state === "failed";
  const isProgress = typeof progress === "number" && progress >= 0 && progress <= 100;
  const length = parseSeconds(seconds) ?? measures.seconds;
  const failure = isRecord(error) ? error : { message: error };
  return {
    id: videoId,
    object: "video",
    model,
    status: state,
    progress: state === "completed" ? 100 : isProgress ? Math.floor(progress) : 0,
    created_at: Math.floor(createdAtMs / 1_000),
    completed_at: isOver ? readTime(completed_at) : null,
    expires_at: readTime(expires_at),
    seconds: length === undefined ? null : String(length),
    size: readSize(size) || measures.size || null,
    remixed_from_video_id: remixedFrom,
    error:
      state === "failed"
        ? {
            code: hide(text(failure.code).slice(0, codeMax)) || "video_failed",
            message:
              hide(text(failure.message).slice(0, messageMax)) ||
              "The provider did not make the video",
          }
        : null,
  };
}

export const buildVideo = ({ answer }: Pick<VideoTaskRow, "answer">): JsonRecord =>
  parseObject(answer);

/** Until its end is charged, a video that has ended still runs for its client. */
export function showVideo(row: Pick<VideoTaskRow, "answer" | "state">): JsonRecord {
  const video = buildVideo(row);
  return row.state === "settled" || !isEnded(video)
    ? video
    : { ...video, status: "in_progress", error: null };
}

/** A video that will not be made, as its client reads it. */
export const findFailedVideo = (
  row: Pick<VideoTaskRow, "answer">,
  code: string,
  message: string,
): JsonRecord => ({
  ...buildVideo(row),
  status: "failed",
  error: { code, message },
});

export const isEnded = ({ status }: JsonRecord): boolean =>
  status === "completed" || status === "failed";

export const buildMeasures = ({ seconds, size }: JsonRecord): VideoMeasures => ({
  seconds: parseSeconds(seconds),
  size: readSize(size),
});

export const readFailure = ({ error }: JsonRecord): string => text(record(error).message);

const readSize = (value: unknown): string =>
  typeof value === "string" && value.length <= sizeMax ? value : "";

const readTime = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value < timeMax
    ? value
    : null;
