// Everything that users have made at providers: which channels are asked, how often, and what the
// log says of it.
import { Readable } from "node:stream";
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

/**
 * `failures` are what a first channel does; `made`: it may have made it, so that no second channel
 * is asked.
 */
const failures = [
  { name: "refuses with 503", key: "sim-fail-503" },
  { name: "refuses its key", key: "sim-fail-401" },
  { name: "takes no connection", key: "sim-ok", base_url: "http://127.0.0.1:9" },
  { name: "fails with 500", key: "sim-fail-500", made: true },
  { name: "breaks off", key: "sim-drop", made: true },
] as const;

interface MadeThing {
  path: string;
  headers?: Record<string, string>;
  body(): string | FormData;
  /** Its row comes at its end. */
  isTask?: true;
}

const json = (path: string, body: object, more: Partial<MadeThing> = {}): MadeThing => ({
  path,
  body: () => JSON.stringify(body),
  ...more,
});
const form = () => {
  const made = new FormData();
  made.append("purpose", "user_data");
  made.append("file", new File(["a".repeat(100_000)], "a.txt"));
  return made;
};
const upload = {
  "x-goog-upload-protocol": "resumable",
  "x-goog-upload-command": "start",
  "x-goog-upload-header-content-length": "5",
};
const message = { model: "claude-m", max_tokens: 5, messages: [{ role: "user", content: "hi" }] };
const made: Readonly<Record<string, MadeThing>> = {
  file: { path: "/v1/files", body: form },
  conversation: json("/v1/conversations", { metadata: { topic: "a" } }),
  "vector store": json("/v1/vector_stores", { name: "a" }),
  container: json("/v1/containers", { name: "a" }),
  video: json("/v1/videos", { model: "m", prompt: "snow", seconds: "4" }, { isTask: true }),
  "message batch": json(
    "/v1/messages/batches",
    { requests: [{ custom_id: "a", params: message }] },
    { headers: { "anthropic-version": "2023-06-01" }, isTask: true },
  ),
  "upload to Gemini": json(
    "/upload/v1beta/files",
    { file: { displayName: "a" } },
    { headers: upload },
  ),
  cache: json("/v1beta/cachedContents", {
    model: "models/gemini-m",
    contents: [{ parts: [{ text: "a" }] }],
  }),
};

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    upstreams: ["http://127.0.0.1:9"],
    env: { API_RATE_LIMIT: "0" },
  });
  const groups = Object.fromEntries(
    Array.from({ length: failures.length + 2 + batchFailures.length }, (_, index) => [
      `group-${index}`,
      1,
    ]),
  );
  await gateway.api("PUT", "/api/option/", {
    key: "GroupRatio",
    value: JSON.stringify({ default: 1, ...groups }),
  });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

const models = { 1: "m", 14: "claude-m", 24: "gemini-m" };
const price = JSON.stringify({
  m: { video: { per_second_usd: 0.1, base_resolution: "1280x720" } },
});

/**
 * A key that reaches, for each kind of provider, a first channel with these fields and a second one
 * that works.
 */
async function keyFor(index: number, first: { key: string; base_url?: string }): Promise<string> {
  const group = `group-${index}`;
  for (const [type, model] of Object.entries(models)) {
    const fields = {
      type: Number(type),
      models: model,
      group,
      config: '{"pass_cost_members":true}',
    };
    const channel = { ...fields, ...(model === "m" && { model_configs: price }) };
    await gateway.given.channel({
      ...channel,
      ...first,
      name: `first-${index}-${type}`,
      priority: 9,
    });
    await gateway.given.channel({
      ...channel,
      key: `sim-as-second-${index}`,
      name: `second-${index}-${type}`,
    });
  }
  const user = await gateway.given.user(`maker-${index}`, { quota: 1_000_000_000, group });
  return (await user.token()).key;
}

const send = async (key: string, { path, headers, body }: MadeThing, more: RequestInit = {}) => {
  const content = body();
  const type = typeof content === "string" ? { "content-type": "application/json" } : {};
  const authorization = path.includes("v1beta")
    ? { "x-goog-api-key": key }
    : { authorization: `Bearer ${key}` };
  const init = {
    method: "POST",
    headers: { ...type, ...authorization, ...headers },
    body: content,
    ...more,
  };
  return fetch(gateway.url + path, init);
};

/** Channel names and outcomes of the attempts, newest request first. */
async function attemptsOf({ isTask }: MadeThing): Promise<[channel: string, outcome: string][]> {
  const running = await gateway.rows<{ terms: string }>(
    "select terms, id from provider_batches where state <> 'settled' union all " +
      "select terms, id from video_tasks where state <> 'settled' order by 2 desc limit 1",
  );
  const [traced] = await gateway.rows<{ data: string }>(
    "select data from traces order by id desc limit 1",
  );
  const source =
    isTask && running[0]?.terms
      ? JSON.parse(running[0].terms).traced
      : JSON.parse(traced?.data ?? "{}");
  return (source as TraceRecord).attempts.map(({ channel_name, outcome }) => [
    channel_name.replace(/-.*/, ""),
    outcome === "running" ? "success" : outcome,
  ]);
}

