import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitMs } from "./delivery.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const messages = [{ role: "user", content: "one two three" }];

type SimulatorReply = {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
  broken: boolean;
};

/** node:http, because fetch discards what arrived before a break. */
async function send(
  method: string,
  path: string,
  key: string,
  body?: object,
): Promise<SimulatorReply> {
  const outgoing = request(`${simulator.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  });
  // A reset is reported twice: on the response, and here after it has ended.
  outgoing.on("error", () => {});
  outgoing.end(body && JSON.stringify(body));
  const [incoming]: IncomingMessage[] = await once(outgoing, "response");
  if (!incoming) throw new Error("no response");
  let text = "";
  incoming.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const broken = await new Promise<boolean>((resolve) => {
    incoming.once("end", () => resolve(false)).once("error", () => resolve(true));
  });
  return { status: incoming.statusCode, headers: incoming.headers, text, broken };
}

const chat = (key: string, body: object = {}) =>
  send("POST", "/v1/chat/completions", key, { model: "small", messages, ...body });

const contentEvents = (text: string) => text.split('"delta":{"content":"').length - 1;
const callsOf = (key: string) => simulator.calls().filter((call) => call.key === key);

test("a healthy key answers, and the call is logged", async () => {
  const response = await chat("sim-ok+as-healthy", { max_tokens: 4 });
  expect(response.status).toBe(200);
  const reply = JSON.parse(response.text);
  expect(reply.choices[0].message.content.split(" ")).toHaveLength(4);
  expect(reply.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 4, total_tokens: 10 });

  const [call] = callsOf("sim-ok+as-healthy");
  expect(call).toMatchObject({
    method: "POST",
    path: "/v1/chat/completions",
    keyCall: 1,
    status: 200,
    stream: false,
    abortedAt: null,
    body: { model: "small", messages, max_tokens: 4 },
  });
  expect(call?.headers.authorization).toBe("Bearer sim-ok+as-healthy");
  expect(call?.lastByteAt).toBeGreaterThanOrEqual(call?.receivedAt ?? Number.POSITIVE_INFINITY);
});

test("a stream arrives event by event and ends with [DONE]", async () => {
  const { headers, text, broken } = await chat("sim-tokens-3", { stream: true });
  expect(headers["content-type"]).toContain("text/event-stream");
  expect(broken).toBe(false);
  expect(contentEvents(text)).toBe(3);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("single bytes add up to the same stream", async () => {
  const whole = await chat("sim-ok", { stream: true });
  const split = await chat("sim-wire-split", { stream: true });
  const words = (text: string) => [...text.matchAll(/"content":"(.*?)"/g)].map(([, word]) => word);
  expect(words(split.text)).toEqual(words(whole.text));
});

test.each(["cut", "reset"])(
  "%s ends the connection after the given number of events",
  async (how) => {
    const { text, broken } = await chat(`sim-${how}-5`, { stream: true });
    expect(broken).toBe(true);
    expect(text).not.toContain("[DONE]");
    // A reset may discard data that the client's system has not delivered yet; a cut may not.
    if (how === "cut") expect(contentEvents(text)).toBe(5);
    expect(callsOf(`sim-${how}-5`)[0]).toMatchObject({ contentEvents: 5, abortedAt: null });
  },
);

test("a cut after 0 still opens the stream", async () => {
  const { text, broken } = await chat("sim-cut-0", { stream: true });
  expect(text).toContain('"role":"assistant"');
  expect([contentEvents(text), broken]).toEqual([0, true]);
});

test("a cut whole answer breaks off halfway", async () => {
  const { text, broken } = await chat("sim-cut-0");
  expect([text.startsWith('{"id"'), broken]).toEqual([true, true]);
});

test("an error inside a stream is an event, and the stream ends without [DONE]", async () => {
  const { text, broken } = await chat("sim-error-2", { stream: true });
  expect([contentEvents(text), broken]).toEqual([2, false]);
  expect(
    JSON.parse(text.trimEnd().split("\n\n").at(-1)?.slice("data: ".length) ?? ""),
  ).toMatchObject({
    error: { type: "server_error" },
  });
});

test("a key fails for its first calls, then works", async () => {
  const statuses: unknown[] = [];
  for (let call = 0; call < 4; call++) statuses.push((await chat("sim-fail-503-first-3")).status);
  expect(statuses).toEqual([503, 503, 503, 200]);
});

test("Retry-After is sent as written, as a date, or in milliseconds by a header of its own", async () => {
  const exact = (await chat("sim-fail-429-retry-ms-1204")).headers;
  expect([exact["retry-after-ms"], exact["retry-after"]]).toEqual(["1204", undefined]);
  expect((await chat("sim-fail-429-retry--5")).headers["retry-after"]).toBe("-5");
  const date = (await chat("sim-fail-429-retry-date-3600")).headers["retry-after"] ?? "";
  expect(Date.parse(date)).toBeGreaterThan(Date.now());
});

test("truncated and malformed JSON cannot be parsed, and an HTML page is HTML", async () => {
  const truncated = await chat("sim-truncate-json");
  expect([truncated.text.startsWith('{"id"'), truncated.broken]).toEqual([true, false]);
  expect(() => JSON.parse(truncated.text)).toThrow(SyntaxError);
  const { text } = await chat("sim-malformed");
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  const page = await chat("sim-html");
  expect([page.status, page.text.startsWith("<!doctype html>")]).toEqual([200, true]);
});

test("a dropped connection never answers", async () => {
  await expect(chat("sim-drop")).rejects.toThrow("socket hang up");
});

test.each(["sim-hang", "sim-stall-2"])("a disconnect from %s is recorded", async (key) => {
  const controller = new AbortController();
  const outgoing = request(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    signal: controller.signal,
  });
  outgoing.on("error", () => {});
  outgoing.end(JSON.stringify({ model: "small", messages, stream: true }));
  if (key === "sim-stall-2") await once(outgoing, "response");
  await expect.poll(() => callsOf(key)).toHaveLength(1);
  expect(simulator.stats().openCalls).toBe(1);
  controller.abort();
  await expect.poll(() => callsOf(key)[0]?.abortedAt).toEqual(expect.any(Number));
  expect(simulator.stats()).toMatchObject({ openCalls: 0, openStreams: 0 });
});

test.each([
  ["sk-someone-else", /Incorrect API key provided/],
  ["sim-fial-503", /does not know the directive 'fial-503'/],
])("the key %s is refused", async (key, message) => {
  const response = await chat(key);
  expect(response.status).toBe(401);
  expect(JSON.parse(response.text).error.message).toMatch(message);
});

test("a script set at run time replaces the key's own and resets its call count", async () => {
  simulator.script("sk-real", "ok");
  expect((await chat("sk-real")).status).toBe(200);
  const script = [{ fail: { status: 500 }, first: 1 }, { text: "as told" }];
  expect((await send("PUT", "/sim/keys/sk-real", "", script)).status).toBe(200);
  expect((await chat("sk-real")).status).toBe(500);
  expect(JSON.parse((await chat("sk-real")).text).choices[0].message.content).toBe("as told");
});

test("an invalid script is refused with its reason", async () => {
  const { status, text } = await send("PUT", "/sim/keys/x", "", { pace: 5 });
  expect([status, JSON.parse(text)]).toEqual([
    400,
    { error: "The simulator does not know the directive 'pace'." },
  ]);
});

test("models are listed, and a key with a list of models refuses others", async () => {
  simulator.script("few", { models: ["tiny"] });
  const { text } = await send("GET", "/v1/models", "few");
  expect(JSON.parse(text)).toMatchObject({
    object: "list",
    data: [{ id: "tiny", object: "model" }],
  });
  expect((await chat("few")).status).toBe(404);
  expect((await chat("few", { model: "tiny" })).status).toBe(200);
});

test("calls can be read and cleared over HTTP", async () => {
  await chat("sim-ok+as-read");
  const readCalls = async () => JSON.parse((await send("GET", "/sim/calls", "")).text);
  const list = await readCalls();
  expect(list.at(-1)).toMatchObject({ key: "sim-ok+as-read", body: { model: "small" } });
  await send("DELETE", "/sim/calls", "");
  expect(await readCalls()).toEqual([]);
});

test("a reset forgets scripts, calls and counts, also of a call that is still open", async () => {
  simulator.script("sk-before", "ok");
  const hanging = new AbortController();
  const open = fetch(`${simulator.url}/v1/models`, {
    headers: { authorization: "Bearer sim-hang" },
    signal: hanging.signal,
  });
  await expect.poll(() => simulator.stats().openCalls).toBe(1);
  await send("DELETE", "/sim", "");
  hanging.abort();
  await expect(open).rejects.toThrow();
  expect((await chat("sk-before")).status).toBe(401);
  expect(simulator.calls()).toHaveLength(1);
  await expect
    .poll(() => simulator.stats())
    .toEqual({ calls: 1, openCalls: 0, openStreams: 0, aborted: 0 });
});

test("skewed delays have the given median and 99th percentile", () => {
  const waits = Array.from({ length: 1000 }, (_, call) =>
    waitMs({ slowMs: 200, slowMsP99: 2000 }, call),
  ).sort((a, b) => a - b);
  expect(waits[500]).toBeGreaterThan(150);
  expect(waits[500]).toBeLessThan(260);
  expect(waits[990]).toBeGreaterThan(1200);
  expect(waits[990]).toBeLessThan(3200);
});
