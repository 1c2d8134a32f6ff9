/** `/v1/videos`: a user's own videos, of which the gateway keeps the provider's last answer. */

import { readObject, sendObjectRequest } from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer, StreamToClient } from "../exchange-parts.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { passBytes } from "../stored-files/pass-bytes.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { createVideo, remixVideo, type VideoDeps } from "./create-video.ts";
import { ownVideo, readFinishedVideo, readHomeOfOwn } from "./own-video.ts";
import { showVideo } from "./video-object.ts";
import { buildVideoRequest } from "./video-tasks.ts";

const pageDefault = 20;
const pageMax = 100;
const oneVideo = /^\/v1\/videos\/([\w-]{1,256})(\/content|\/remix)?$/;
/** Whatever type the provider names: a user's page must not become one of this site. */
const contentTypes: Readonly<Record<string, string>> = {
  video: "video/mp4",
  thumbnail: "image/webp",
  spritesheet: "image/jpeg",
};

type VideoHandler = (
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  deps: VideoDeps,
) => Promise<void>;

/** `handlers` go by the method and what follows the id. */
const handlers: Readonly<
  Record<
    string,
    (
      exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
      id: string,
      deps: VideoDeps,
    ) => Promise<void>
  >
> = {
  "GET ": readVideo,
  "DELETE ": deleteVideo,
  "GET /content": readContent,
  "POST /remix": remixVideo,
};

/** Undefined for every other address. */
export function findVideosEndpoint(method: string, path: string): VideoHandler | undefined {
  if (path === "/v1/videos") return { GET: listVideos, POST: createVideo }[method];
  const [, id, part = ""] = oneVideo.exec(path) ?? [];
  if (id === undefined) return undefined;
  const handler = handlers[`${method} ${part}`];
  return handler && ((exchange, deps) => handler(exchange, id, deps));
}

async function listVideos(exchange: KnownCall & ReplyToClient, deps: VideoDeps): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const { store } = deps.videos;
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const limit = Number(asked.get("limit") ?? pageDefault);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw refuseBadRequest(
      "invalid_request_error",
      `limit must be an integer from 1 to ${pageMax}`,
      "limit",
    );
  const order = asked.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc")
    throw refuseBadRequest("invalid_request_error", "order must be asc or desc", "order");
  const afterId = asked.get("after");
  const after = afterId === null ? undefined : await store.find(caller, afterId);
  if (afterId !== null && !after)
    throw refuseBadRequest("invalid_request_error", "after names no video", "after");
  const rows = await store.page(caller, { after: after?.id, order, limit: limit + 1 });
  const data = rows.slice(0, limit).map(showVideo);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  sendJson(exchange, { object: "list", data, ...ends, has_more: rows.length > limit });
}

/** A video that has ended is charged before its client learns of it. */
async function readVideo(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: VideoDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const before = await ownVideo(caller, id, deps);
  await deps.videos.refreshIfDue(before.row);
  const { row } = await ownVideo(caller, id, deps);
  sendJson(exchange, showVideo(row));
}

async function readContent(
  exchange: KnownCall & ReplyToClient & StreamToClient,
  id: string,
  deps: VideoDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const variant = asked.get("variant") ?? "video";
  const contentType = Object.hasOwn(contentTypes, variant) ? contentTypes[variant] : undefined;
  if (contentType === undefined)
    throw refuseBadRequest(
      "invalid_request_error",
      `variant must be one of ${Object.keys(contentTypes).join(", ")}`,
      "variant",
    );
  const { row, home } = await readFinishedVideo(caller, id, deps);
  const query = new URLSearchParams(variant === "video" ? {} : { variant });
  const sent = await sendObjectRequest(
    deps,
    home,
    { ...buildVideoRequest("GET", row, "/content"), query },
    (upstream) => exchange.onClientLeave(() => upstream.abort("the client left")),
  );
  if ("error" in sent)
    throw new RelayRefused(sent.error.status === 404 ? gone : sent.error.refusal);
  await passBytes(exchange, sent.answer, contentType);
}

/** `deleteVideo` is about a video that has ended: what is deleted before could not be charged. */
async function deleteVideo(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: VideoDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const own = await ownVideo(caller, id, deps);
  const { row } = own;
  if (row.state !== "settled")
    throw refuseBadRequest(
      "video_not_ready",
      "The video is not finished; it can be deleted after its end",
    );
  const home = await readHomeOfOwn(own, deps);
  const sent = await sendObjectRequest(
    deps,
    home,
    buildVideoRequest("DELETE", row),
    () => undefined,
  );
  // The provider may have it no longer, as after its expiry.
  if ("error" in sent && sent.error.status !== 404) throw new RelayRefused(sent.error.refusal);
  if ("answer" in sent) await readObject(sent.answer, objectAnswerMax);
  await deps.providerStates.forget(id, home.channel, [deps.videos.store.remove(row.id)]);
  sendJson(exchange, { id, object: "video.deleted", deleted: true });
}

const gone = {
  status: 404,
  type: "invalid_request_error",
  code: "video_gone",
  message: "The provider does not keep the video any more",
};
