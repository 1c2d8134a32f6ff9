// OpenAI's videos: made after the response, in as many questions as the script says.

import {
  closeConnection,
  type ReplyDelivery,
  sendBytes,
  sendFailure,
  sendJson,
} from "./delivery.ts";
import type { KeptVideo, KeyShelf } from "./key-shelf.ts";
import { openAiWire } from "./openai-wire.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";
import { fnv1a } from "./simulated-answer.ts";

const videoPath = /^\/v1\/videos(?:\/([\w-]+)(\/content|\/remix)?)?$/;

export const isVideoPath = (path: string): boolean => videoPath.test(path);

/** `key` is that of the call. */
export async function answerVideo(
  delivery: ReplyDelivery,
  shelf: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call, behaviour, response } = delivery;
  const { videos } = shelf;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, id, part] = videoPath.exec(pathname) ?? [];
  const refuse = (status: number, message: string) =>
    sendFailure(delivery, { status, message }, openAiWire.failure({ status, message }, key));
  if (id === undefined && call.method === "GET") {
    return sendJson(delivery, {
      object: "list",
      data: [...videos.values()].map(({ object }) => object),
    });
  }
  if (id === undefined) {
    const asked = await readFields(call.headers["content-type"], body);
    if (typeof asked.prompt !== "string" || asked.prompt === "")
      return refuse(400, "Missing required parameter: 'prompt'.");
    const made = keep(shelf, key, asked);
    return behaviour.videoLost ? closeConnection(response, "cut") : sendJson(delivery, made.object);
  }
  const video = behaviour.videoGone ? undefined : videos.get(id);
  if (!video) return refuse(404, `Video with id '${id}' not found.`);
  if (part === "/remix") {
    const asked = parseJson(body);
    const { model, seconds, size } = video.object;
    const prompt = isRecord(asked) ? asked.prompt : undefined;
    return sendJson(
      delivery,
      keep(shelf, key, { prompt, model, seconds, size, remixed_from_video_id: id }).object,
    );
  }
  if (part === "/content") {
    if (video.object.status !== "completed") return refuse(400, "Video is not ready yet.");
    // As a provider would that guesses the type of what it made.
    return sendBytes(delivery, "text/html", [Buffer.from(`bytes of ${id}`)]);
  }
  if (call.method === "DELETE") {
    videos.delete(id);
    return sendJson(delivery, { id, object: "video.deleted", deleted: true });
  }
  ask(video, behaviour);
  return sendJson(delivery, video.object);
}

async function readFields(contentType: unknown, body: Buffer): Promise<Record<string, unknown>> {
  const type = String(contentType ?? "");
  if (!type.startsWith("multipart/form-data")) {
    const json = parseJson(body);
    return isRecord(json) ? json : {};
  }
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  return Object.fromEntries(form.entries());
}

let counter = 0;

function keep({ videos }: KeyShelf, key: string, asked: Record<string, unknown>): KeptVideo {
  counter += 1;
  const id = `video_sim${fnv1a(key).toString(36)}x${counter}`;
  const object = {
    id,
    object: "video",
    model: asked.model ?? "sora-2",
    status: "queued",
    progress: 0,
    created_at: Math.floor(Date.now() / 1_000),
    completed_at: null,
    expires_at: null,
    prompt: asked.prompt,
    seconds: asked.seconds ?? "4",
    size: asked.size ?? "720x1280",
    remixed_from_video_id: asked.remixed_from_video_id ?? null,
    error: null,
  };
  const video = { id, polls: 0, object };
  videos.set(id, video);
  return video;
}

function ask(video: KeptVideo, behaviour: ScriptedBehaviour): void {
  const { object } = video;
  if (object.status === "completed" || object.status === "failed") return;
  video.polls += 1;
  if (video.polls <= (behaviour.videoPolls ?? 0)) {
    Object.assign(object, { status: "in_progress", progress: Math.min(99, video.polls * 10) });
    return;
  }
  const status = behaviour.videoEnd ?? "completed";
  const now = Math.floor(Date.now() / 1_000);
  const { seconds = object.seconds, size = object.size } = behaviour.videoMade ?? {};
  Object.assign(
    object,
    status === "completed"
      ? { status, progress: 100, completed_at: now, expires_at: now + 86_400, seconds, size }
      : {
          status,
          error: { code: "moderation_blocked", message: "The request was blocked by moderation." },
        },
  );
}