describe.each(failures.map((failure, index) => ({ ...failure, index })))(
  "where the first channel $name",
  (failure) => {
    const { index, name: _, ...fields } = failure;
    let key: string;
    const isMade = "made" in failure;

    beforeAll(async () => {
      const { key: channelKey, base_url } = { base_url: undefined, ...fields };
      key = await keyFor(index, { key: channelKey, ...(base_url && { base_url }) });
    });

    test.each(Object.entries(made))(
      isMade ? "no second %s is made" : "the next one makes the %s",
      async (_name, thing) => {
        await gateway.simulator.clearCalls();
        const response = await send(key, thing);
        const attempts = await attemptsOf(thing);
        const [log] = await gateway.rows(
          "select * from logs where type = 2 order by id desc limit 1",
        );
        const seconds = (await gateway.simulator.calls()).filter(({ headers }) =>
          JSON.stringify(headers).includes(`sim-as-second-${index}`),
        );
        if (isMade) {
          expect(response.status).toBeGreaterThanOrEqual(500);
          expect(response.headers.get("x-should-retry")).toBe("false");
          expect(seconds).toEqual([]);
          // Nor is it made twice at the first one.
          expect(await gateway.simulator.calls()).toHaveLength(1);
          if (!thing.isTask) expect(attempts).toEqual([["first", expect.any(String)]]);
          return;
        }
        expect(response.status, await response.clone().text()).toBe(200);
        expect(attempts).toEqual([
          ["first", "failed"],
          ["second", "success"],
        ]);
        if (!thing.isTask)
          expect(log).toMatchObject({ username: `maker-${index}`, outcome: "success", retries: 1 });
        // The breaker is open: the next one does not ask the first channel, except where it has
        // refused a key alone.
        expect((await send(key, thing)).status).toBe(200);
        expect(await attemptsOf(thing)).toEqual([["second", "success"]]);
      },
    );
  },
);

/** What the account that keeps the lines of a batch does when it is told to run them. */
const batchFailures = [
  { name: "works", script: undefined, status: 200 },
  { name: "refuses with 503", script: { fail: { status: 503 } }, status: 503 },
  { name: "refuses its key", script: { fail: { status: 401 } }, status: 502 },
  { name: "fails with 500", script: { fail: { status: 500 } }, status: 502, made: true },
  { name: "breaks off", script: { drop: true }, status: 502, made: true },
] as const;

describe("a batch of OpenAI is made where its lines lie, or nowhere", () => {
  const lines = new FormData();
  lines.append("purpose", "batch");
  const call = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "hi" }] };
  const one = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body: call };
  lines.append("file", new File([JSON.stringify(one)], "lines.jsonl"));

  test.each(batchFailures.map((failure, at) => ({ ...failure, at })))(
    "where the account $name",
    async (failure) => {
      const index = failures.length + 2 + failure.at;
      const home = `sim-as-home-${index}`;
      await gateway.simulator.script(home, {});
      const key = await keyFor(index, { key: home });
      const stored = await send(key, { path: "/v1/files", body: () => lines });
      const { id } = (await stored.json()) as { id: string };
      await gateway.simulator.clearCalls();
      // The first question about the file is for its lines.
      if (failure.script) await gateway.simulator.script(home, [{ every: 2, ...failure.script }]);
      const batch = json(
        "/v1/batches",
        { input_file_id: id, endpoint: one.url, completion_window: "24h" },
        { isTask: true },
      );
      const response = await send(key, batch);
      expect(response.status, await response.clone().text()).toBe(failure.status);
      const isUncertain = "made" in failure;
      expect(response.headers.get("x-should-retry")).toBe(isUncertain ? "false" : null);
      const isRunning = failure.script === undefined || isUncertain;
      const traced: MadeThing = isRunning ? batch : json(batch.path, {});
      const outcome = failure.script ? expect.stringMatching(/failed|lost/) : "success";
      expect(await attemptsOf(traced)).toEqual([["first", outcome]]);
      const asked = await gateway.simulator.calls();
      expect(asked.map(({ key: account }) => account)).toEqual([home, home]);
      const [row] = await gateway.rows(
        "select username, outcome from logs where type = 2 order by id desc limit 1",
      );
      // The row of one that may run comes at its end.
      if (!isRunning) expect(row).toMatchObject({ username: `maker-${index}`, outcome: "failed" });
      await gateway.simulator.script(home, {});
    },
  );
});

describe("a file that is too large to hold passes through", () => {
  /** Without a length, it is not known to be small. */
  const passing = (key: string) => {
    const boundary = "b";
    const part = (more: string, text: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${more}\r\n\r\n${text}\r\n`;
    const text = `${part('name="purpose"', "user_data")}${part('name="file"; filename="a"', "a".repeat(1_000_000))}--b--\r\n`;
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    };
    const body = Readable.toWeb(Readable.from([Buffer.from(text)])) as ReadableStream;
    return fetch(`${gateway.url}/v1/files`, {
      method: "POST",
      headers,
      body,
      duplex: "half",
    } as RequestInit);
  };
  test("to the next channel where the first one got none of it, and to no other where it did", async () => {
    for (const [index, first, expected] of [
      [failures.length, { key: "sim-ok", base_url: "http://127.0.0.1:9" }, 200],
      [failures.length + 1, { key: "sim-fail-503" }, 503],
    ] as const) {
      const key = await keyFor(index, first);
      expect((await passing(key)).status).toBe(expected);
      expect((await attemptsOf({ path: "", body: form })).length).toBe(expected === 200 ? 2 : 1);
    }
  });
});
