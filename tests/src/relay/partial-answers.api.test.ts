// Who pays when an answer does not reach its end: the policy (a) to (f) of docs, row by row, to the
// unit.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  defaultCharge,
  promptEstimate,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type CannedProvider,
  chunk,
  completion,
  done,
  event,
  startCannedProvider,
  streamed,
  usageEvent,
  whole,
} from "./canned-provider.ts";
import { contentEvents, disconnectWhen } from "./raw-clients.ts";

/**
 * `abortWithinMs` says how soon a disconnect must reach the upstream; ten times that for slow
 * machines.
 */
const abortWithinMs = 1_000;

describeVariants(databaseKinds)("an answer that is not whole, on %s", (store) => {
  let gateway: TestGateway;
  let canned: CannedProvider;
  let count = 0;
  beforeAll(async () => {
    canned = await startCannedProvider();
    gateway = await startTestGateway({ store, upstreams: [canned.url] });
  });
  afterAll(async () => {
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await canned.close();
  });

  /** A model of its own for each test, so that no channel's past matters. */
  async function given(...keys: string[]) {
    count += 1;
    const models = `model-${count}`;
    const channels = [];
    for (const [index, key] of keys.entries()) {
      const base_url = key === "canned" ? canned.url : gateway.simulator.url;
      channels.push(
        await gateway.given.channel({
          key: `${key}+as-${count}`,
          models,
          base_url,
          priority: 10 - index,
        }),
      );
    }
    const { key } = await gateway.given.token();
    const row = async () => {
      const found = (await gateway.logs()).filter(
        ({ origin_model_name }) => origin_model_name === models,
      );
      expect(found).toHaveLength(1);
      return found[0] as (typeof found)[number];
    };
    return { key, channels, models, body: { model: models }, row: () => eventually(row) };
  }
  const upstreamCall = async (name: string) => {
    const call = (await gateway.simulator.calls()).findLast(({ key }) => key?.endsWith(name));
    if (!call) throw new Error(`the simulator was not called by ${name}`);
    return call;
  };

  test("(a) a call that is refused before it is forwarded costs nothing and leaves no row", {
    tags: ["I-16"],
  }, async () => {
    const { key, body } = await given("sim-ok");
    const before = await gateway.books();
    expect((await gateway.chat(key, { ...body, messages: [] })).status).toBe(400);
    expect((await gateway.chat(key, { ...body, model: "nobody-has-this" })).status).toBe(404);
    expect(await gateway.settled()).toEqual(before);
  });

  test.each([
    "sim-fail-500",
    "sim-drop",
    "sim-cut-0",
    "sim-html",
    "sim-truncate-json",
    "sim-reset-0",
  ])(
    "(b) an upstream that fails before the first word costs nothing (%s)",
    { tags: ["F-114"] },
    async (upstreamKey) => {
      const { key, body, row } = await given(upstreamKey);
      const reply = await gateway.chat(key, body);
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect(reply.body.error).toMatchObject({
        message: expect.stringContaining("request id"),
        type: expect.any(String),
      });
      expect(await row()).toMatchObject({
        quota: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        outcome: "failed",
      });
    },
  );

  test.each(["sim-fail-500", "sim-cut-0", "sim-error-0", "sim-html"])(
    "(b) a stream that fails before the first word is answered by another channel and billed once (%s)",
    async (upstreamKey) => {
      const { key, body, row, channels } = await given(upstreamKey, "sim-ok");
      const answer = await gateway.stream(key, body);
      expect(answer).toMatchObject({ status: 200, errors: [] });
      expect(answer.text.split(" ")).toHaveLength(12);
      const log = await row();
      expect(log).toMatchObject({
        quota: defaultCharge,
        channel_id: channels[1]?.id,
        outcome: "success",
      });
      expect((await gateway.trace(log.id)).attempts.map(({ outcome }) => outcome)).toEqual([
        "failed",
        "success",
      ]);
    },
  );

  test("(c) a client that disconnects before the first byte pays nothing, and the upstream call is cancelled", {
    tags: ["F-49", "I-15"],
  }, async () => {
    const { key, body, row } = await given("sim-hang", "sim-ok");
    const leaving = new AbortController();
    const asked = gateway.send(key, chatBody(body), { signal: leaving.signal }).catch(() => "left");
    await eventually(() => upstreamCall(`sim-hang+as-${count}`));
    const leftAt = Date.now();
    leaving.abort();
    expect(await asked).toBe("left");
    expect(await row()).toMatchObject({ quota: 0, outcome: "client_left" });
    const call = await eventually(async () => {
      const found = await upstreamCall(`sim-hang+as-${count}`);
      if (found.abortedAt === null) throw new Error("not aborted yet");
      return found;
    });
    expect(Number(call.abortedAt) - leftAt).toBeLessThan(10 * abortWithinMs);
    // The client was gone, so no other channel was asked.
    expect(
      (await gateway.simulator.calls()).filter((one) => one.key === `sim-ok+as-${count}`),
    ).toEqual([]);
  });

  test("(c) a client that leaves a stream before the first word pays nothing", {
    tags: ["F-49"],
  }, async () => {
    const { key, body, row } = await given("sim-stall-0");
    const leaving = new AbortController();
    const asked = gateway
      .send(key, chatBody({ ...body, stream: true }), { signal: leaving.signal })
      .catch(() => "left");
    await eventually(async () =>
      expect((await upstreamCall(`sim-stall-0+as-${count}`)).status).toBe(200),
    );
    leaving.abort();
    await asked;
    expect(await row()).toMatchObject({ quota: 0, outcome: "client_left" });
    await eventually(async () =>
      expect((await upstreamCall(`as-${count}`)).abortedAt).not.toBeNull(),
    );
  });

  test("(d) a client that leaves in the middle pays the prompt and what had come, and the upstream is cancelled within a second", {
    tags: ["F-50", "I-15"],
  }, async () => {
    const { key, body, row } = await given("sim-stall-5");
    const visit = await disconnectWhen(gateway, key, (read) => contentEvents(read) === 5, body);
    expect(visit.status).toBe(200);
    expect(await row()).toMatchObject({
      outcome: "client_left",
      prompt_tokens: promptEstimate,
      completion_tokens: 5,
      quota: promptEstimate + 5 * 4,
    });
    const call = await eventually(async () => {
      const found = await upstreamCall(`as-${count}`);
      if (found.abortedAt === null) throw new Error("not aborted yet");
      return found;
    });
    expect(Number(call.abortedAt) - visit.leftAt).toBeLessThan(10 * abortWithinMs);
  });

  test("(d) a client that leaves a running stream pays for at least what it read and at most what was sent", async () => {
    const { key, body, row } = await given("sim-pace-20+tokens-500");
    const visit = await disconnectWhen(gateway, key, (read) => contentEvents(read) >= 20, body);
    const log = await row();
    const call = await eventually(async () => {
      const found = await upstreamCall(`as-${count}`);
      if (found.abortedAt === null) throw new Error("not aborted yet");
      return found;
    });
    expect(log.outcome).toBe("client_left");
    expect(log.completion_tokens).toBeGreaterThanOrEqual(contentEvents(visit.read));
    expect(log.completion_tokens).toBeLessThanOrEqual(call.contentEvents);
    expect(log.quota).toBe(promptEstimate + 4 * log.completion_tokens);
    expect(call.contentEvents).toBeLessThan(500);
  });

  test("(d) a client that hangs up right after [DONE] has everything: a success at the upstream's count", {
    tags: ["F-117"],
  }, async () => {
    const { key, body, row } = await given("canned");
    canned.answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      // The connection stays open: only the client ends it.
      response.write(
        chunk("a") +
          chunk(" b") +
          usageEvent({ prompt_tokens: 6, completion_tokens: 2, total_tokens: 8 }) +
          done,
      );
    };
    await disconnectWhen(gateway, key, (read) => read.includes("[DONE]"), body);
    expect(await row()).toMatchObject({ outcome: "success", quota: 6 + 2 * 4 });
  });

  test("(e) an upstream that cuts a stream: the client gets an error, and pays the prompt and what was relayed", async () => {
    const { key, body, row, channels } = await given("sim-cut-5", "sim-ok");
    const answer = await gateway.stream(key, body);
    expect(answer.status).toBe(200);
    expect(answer.text.split(" ")).toHaveLength(5);
    expect(answer.errors).toHaveLength(1);
    expect(answer.errors[0]?.message).toMatch(/request id/);
    const log = await row();
    expect(log).toMatchObject({
      outcome: "cut",
      channel_id: channels[0]?.id,
      prompt_tokens: promptEstimate,
      completion_tokens: 5,
      quota: promptEstimate + 5 * 4,
    });
    // Never again after the first word.
    expect((await gateway.trace(log.id)).attempts).toHaveLength(1);
  });

  test("(e) an error inside a stream: what came before it reaches the client, and nothing more is charged", {
    tags: ["F-48"],
  }, async () => {
    const { key, body, row } = await given("canned", "sim-ok");
    canned.answer = streamed(
      chunk("one"),
      // Text and the error in one piece.
      chunk(" two") +
        chunk(" three") +
        event({ error: { message: "I broke", type: "server_error", code: null } }),
    );
    const answer = await gateway.stream(key, body);
    expect(answer.text).toBe("one two three");
    expect(answer.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("The provider failed") }),
    ]);
    const log = await row();
    expect(log).toMatchObject({
      outcome: "cut",
      completion_tokens: 3,
      quota: promptEstimate + 3 * 4,
    });
  });

  test("(e) a stream that breaks with a word and its cut in one piece: the word is delivered, or it is free", async () => {
    const { key, body, row } = await given("sim-reset-3");
    const answer = await gateway.stream(key, body);
    const log = await row();
    // A reset may lose text; the charge is for what the client got.
    const words = answer.text === "" ? 0 : answer.text.split(" ").length;
    expect(log.completion_tokens).toBe(words);
    expect(log.quota).toBe(words === 0 ? 0 : promptEstimate + words * 4);
  });

  test("(e) the error's own text is no output", { tags: ["F-48"] }, async () => {
    const { key, body, row } = await given("canned");
    canned.answer = streamed(
      chunk("one"),
      event({ error: { message: "a very long explanation ".repeat(50), type: "server_error" } }),
    );
    await gateway.stream(key, body);
    expect(await row()).toMatchObject({ completion_tokens: 1, quota: promptEstimate + 4 });
  });

  test("(f) the usage of the upstream counts, cached tokens in their own bucket", async () => {
    const { key, body, row } = await given("sim-cached-4+reasoning-30");
    await gateway.stream(key, body);
    expect(await row()).toMatchObject({
      outcome: "success",
      prompt_tokens: 6,
      cached_prompt_tokens: 4,
      completion_tokens: 42,
      quota: 6 + 42 * 4,
    });
  });

  test.each([false, true])(
    "(f) without usage the charge is estimated and marked as such (stream: %s)",
    async (stream) => {
      const { key, body, row } = await given("sim-no-usage");
      if (stream) expect((await gateway.stream(key, body)).status).toBe(200);
      else expect((await gateway.chat(key, body)).status).toBe(200);
      const log = await row();
      expect(log).toMatchObject({
        outcome: "success",
        prompt_tokens: promptEstimate,
        content: expect.stringMatching(/estimated/),
      });
      // Twelve words: a few tokens more or less, never none and never a multiple.
      expect(log.completion_tokens).toBeGreaterThanOrEqual(8);
      expect(log.completion_tokens).toBeLessThanOrEqual(36);
      expect(log.quota).toBe(promptEstimate + 4 * log.completion_tokens);
    },
  );

  const wrong: [string, string][] = [
    ["negative", '{"prompt_tokens":-5,"completion_tokens":-10}'],
    ["text", '{"prompt_tokens":"6","completion_tokens":"12"}'],
    ["null", '{"prompt_tokens":null,"completion_tokens":null}'],
    ["fractions", '{"prompt_tokens":1.5,"completion_tokens":2.5}'],
    ["beyond a double", '{"prompt_tokens":1e400,"completion_tokens":12}'],
    ["2^63", '{"prompt_tokens":6,"completion_tokens":9223372036854775808}'],
    ["zeros", '{"prompt_tokens":0,"completion_tokens":0}'],
    ["a list", "[1,2]"],
    ["empty", "{}"],
    ["fifty million prompt tokens", '{"prompt_tokens":50000000,"completion_tokens":3}'],
    [
      "five million words that were not delivered",
      '{"prompt_tokens":6,"completion_tokens":5000000}',
    ],
  ];
  test.each(
    wrong.flatMap(([name, usage]) => [false, true].map((stream) => ({ name, usage, stream }))),
  )(
    "(f) a usage that cannot be right is not charged: $name (stream: $stream)",
    async ({ usage, stream }) => {
      const { key, body, row } = await given("canned");
      const raw = JSON.stringify(completion("one two three")).replace(/}$/, `,"usage":${usage}}`);
      canned.answer = stream
        ? streamed(
            chunk("one") +
              chunk(" two") +
              chunk(" three") +
              event(`{"id":"c","choices":[],"usage":${usage}}`) +
              done,
          )
        : whole(raw);
      const answer = stream ? await gateway.stream(key, body) : await gateway.chat(key, body);
      expect(answer.status).toBe(200);
      const log = await row();
      expect(log).toMatchObject({
        outcome: "success",
        prompt_tokens: promptEstimate,
        content: expect.stringMatching(/estimated/),
      });
      expect(log.completion_tokens).toBeGreaterThanOrEqual(3);
      expect(log.completion_tokens).toBeLessThanOrEqual(6);
      expect(log.quota).toBe(promptEstimate + 4 * log.completion_tokens);
    },
  );

  test("(f) more cached than prompt tokens are cut down to the prompt, and flagged", async () => {
    const { key, body, row } = await given("canned");
    const usage = {
      prompt_tokens: 6,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 60 },
    };
    canned.answer = whole(completion("one", usage));
    await gateway.chat(key, body);
    expect(await row()).toMatchObject({
      prompt_tokens: 6,
      cached_prompt_tokens: 6,
      quota: 6 + 4,
      content: expect.stringMatching(/cached/),
    });
  });
});
