// Streams that arrive in pieces: whichever byte a piece ends with, the caller gets the same events and pays the same.
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { defaultPrice } from "@tollgate/gateway/money/price-book.ts";
import { respond } from "@tollgate/gateway/relay/answer/respond.ts";
import { Exchange } from "@tollgate/gateway/relay/exchange.ts";
import { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";
import { serverSentEvents } from "@tollgate/gateway/relay/wire/stream-framing.ts";
import { expect } from "vitest";
import { families } from "./families.ts";
import { streamNames } from "./fixture.ts";
import type { Grid } from "./grid.ts";
import { callOf, entryOf, model, wayOver } from "./in-process.ts";
import { type TalkEntry, talkEntries } from "./talk.ts";
import { streamOf, type Wire } from "./wires.ts";

/** A response whose bytes stay here. */
class KeptResponse extends ServerResponse {
  said = "";

  override writeHead(): this {
    return this;
  }

  override write(bytes: Buffer): boolean {
    this.said += bytes.toString();
    return true;
  }

  override end(bytes?: unknown): this {
    if (Buffer.isBuffer(bytes)) this.said += bytes.toString();
    return this;
  }
}

const nobody = new Socket();
const cost = { model, price: defaultPrice };

/** What the caller reads and pays when the provider's bytes come in these pieces. */
async function heard(entry: TalkEntry, wire: Wire, pieces: readonly Buffer[]): Promise<string> {
  const { contentType } = wire.framing ?? serverSentEvents;
  const request = new IncomingMessage(nobody);
  const response = new KeptResponse(request);
  const exchange = new Exchange(1, request, response, "127.0.0.1");
  const answer = new UpstreamResponse();
  const controller = { abort: () => undefined, pause: () => undefined, resume: () => undefined } as never;
  answer.onRequestStart(controller);
  answer.onResponseStart(controller, 200, { "content-type": contentType });
  const responded = respond(exchange, answer, wayOver(callOf(entry), wire.speaks), cost, () => undefined, wire.framing);
  for (const piece of pieces) {
    answer.onResponseData(controller, piece);
    // What came is taken up before the next piece comes.
    await Promise.resolve();
  }
  answer.onResponseEnd();
  const ended = await responded;
  if ("trouble" in ended) exchange.endStream();
  const paid = "ending" in ended ? [ended.ending.outcome, ended.ending.usage, ended.ending.note] : ended.trouble.reason;
  return `${response.said.replaceAll(clock, "")}\n${JSON.stringify(paid)}`;
}

/** When an answer was made, and a name for it that is made up where the provider gives none. */
const clock = /"created(?:_at)?":\d+|(?:chatcmpl-|_)[\da-f]{24,}/g;

/**
 * One piece for each byte; and where the provider's words go through, or go by chat completions because no caller speaks
 * them, two pieces for each place between bytes. Translations get whole events: to them pieces make no difference.
 */
async function cutEverywhere(entry: TalkEntry, wire: Wire): Promise<void> {
  const isSpoken = talkEntries.some((one) => entryOf(one) === wire.speaks);
  const isFirst = entryOf(entry) === wire.speaks || (!isSpoken && entry === "Chat Completions");
  for (const scene of scenesOf(wire)) {
    const { bytes } = streamOf(wire, scene);
    const whole = await heard(entry, wire, [bytes]);
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await heard(entry, wire, single), `${scene}, byte by byte`).toBe(whole);
    if (!isFirst) continue;
    for (let at = 1; at < bytes.length; at += 1) {
      const cut = await heard(entry, wire, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (cut !== whole) expect(cut, `${scene}, cut at ${at}`).toBe(whole);
    }
  }
}

/** Of those that end in an error it depends on the pieces whether something had come before. */
const scenesOf = ({ name }: Wire): string[] =>
  streamNames(name).filter((scene) => scene !== "completion" && scene !== "broken");

export function tryCuts(grid: Grid): void {
  const tried = new Map<string, Promise<void>>();
  for (const family of families) {
    for (const entry of talkEntries) {
      const wire = family.wire[entry];
      const key = `${entry} ${wire.name} ${wire.framing?.contentType}`;
      const place = { table: entry, row: family.name, column: "cut anywhere" };
      const run = async () => {
        const running = tried.get(key) ?? cutEverywhere(entry, wire);
        tried.set(key, running);
        await running;
      };
      if (wire.isOneEvent) grid.cannot(place, "The provider has no streams.");
      else grid.try(place, "", run);
    }
  }
}
