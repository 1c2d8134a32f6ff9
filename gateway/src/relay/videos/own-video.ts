/** A user's own video. */
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import type { RelayDeps } from "../relay-deps.ts";
import type { ObjectHome } from "../stored-files/provider-objects.ts";
import { badRequest, RelayRefused } from "../wire/relay-refusal.ts";
import { videoOf } from "./video-object.ts";
import { unreachable } from "./video-tasks.ts";

export interface OwnedVideo {
  row: VideoTaskRow;
  caller: RelayCaller;
}

/** What is known now. Throws `RelayRefused`, the same for a video of another user as for one that never existed. */
export async function ownVideo(caller: RelayCaller, id: string, { videos }: RelayDeps): Promise<OwnedVideo> {
  const row = await videos.store.find(caller.userId, id);
  const { model } = row ? videoOf(row) : {};
  if (!row || typeof model !== "string" || !(caller.models?.has(model) ?? true)) throw videoNotFound();
  return { row, caller };
}

/** The same for a video that is whole, and the account that keeps it. Throws `RelayRefused`. */
export async function finishedVideo(
  caller: RelayCaller,
  id: string,
  deps: RelayDeps,
): Promise<OwnedVideo & { home: ObjectHome }> {
  const own = await ownVideo(caller, id, deps);
  if (own.row.state !== "settled") throw badRequest("video_not_ready", "The video is not finished; wait for its end");
  if (videoOf(own.row).status !== "completed") throw badRequest("video_failed", "The video was not made");
  return { ...own, home: await homeOfOwn(own, deps) };
}

/** Throws `RelayRefused` where the caller cannot reach the account at the moment. */
export async function homeOfOwn({ row, caller }: OwnedVideo, deps: RelayDeps): Promise<ObjectHome> {
  const home = await deps.providerStates.find("video", row.video_id, caller, deps.channels.snapshot);
  if (!home || home.channel.id !== row.channel_id) throw unreachable();
  return home;
}

const videoNotFound = (): RelayRefused =>
  new RelayRefused({ status: 404, type: "invalid_request_error", code: null, message: "The video was not found" });
