// Sends a reply with the scripted pace and break, never faster than the client reads.
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { now, type ReceivedCall } from "./call-log.ts";
import type { ScriptedBehaviour, ScriptedFailure } from "./scripted-behaviour.ts";
import { scramble } from "./simulated-answer.ts";
import type { SimulatedEvent } from "./wire-format.ts";
import { applyWireQuirk } from "./wire-quirks.ts";

export type OutgoingReply = { response: ServerResponse; call: ReceivedCall };
export type ReplyDelivery = OutgoingReply & { behaviour: ScriptedBehaviour };

/** A break in the middle of a reply; `after` counts content events. */
type StreamBreak = { after: number; how: "cut" | "reset" | "stall" | "error" };

export async function sendStream(
  { response, call, behaviour }: ReplyDelivery,
  events: Iterable<SimulatedEvent>,
  streamFailure: () => string,
): Promise<void> {
  const breaks = streamBreak(behaviour);
  startReply({ response, call }, 200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  response.flushHeaders();

  for (const event of applyWireQuirk(events, behaviour)) {
    // The opening event is always sent: a break after 0 comes before the first word, not before the
    // stream.
    const isPastOpening = event.kind !== "frame" || call.contentEvents > 0;
    if (breaks && isPastOpening && call.contentEvents === breaks.after) {
      return breakOff({ response, call }, breaks, streamFailure);
    }
    if (event.kind === "content") {
      if (behaviour.paceMs) await pause(behaviour.paceMs);
      call.contentEvents += 1;
    }
    if (response.destroyed) return;
    await write(response, event.text, behaviour.wire === "split");
    call.lastByteAt = now();
  }
  response.end();
}

export async function sendJson(
  { response, call, behaviour }: ReplyDelivery,
  body: unknown,
): Promise<void> {
  let text = JSON.stringify(body);
  if (behaviour.malformed) text = `${text.slice(0, -1)},,`;
  if (behaviour.truncateJson) text = firstHalf(text);
  const breaks = streamBreak(behaviour);
  startReply({ response, call }, 200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  if (breaks) {
    await write(response, firstHalf(text), false);
    return breakOff({ response, call }, breaks, () => "");
  }
  response.end(text);
  call.lastByteAt = now();
}

/** Audio; each chunk counts as a content event. */
export async function sendBytes(
  { response, call, behaviour }: ReplyDelivery,
  contentType: string,
  chunks: Iterable<Buffer>,
): Promise<void> {
  const breaks = streamBreak(behaviour);
  startReply({ response, call }, 200, { "content-type": contentType });
  response.flushHeaders();
  for (const chunk of chunks) {
    if (breaks && call.contentEvents === breaks.after)
      return breakOff({ response, call }, breaks, () => "");
    if (behaviour.paceMs) await pause(behaviour.paceMs);
    call.contentEvents += 1;
    if (response.destroyed) return;
    if (!response.write(chunk)) await drainedOrClosed(response);
    call.lastByteAt = now();
  }
  response.end();
}

export async function sendText(
  { response, call, behaviour }: ReplyDelivery,
  text: string,
): Promise<void> {
  const breaks = streamBreak(behaviour);
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  };
  startReply({ response, call }, 200, headers);
  if (breaks) {
    await write(response, firstHalf(text), false);
    return breakOff({ response, call }, breaks, () => "");
  }
  response.end(text);
  call.lastByteAt = now();
}

export function sendFailure(
  { response, call }: OutgoingReply,
  failure: ScriptedFailure,
  body: unknown,
): void {
  const text = JSON.stringify(body);
  const retryAfter =
    failure.retryDateSeconds === undefined
      ? failure.retryAfter
      : new Date(Date.now() + failure.retryDateSeconds * 1000).toUTCString();
  startReply({ response, call }, failure.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    ...(failure.retryAfterMs !== undefined && { "retry-after-ms": failure.retryAfterMs }),
  });
  response.end(text);
  call.lastByteAt = now();
}

export function sendWebPage({ response, call }: OutgoingReply): void {
  startReply({ response, call }, 200, { "content-type": "text/html; charset=utf-8" });
  response.end("<!doctype html>\n<title>Welcome</title>\n<h1>Please sign in to the network</h1>\n");
  call.lastByteAt = now();
}

/** The delay is derived from the number of the call, so that every run has the same sequence. */
export function waitMs({ slowMs = 0, slowMsP99 }: ScriptedBehaviour, keyCall: number): number {
  if (slowMsP99 === undefined || slowMs === 0) return slowMs;
  const uniform = (seed: number) => (scramble(seed) + 1) / 2 ** 32;
  const normal =
    Math.sqrt(-2 * Math.log(uniform(2 * keyCall))) *
    Math.cos(2 * Math.PI * uniform(2 * keyCall + 1));
  const ninetyNinth = 2.326;
  return Math.round(slowMs * Math.exp((normal / ninetyNinth) * Math.log(slowMsP99 / slowMs)));
}

/** Does not keep the process alive: a closed simulator drops its pending replies. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function startReply(
  { response, call }: OutgoingReply,
  status: number,
  headers: Record<string, string | number>,
) {
  call.status = status;
  call.firstByteAt = now();
  response.writeHead(status, { "x-request-id": `req_sim_${call.number}`, ...headers });
}

function streamBreak({
  cutAfter,
  resetAfter,
  stallAfter,
  errorAfter,
}: ScriptedBehaviour): StreamBreak | undefined {
  if (cutAfter !== undefined) return { after: cutAfter, how: "cut" };
  if (resetAfter !== undefined) return { after: resetAfter, how: "reset" };
  if (stallAfter !== undefined) return { after: stallAfter, how: "stall" };
  return errorAfter === undefined ? undefined : { after: errorAfter, how: "error" };
}

async function breakOff(
  { response, call }: OutgoingReply,
  { how }: StreamBreak,
  streamFailure: () => string,
): Promise<void> {
  if (how === "stall") return;
  if (how === "error") {
    response.end(streamFailure());
    call.lastByteAt = now();
  } else {
    await closeConnection(response, how);
  }
}

/** Connections closed by the simulator, which do not count as disconnects of the client. */
export const closedBySimulator = new WeakSet<ServerResponse>();

/**
 * Waits until everything written has left, because the client must receive the events before the
 * break.
 */
export async function closeConnection(
  response: ServerResponse,
  how: "cut" | "reset",
): Promise<void> {
  closedBySimulator.add(response);
  await flushedToSocket();
  const { socket } = response;
  if (how === "cut") socket?.destroySoon();
  else socket?.write("", () => socket.resetAndDestroy());
}

async function write(response: ServerResponse, text: string, byteByByte: boolean): Promise<void> {
  // Never a string: for one with more bytes than characters, Node may not report when it was
  // flushed.
  const bytes = Buffer.from(text);
  const chunks = byteByByte ? Array.from(bytes, (byte) => Buffer.from([byte])) : [bytes];
  for (const chunk of chunks) {
    if (!response.write(chunk)) await drainedOrClosed(response);
    if (byteByByte) await flushedToSocket();
  }
}

function drainedOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}

/** Node combines the writes of one event-loop turn and passes them on at its end. */
const flushedToSocket = () => setImmediate();

function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}
