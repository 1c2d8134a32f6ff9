import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSealer } from "../../secrets/seal.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { responses } from "../formats/responses.ts";
import { encodeReasoning } from "../translations/encrypted-reasoning.ts";
import { responsesToChat } from "../translations/responses-to-chat.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { createStoredResponseStore } from "./stored-response-store.ts";
import { createStoredResponses } from "./stored-responses.ts";

const day = 24 * 3_600_000;
const masterKey = Buffer.alloc(32, 7);

const callOf = (json: JsonRecord): RelayCall => {
  const asked = { model: "m", ...json };
  return {
    ...responses.parseRequest(asked, false),
    client: responses,
    upstream: responses.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(asked)),
  };
};
const bodyOf = ({ body }: RelayCall): JsonRecord => JSON.parse(body.toString("utf8")) as JsonRecord;
const userWith = (userId: number, models: string[] | null = null) => ({
  userId,
  teamId: 0,
  models: models && new Set(models),
});
const of = (userId: number): RelayCaller => userWith(userId) as RelayCaller;
const ann = of(1);
const bob = of(2);

describe.each(testDatabases)("storing responses on $name", ({ open }) => {
  let database: TestDatabase;
  let clock = 0;
  let isOn = true;
  const failures: unknown[] = [];
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  beforeEach(() => {
    clock = Date.UTC(2026, 0, 1);
    isOn = true;
    failures.length = 0;
  });
  const opened = (key = masterKey) =>
    createStoredResponses({
      db: database.db,
      store: createStoredResponseStore(database.db),
      seal: createSealer(key),
      now: () => clock,
      isOn: () => isOn,
      isEstimateRough: () => false,
      onError: (error) => failures.push(error),
    });
  const rows = () => database.db.read(database.db.sql.selectFrom("held_responses").selectAll());

  /** Translates the reply to a call; returns what the client receives. */
  async function answered(
    held: ReturnType<typeof opened>,
    call: RelayCall,
    message: JsonRecord,
    isStream = false,
  ): Promise<JsonRecord> {
    const way = {
      call,
      translator: responsesToChat.createReplyTranslator(call),
      dropped: ["store", "top_k"],
    };
    const { translator } = held.recording(way);
    if (!translator) throw new Error("there is no translator");
    const choice = { index: 0, finish_reason: "stop" };
    const events = isStream
      ? translator.translateEvent(
          `data: ${JSON.stringify({ id: "chatcmpl-1", choices: [{ ...choice, delta: message }] })}\n\n`,
        ) + translator.finish()
      : undefined;
    if (events === undefined) {
      return translator.translateReply({
        id: "chatcmpl-1",
        choices: [{ ...choice, message: message }],
      }) as JsonRecord;
    }
    const last = events.split("\n").findLast((line) => line.startsWith("data: {")) ?? "";
    return (JSON.parse(last.slice("data: ".length)) as { response: JsonRecord }).response;
  }
  async function conversation(
    held: ReturnType<typeof opened>,
    json: JsonRecord = { input: "one" },
    isStream = false,
    caller = ann,
  ): Promise<string> {
    const call = await held.withHistory(callOf(json), caller);
    const response = await answered(held, call, { role: "assistant", content: "two" }, isStream);
    return response.id as string;
  }
  const refusal = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => (error instanceof RelayRefused ? error.refusal : error),
    );

  test.each([false, true])(
    "a later call gets the conversation in front of it; streamed: %s",
    async (isStream) => {
      const held = opened();
      const first = await conversation(held, { input: "one", instructions: "Be kind." }, isStream);
      expect(first).toMatch(/^resp_[0-9a-f]{48}$/);
      const second = await held.withHistory(
        callOf({ input: "three", previous_response_id: first }),
        ann,
      );
      const items = [
        { role: "user", content: "one" },
        {
          type: "message",
          role: "assistant",
          content: [expect.objectContaining({ type: "output_text", text: "two" })],
        },
        { role: "user", content: "three" },
      ];
      // Instructions apply to one call alone.
      expect(bodyOf(second)).toEqual({ model: "m", input: items });
      expect(second.refersTo).toBeUndefined();
      expect(second.promptEstimate).toBeGreaterThan(callOf({ input: "three" }).promptEstimate);
      const answer = await answered(held, second, { role: "assistant", content: "four" });
      expect(answer).toMatchObject({ previous_response_id: first, store: true });
      const third = await held.withHistory(
        callOf({ input: [{ role: "user", content: "five" }], previous_response_id: answer.id }),
        ann,
      );
      expect(bodyOf(third).input).toHaveLength(5);
      // Continuing from the first response again begins another conversation.
      expect(
        bodyOf(await held.withHistory(callOf({ input: "3", previous_response_id: first }), ann))
          .input,
      ).toHaveLength(3);
    },
  );

  test("tool calls are repeated, reasoning only where it is signed", async () => {
    const held = opened();
    const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const include = ["reasoning.encrypted_content"];
    const thinking_blocks = [{ type: "thinking", thinking: "hm", signature: "s" }];
    const call = await held.withHistory(callOf({ input: "one", include }), ann);
    const signed = await answered(held, call, {
      reasoning_content: "hm",
      thinking_blocks,
      tool_calls,
    });
    const after = await held.withHistory(
      callOf({ previous_response_id: signed.id, input: [] }),
      ann,
    );
    expect(bodyOf(after).input).toEqual([
      { role: "user", content: "one" },
      expect.objectContaining({
        type: "reasoning",
        encrypted_content: encodeReasoning(thinking_blocks),
      }),
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    ]);
    const unsigned = await answered(held, await held.withHistory(callOf({ input: "one" }), ann), {
      reasoning_content: "hm",
      content: "so",
    });
    const next = bodyOf(
      await held.withHistory(callOf({ previous_response_id: unsigned.id, input: [] }), ann),
    );
    expect(next.input).toMatchObject([{ role: "user" }, { type: "message" }]);
  });

  test("items by reference are filled in from the user's stored responses, and from no other's", async () => {
    const held = opened();
    const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const call = await held.withHistory(callOf({ input: "one" }), ann);
    const first = await answered(held, call, { content: "two", tool_calls });
    const items = first.output as { id: string }[];
    const references = items.map(({ id }) => ({ type: "item_reference", id }));
    const input = [
      { role: "user", content: "one" },
      ...references,
      { type: "function_call_output", call_id: "a", output: "so" },
    ];
    const next = await held.withHistory(callOf({ input }), ann);
    expect(bodyOf(next).input).toEqual([
      { role: "user", content: "one" },
      { type: "message", role: "assistant", content: [expect.objectContaining({ text: "two" })] },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "so" },
    ]);
    expect(next.refersTo).toBeUndefined();
    const foreign = await held.withHistory(callOf({ input }), bob);
    expect(bodyOf(foreign).input).toEqual(input);
    expect(foreign.refersTo).toBe("input");
    const unknown = [{ type: "item_reference", id: `msg_${"0".repeat(48)}_0` }];
    expect((await held.withHistory(callOf({ input: unknown }), ann)).refersTo).toBe("input");
  });

  test("a stored response is unreadable in the database and with another key", async () => {
    const held = opened();
    const id = await conversation(held, { input: "a secret question" });
    await held.find(id, userWith(1));
    const row = (await rows()).find(({ response_id }) => response_id === id);
    expect(row).toMatchObject({ user_id: 1, created_at: clock, expires_at: clock + 30 * day });
    expect(JSON.stringify(await rows())).not.toContain("secret");
    expect(await opened(Buffer.alloc(32, 8)).find(id, userWith(1))).toBeUndefined();
    expect(failures).toHaveLength(1);
    // A row that is moved to another user cannot be opened.
    await database.db.write([
      {
        query: database.db.sql
          .updateTable("held_responses")
          .set({ user_id: 2 })
          .where("response_id", "=", id),
        rows: 1,
      },
    ]);
    expect(await opened().find(id, userWith(2))).toBeUndefined();
  });

  test("a response belongs to its payer: a key of a team finds none of its user's, and the other way round", async () => {
    const held = opened();
    const ofTeam = { ...userWith(1), teamId: 4 };
    const own = await conversation(held);
    const teams = await conversation(held, { input: "one" }, false, ofTeam as RelayCaller);
    expect(await opened().find(own, ofTeam)).toBeUndefined();
    expect(await opened().find(teams, userWith(1))).toBeUndefined();
    expect(await opened().find(teams, ofTeam)).toMatchObject({ response: { id: teams } });
  });

  test("a response can be continued at once, before it is written, also on other nodes", async () => {
    const held = opened();
    const id = await conversation(held);
    expect(await opened().find(id, userWith(1))).toMatchObject({ response: { id } });
    expect(await held.find(id, userWith(1))).toMatchObject({
      input: [{ role: "user", content: "one" }],
      response: { id },
    });
  });

  test("an API key reads, continues and deletes nothing that a model wrote which it may not use", {
    tags: ["S2-22"],
  }, async () => {
    const held = opened();
    const call = await held.withHistory(callOf({ input: "one" }), ann);
    const { id } = await answered(held, call, { content: "two" });
    const limited = userWith(1, ["another"]);
    const next = callOf({ previous_response_id: id, input: "three" });
    expect(await held.find(String(id), limited)).toBeUndefined();
    expect(await held.remove(String(id), limited)).toBe(false);
    await expect(held.withHistory(next, limited as RelayCaller)).rejects.toThrow(RelayRefused);
    expect(await held.find(String(id), userWith(1, ["another", "m"]))).toMatchObject({
      response: { id },
    });
    expect(await held.withHistory(next, ann)).toMatchObject({ refersTo: undefined });
  });

  test("ids of another user, unknown, deleted and expired ones get the same refusal", async () => {
    const held = opened();
    const id = await conversation(held);
    const deleted = await conversation(held);
    expect(await held.remove(deleted, userWith(2))).toBe(false);
    expect(await held.remove(deleted, userWith(1))).toBe(true);
    expect(await held.remove(deleted, userWith(1))).toBe(false);
    const following = (previous_response_id: string) =>
      callOf({ input: "x", previous_response_id });
    const foreign = await refusal(held.withHistory(following(id), bob));
    expect(foreign).toMatchObject({
      status: 404,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
    expect(await refusal(held.withHistory(following(`resp_${"0".repeat(48)}`), ann))).toEqual(
      foreign,
    );
    expect(await refusal(held.withHistory(following(deleted), ann))).toEqual(foreign);
    clock += 30 * day;
    expect(await refusal(held.withHistory(following(id), ann))).toEqual(foreign);
  });

  test("a provider's own id is passed on to the provider", async () => {
    const call = callOf({
      input: "x",
      previous_response_id: "resp_67ccd2bed1ec8190b14f964abc054267",
    });
    expect(await opened().withHistory(call, ann)).toBe(call);
    expect(call.refersTo).toBe("previous_response_id");
  });

  test.each<[string, () => RelayCall]>([
    [
      "switched off",
      () => {
        isOn = false;
        return callOf({ input: "one" });
      },
    ],
    ["not wanted", () => callOf({ input: "one", store: false })],
    ["too long", () => callOf({ input: "x".repeat(2 * 1024 * 1024) })],
  ])("nothing is kept where it is %s, and the answer says so", async (_why, made) => {
    const before = (await rows()).length;
    const held = opened();
    const call = await held.withHistory(made(), ann);
    expect(call.storeAs).toBeUndefined();
    expect(await answered(held, call, { content: "two" })).toMatchObject({
      id: "resp_1",
      store: false,
    });
    expect(await rows()).toHaveLength(before);
  });

  test("other formats and untranslated calls are left unchanged", async () => {
    const held = opened();
    const asked = { model: "m", messages: [{ role: "user", content: "hi" }] };
    const chat: RelayCall = {
      ...chatCompletions.parseRequest(asked, false),
      client: chatCompletions,
      upstream: chatCompletions.upstream,
      headers: [],
      body: Buffer.from(JSON.stringify(asked)),
    };
    expect(await held.withHistory(chat, ann)).toBe(chat);
    const call = await held.withHistory(callOf({ input: "one" }), ann);
    const native = { call, translator: undefined, dropped: [] };
    expect(held.recording(native)).toBe(native);
    expect(
      held.recording({
        call,
        translator: responsesToChat.createReplyTranslator(call),
        dropped: ["store", "top_k"],
      }).dropped,
    ).toEqual(["top_k"]);
  });

  test("expired responses are purged, and nothing else", async () => {
    const held = opened();
    const id = await conversation(held);
    await held.find(id, userWith(1));
    clock += 29 * day;
    const later = await conversation(held);
    await held.find(later, userWith(1));
    clock += day;
    await database.db.write([held.purge(clock)]);
    const left = (await rows()).map(({ response_id }) => response_id);
    expect(left).toContain(later);
    expect(left).not.toContain(id);
  });
});
