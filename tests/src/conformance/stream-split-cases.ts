// Streams that arrive in pieces: whichever byte a piece ends with, the client gets the same events
// and pays the same.
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { defaultPrice } from "@tollgate/gateway/money/prices/price-book.ts";
import { respond } from "@tollgate/gateway/relay/answer/respond.ts";
import { Exchange } from "@tollgate/gateway/relay/exchange.ts";
import { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";
import { serverSentEvents } from "@tollgate/gateway/relay/wire/sse-splitter.ts";
import { expect, test } from "vitest";
import type { ConformanceGrid } from "./conformance-grid.ts";
import { type ConversationEndpoint, conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, entryOf, model, planOver } from "./in-process-relay.ts";
import { providerFamilies } from "./provider-families.ts";
import { type ProviderWire, streamOf } from "./provider-wires.ts";
import { streamNames } from "./wire-fixtures.ts";

/** A response whose bytes stay here. */
class CapturedResponse extends ServerResponse {
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

const unusedSocket = new Socket();
const cost = { model, price: defaultPrice };

/**
 * `relayPieces` gives what the client reads and pays when the provider's bytes come in these
 * pieces.
 */
async function relayPieces(
  endpoint: ConversationEndpoint,
  wire: ProviderWire,
  pieces: readonly Buffer[],
): Promise<string> {
  const { contentType } = wire.framing ?? serverSentEvents;
  const request = new IncomingMessage(unusedSocket);
  const response = new CapturedResponse(request);
  const exchange = new Exchange(1, request, response, "127.0.0.1");
  const upstream = new UpstreamResponse();
  const controller = {
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  } as never;
  upstream.onRequestStart(controller);
  upstream.onResponseStart(controller, 200, { "content-type": contentType });
  const responded = respond(
    exchange,
    upstream,
    planOver(callOf(endpoint), wire.speaks),
    cost,
    () => undefined,
    wire.framing,
  );
  for (const piece of pieces) {
    upstream.onResponseData(controller, piece);
    // What came is taken up before the next piece comes.
    await Promise.resolve();
  }
  upstream.onResponseEnd();
  const ended = await responded;
  if ("error" in ended) exchange.endStream();
  const paid =
    "result" in ended
      ? [ended.result.outcome, ended.result.usage, ended.result.note]
      : ended.error.reason;
  return `${response.said.replaceAll(clock, "")}\n${JSON.stringify(paid)}`;
}

/**
 * `clock` is when an answer was made, and a name for it that is made up where the provider gives
 * none.
 */
const clock = /"created(?:_at)?":\d+|(?:chatcmpl-|_)[\da-f]{24,}/g;

/**
 * `splitEverywhere` gives one piece for each byte; and where the provider's words go through, or go
 * by chat completions because no client speaks them, two pieces, cut at every `step`th byte.
 * Translations get whole events: to them pieces make no difference.
 */
async function splitEverywhere(
  endpoint: ConversationEndpoint,
  wire: ProviderWire,
  step: number,
): Promise<void> {
  const isSpoken = conversationEndpoints.some((one) => entryOf(one) === wire.speaks);
  const isFirst =
    entryOf(endpoint) === wire.speaks || (!isSpoken && endpoint === "Chat Completions");
  for (const scenario of splittableScenarios(wire)) {
    const { bytes } = streamOf(wire, scenario);
    const whole = await relayPieces(endpoint, wire, [bytes]);
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await relayPieces(endpoint, wire, single), `${scenario}, byte by byte`).toBe(whole);
    if (!isFirst) continue;
    for (let at = 1; at < bytes.length; at += step) {
      const cut = await relayPieces(endpoint, wire, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (cut !== whole) expect(cut, `${scenario}, cut at ${at}`).toBe(whole);
    }
  }
}

/**
 * `splittableScenarios` is about those that end in an error it depends on the pieces whether
 * something had come before.
 */
const splittableScenarios = ({ name }: ProviderWire): string[] =>
  streamNames(name).filter((scenario) => scenario !== "completion" && scenario !== "broken");

/**
 * A prime, so that the cuts of one event are other ones than those of the next; a variant cuts at
 * every byte.
 */
const narrowStep = 7;

export function testStreamSplits(grid: ConformanceGrid): void {
  const tried = new Map<string, Promise<void>>();
  const everyByte = new Map<string, () => Promise<void>>();
  for (const family of providerFamilies) {
    for (const endpoint of conversationEndpoints) {
      const wire = family.wire[endpoint];
      const key = `${endpoint} ${wire.name} ${wire.framing?.contentType}`;
      const cell = { table: endpoint, row: family.name, column: "cut anywhere" };
      const run = async () => {
        const running = tried.get(key) ?? splitEverywhere(endpoint, wire, narrowStep);
        tried.set(key, running);
        await running;
      };
      if (wire.isOneEvent) grid.cannot(cell, "The provider has no streams.");
      else {
        grid.test(cell, "", run);
        everyByte.set(key, () => splitEverywhere(endpoint, wire, 1));
      }
    }
  }
  test.for([...everyByte])(
    "cut at every byte: %s",
    { tags: ["variant"], timeout: 240_000 },
    ([, run]) => run(),
  );
}
