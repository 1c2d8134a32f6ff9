import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultPrice } from "../../money/prices/price-book.ts";
import { Exchange } from "../exchange.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { speech } from "../formats/speech.ts";
import { UpstreamResponse } from "../upstream/forward.ts";
import { respond } from "./respond.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A response whose bytes stay here. */
class RecordingResponse extends ServerResponse {
  readonly heads: unknown[] = [];
  readonly pieces: string[] = [];
  hasEnded = false;

  override writeHead(status: number, ...rest: unknown[]): this {
    this.heads.push([status, ...rest]);
    return super.writeHead(status, ...(rest as [string[]]));
  }

  override write(bytes: Buffer | string): boolean {
    this.pieces.push(bytes.toString());
    return true;
  }

  override end(): this {
    this.hasEnded = true;
    return this;
  }
}

const json = { model: "tts", input: "one two", voice: "alloy" };

function begun(isStream = false) {
  const response = new RecordingResponse(new IncomingMessage(new Socket()));
  const exchange = new Exchange(1, response.req, response, "127.0.0.1");
  const answer = new UpstreamResponse();
  const controller = {
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  } as never;
  answer.onRequestStart(controller);
  const body = Buffer.from(JSON.stringify(json));
  const call: RelayCall = {
    ...speech.parseRequest(json, false),
    isStream,
    client: speech,
    upstream: speech.upstream,
    headers: [],
    body,
  };
  const arrive = (piece: string) => answer.onResponseData(controller, Buffer.from(piece));
  return {
    response,
    exchange,
    arrive,
    answer(headers: Record<string, string>) {
      answer.onResponseStart(controller, 200, headers);
      const way = { call, translator: undefined, dropped: [] };
      return respond(exchange, answer, way, { model: "tts", price: defaultPrice }, () => undefined);
    },
    end: () => answer.onResponseEnd(),
    break: () => answer.onResponseError(controller, new Error("gone")),
  };
}

describe("audio", () => {
  test("is never mixed with heartbeats of a stream", async () => {
    const { response, exchange, answer, arrive, end } = begun(true);
    exchange.keepAlive(5_000);
    const responded = answer({ "content-type": "audio/mpeg", "content-length": "4" });
    arrive("ab");
    vi.advanceTimersByTime(60_000);
    arrive("cd");
    end();
    expect(response.pieces).toEqual(["ab", "cd"]);
    expect(response.heads).toEqual([
      [200, expect.arrayContaining(["audio/mpeg", "content-length", "4"])],
    ]);
    expect(await responded).toMatchObject({
      result: { outcome: "success", usage: { characters: 7 } },
    });
  });

  test("does not follow a heartbeat: another channel may stream", async () => {
    const { response, exchange, answer } = begun(true);
    exchange.keepAlive(1_000);
    vi.advanceTimersByTime(10_000);
    expect(response.pieces).toContain(":\n\n");
    expect(await answer({ "content-type": "audio/mpeg" })).toMatchObject({
      error: { isRetryable: true },
    });
  });

  test.each(["end", "break"] as const)(
    "of which nothing came before its %s is another channel's to speak",
    async (how) => {
      const upstream = begun();
      const responded = upstream.answer({ "content-type": "audio/mpeg" });
      upstream[how]();
      expect(await responded).toMatchObject({ error: { isRetryable: true } });
      expect(upstream.response.heads).toEqual([]);
    },
  );

  test("that breaks off is not ended as if it were complete, and a refusal adds nothing to it", async () => {
    const upstream = begun();
    const responded = upstream.answer({ "content-type": "audio/mpeg" });
    upstream.arrive("ab");
    upstream.break();
    expect(await responded).toMatchObject({
      result: { outcome: "cut", note: "gone", usage: { characters: 7 } },
    });
    upstream.exchange.refuse({ status: 500, type: "internal_error", message: "no" });
    expect([upstream.response.pieces, upstream.response.hasEnded]).toEqual([["ab"], false]);
  });
});
