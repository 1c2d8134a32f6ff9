// How an answer travels: at its pace, up to where it breaks, never faster than the reader takes it.
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { scramble } from "./answer.ts";
import { type Call, now } from "./call-book.ts";
import { disguise } from "./disguise.ts";
import type { Behaviour, Failure } from "./script.ts";
import type { WireEvent } from "./wire.ts";

export type Outgoing = { response: ServerResponse; call: Call };
export type Delivery = Outgoing & { behaviour: Behaviour };

/** How an answer breaks off in the middle; `after` counts content events. */
type Break = { after: number; how: "cut" | "reset" | "stall" | "error" };

export async function sendStream(
  { response, call, behaviour }: Delivery,
  events: Iterable<WireEvent>,
  streamFailure: () => string,
): Promise<void> {
  const breaks = breakOf(behaviour);
  begin({ response, call }, 200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();

  for (const event of disguise(events, behaviour)) {
    // The opening event always goes out: a break "after 0" comes before the first word, not before the stream.
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

export async function sendJson({ response, call, behaviour }: Delivery, body: unknown): Promise<void> {
  let text = JSON.stringify(body);
  if (behaviour.malformed) text = `${text.slice(0, -1)},,`;
  if (behaviour.truncateJson) text = firstHalf(text);
  const breaks = breakOf(behaviour);
  begin({ response, call }, 200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  if (breaks) {
    await write(response, firstHalf(text), false);
    return breakOff({ response, call }, breaks, () => "");
  }
  response.end(text);
  call.lastByteAt = now();
}

/** Sound; a piece counts as a content event. */
export async function sendBytes(
  { response, call, behaviour }: Delivery,
  contentType: string,
  pieces: Iterable<Buffer>,
): Promise<void> {
  const breaks = breakOf(behaviour);
  begin({ response, call }, 200, { "content-type": contentType });
  response.flushHeaders();
  for (const piece of pieces) {
    if (breaks && call.contentEvents === breaks.after) return breakOff({ response, call }, breaks, () => "");
    if (behaviour.paceMs) await pause(behaviour.paceMs);
    call.contentEvents += 1;
    if (response.destroyed) return;
    if (!response.write(piece)) await takenOrClosed(response);
    call.lastByteAt = now();
  }
  response.end();
}

export async function sendText({ response, call, behaviour }: Delivery, text: string): Promise<void> {
  const breaks = breakOf(behaviour);
  const headers = { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(text) };
  begin({ response, call }, 200, headers);
  if (breaks) {
    await write(response, firstHalf(text), false);
    return breakOff({ response, call }, breaks, () => "");
  }
  response.end(text);
  call.lastByteAt = now();
}

export function sendFailure({ response, call }: Outgoing, failure: Failure, body: unknown): void {
  const text = JSON.stringify(body);
  const retryAfter =
    failure.retryDateSeconds === undefined
      ? failure.retryAfter
      : new Date(Date.now() + failure.retryDateSeconds * 1000).toUTCString();
  begin({ response, call }, failure.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
  });
  response.end(text);
  call.lastByteAt = now();
}

export function sendWebPage({ response, call }: Outgoing): void {
  begin({ response, call }, 200, { "content-type": "text/html; charset=utf-8" });
  response.end("<!doctype html>\n<title>Welcome</title>\n<h1>Please sign in to the network</h1>\n");
  call.lastByteAt = now();
}

/** Waits follow from the number of the call, so that every run sees the same row of them. */
export function waitMs({ slowMs = 0, slowMsP99 }: Behaviour, keyCall: number): number {
  if (slowMsP99 === undefined || slowMs === 0) return slowMs;
  const uniform = (seed: number) => (scramble(seed) + 1) / 2 ** 32;
  const normal = Math.sqrt(-2 * Math.log(uniform(2 * keyCall))) * Math.cos(2 * Math.PI * uniform(2 * keyCall + 1));
  const ninetyNinth = 2.326;
  return Math.round(slowMs * Math.exp((normal / ninetyNinth) * Math.log(slowMsP99 / slowMs)));
}

/** Does not keep the process alive: a simulator that is closed is gone, whatever it still meant to say. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function begin({ response, call }: Outgoing, status: number, headers: Record<string, string | number>) {
  call.status = status;
  call.firstByteAt = now();
  response.writeHead(status, { "x-request-id": `req_sim_${call.number}`, ...headers });
}

function breakOf({ cutAfter, resetAfter, stallAfter, errorAfter }: Behaviour): Break | undefined {
  if (cutAfter !== undefined) return { after: cutAfter, how: "cut" };
  if (resetAfter !== undefined) return { after: resetAfter, how: "reset" };
  if (stallAfter !== undefined) return { after: stallAfter, how: "stall" };
  return errorAfter === undefined ? undefined : { after: errorAfter, how: "error" };
}

async function breakOff({ response, call }: Outgoing, { how }: Break, streamFailure: () => string): Promise<void> {
  if (how === "stall") return;
  if (how === "error") {
    response.end(streamFailure());
    call.lastByteAt = now();
  } else {
    await hangUp(response, how);
  }
}

/** Connections that we broke ourselves are no hang-ups of the gateway. */
export const endedByUs = new WeakSet<ServerResponse>();

/** Only once everything said so far has left: the reader must get its events before it gets the break. */
export async function hangUp(response: ServerResponse, how: "cut" | "reset"): Promise<void> {
  endedByUs.add(response);
  await handedToSocket();
  const { socket } = response;
  if (how === "cut") socket?.destroySoon();
  else socket?.write("", () => socket.resetAndDestroy());
}

async function write(response: ServerResponse, text: string, byteByByte: boolean): Promise<void> {
  // Never as a string: of one that has more bytes than characters Node may forget to say when it has left.
  const bytes = Buffer.from(text);
  const pieces = byteByByte ? Array.from(bytes, (byte) => Buffer.from([byte])) : [bytes];
  for (const piece of pieces) {
    if (!response.write(piece)) await takenOrClosed(response);
    if (byteByByte) await handedToSocket();
  }
}

function takenOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}

/** Node joins what is written to a response in one turn of its loop and hands it over at the end of the turn. */
const handedToSocket = () => setImmediate();

function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}
