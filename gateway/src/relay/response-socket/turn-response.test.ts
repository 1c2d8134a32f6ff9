import { once } from "node:events";
import { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MessageSink, TurnResponse } from "./turn-response.ts";

/** `SlowClient` is what the client received, and what it has not yet taken. */
class SlowClient {
  readonly messages: string[] = [];
  #untaken: (() => void)[] = [];
  isSlow = false;

  send: MessageSink["send"] = (message: unknown, ...rest: unknown[]) => {
    this.messages.push(String(message));
    const onSent = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
    if (!onSent) return;
    if (this.isSlow) this.#untaken.push(onSent);
    else queueMicrotask(onSent);
  };
  take(): void {
    for (const onSent of this.#untaken.splice(0)) onSent();
  }
}

const turn = () => {
  const client = new SlowClient();
  const seen: string[] = [];
  const response = new TurnResponse(client, new Socket(), (event) => seen.push(event));
  return { client, seen, response };
};
const streamHead = ["content-type", "text/event-stream"];
const jsonHead = ["content-type", "application/json; charset=utf-8"];

const message = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
const piece = fc.oneof(
  { weight: 5, arbitrary: message.map((data) => ({ data, text: `data: ${data}\n\n` })) },
  {
    weight: 1,
    arbitrary: message.map((data) => ({ data, text: `event: a\r\ndata: ${data}\r\n\r\n` })),
  },
  fc
    .constantFrom(":\n\n", "data: [DONE]\n\n", "event: ping\n\n")
    .map((text) => ({ data: undefined, text })),
);

describe("the answer of a turn", () => {
  test("is each event as one message, in order, whatever the writes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.array(fc.nat({ max: 400 })), async (pieces, cuts) => {
        const { client, seen, response } = turn();
        const bytes = Buffer.from(pieces.map(({ text }) => text).join(""));
        response.writeHead(200, streamHead);
        const places = [...new Set(cuts.filter((cut) => cut < bytes.length))].sort(
          (one, other) => one - other,
        );
        for (const [index, place] of places.entries())
          response.write(bytes.subarray(places[index - 1] ?? 0, place));
        response.end(bytes.subarray(places.at(-1) ?? 0));
        await once(response, "close");
        const expected = pieces.flatMap(({ data }) => data ?? []);
        expect(client.messages).toEqual(expected);
        expect(seen).toEqual(expected);
        expect(response.writableFinished).toBe(true);
      }),
    );
  });

  test("goes at the pace of its client", async () => {
    const { client, response } = turn();
    client.isSlow = true;
    response.writeHead(200, streamHead);
    const event = Buffer.from(`data: {"text":"${"a".repeat(100_000)}"}\n\n`);
    expect(response.write(event)).toBe(false);
    response.write(event);
    expect(client.messages).toHaveLength(1);
    const drained = once(response, "drain");
    client.isSlow = false;
    client.take();
    await drained;
    expect(client.messages).toHaveLength(2);
  });

  test("that is an error before any event is the message of it, and says whether the connection ends", async () => {
    const { client, response } = turn();
    response.writeHead(503, [...jsonHead, "connection", "close"]);
    response.end('{"type":"error","status":503,"error":{}}');
    await once(response, "close");
    expect(client.messages).toEqual(['{"type":"error","status":503,"error":{}}']);
    expect([response.statusCode, response.closesConnection]).toEqual([503, true]);
  });

  test("that a provider gave as a whole begins and ends as a stream does", async () => {
    const { client, response } = turn();
    response.writeHead(200, jsonHead);
    response.write('{"id":"resp_1","object":"response",');
    response.end('"status":"completed","output":[]}');
    await once(response, "close");
    const types = client.messages.map((one) => (JSON.parse(one) as { type: string }).type);
    expect(types).toEqual(["response.created", "response.completed"]);
    expect(response.closesConnection).toBe(false);
  });
});
