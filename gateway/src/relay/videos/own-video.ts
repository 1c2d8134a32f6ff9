/** A user's own video. */
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import type { IssuedObjects, ObjectHome } from "../provider-states/provider-states.ts";
import type { RelayChannelTable } from "../routing/channel-table.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { buildVideo } from "./video-object.ts";
import { refuseUnreachable, type Videos } from "./video-tasks.ts";

export interface OwnVideoDeps {
  videos: Videos;
  providerStates: IssuedObjects;
  channels: Pick<RelayChannelTable, "snapshot">;
}

export interface OwnedVideo {
  row: VideoTaskRow;
  caller: CallerIdentity & CallerReach;
}

/**
 * `ownVideo` gives what is known now. Throws `RelayRefused`, the same for a video of another user
 * as for one that never existed.
 */
export async function ownVideo(
  caller: CallerIdentity & CallerReach,
  id: string,
  { videos }: Pick<OwnVideoDeps, "videos">,
): Promise<OwnedVideo> {
  const row = await videos.store.find(caller, id);
  const { model } = row ? buildVideo(row) : {};
  if (!row || typeof model !== "string" || !(caller.models?.has(model) ?? true))
    throw refuseVideoNotFound();
  return { row, caller };
}

/**
 * `readFinishedVideo` does the same for a video that is whole, and the account that keeps it.
 * Throws `RelayRefused`.
 */
export async function readFinishedVideo(
  caller: CallerIdentity & CallerReach,
  id: string,
  deps: OwnVideoDeps,
): Promise<OwnedVideo & { home: ObjectHome }> {
  const own = await ownVideo(caller, id, deps);
  if (own.row.state !== "settled")
    throw refuseBadRequest("video_not_ready", "The video is not finished; wait for its end");
  if (buildVideo(own.row).status !== "completed")
    throw refuseBadRequest("video_failed", "The video was not made");
  return { ...own, home: await readHomeOfOwn(own, deps) };
}

/** Throws `RelayRefused` where the caller cannot reach the account at the moment. */
export async function readHomeOfOwn(
  { row, caller }: OwnedVideo,
  deps: OwnVideoDeps,
): Promise<ObjectHome> {
  const home = await deps.providerStates.find(
    "video",
    row.video_id,
    caller,
    deps.channels.snapshot,
  );
  if (!home || home.channel.id !== row.channel_id) throw refuseUnreachable();
  return home;
}

const refuseVideoNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: "The video was not found",
  });
