import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSealer } from "../secrets/seal.ts";
import { heldResponseStore } from "./held-response-store.ts";
import { openHeldResponses } from "./held-responses.ts";
import type { Json } from "./json-parts.ts";
import type { Caller } from "./keys.ts";
import { Refused } from "./relay-refusal.ts";
import { chatCompletions } from "./shapes/chat-completions.ts";
import { responses } from "./shapes/responses.ts";
import type { Call } from "./shapes/shape.ts";
import { responsesToChat } from "./translations/responses-to-chat.ts";
import { sealedThoughts } from "./translations/sealed-thoughts.ts";

const day = 24 * 3_600_000;
const masterKey = Buffer.alloc(32, 7);

const callOf = (json: Json): Call => {
  const asked = { model: "m", ...json };
  return { ...responses.read(asked, false), shape: responses, headers: [], body: Buffer.from(JSON.stringify(asked)) };
};
const bodyOf = ({ body }: Call): Json => JSON.parse(body.toString("utf8")) as Json;
const of = (userId: number): Caller => ({ userId }) as Caller;
const ann = of(1);
const bob = of(2);

describe.each(testDatabases)("holding responses on $name", ({ open }) => {
  let database: TestDatabase;
  let clock = 0;
  let isOn = true;
  const troubles: unknown[] = [];
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  beforeEach(() => {
    clock = Date.UTC(2026, 0, 1);
    isOn = true;
    troubles.length = 0;
  });
  const opened = (key = masterKey) =>
    openHeldResponses({
      db: database.db,
      store: heldResponseStore(database.db),
      seal: createSealer(key),
      now: () => clock,
      isOn: () => isOn,
      isEstimateRough: () => false,
      onTrouble: (error) => troubles.push(error),
    });
  const rows = () => database.db.read(database.db.sql.selectFrom("held_responses").selectAll());

  /** Answers a call through the translation; what the caller is told. */
  async function answered(held: ReturnType<typeof opened>, call: Call, said: Json, isStream = false): Promise<Json> {
    const way = { call, translator: responsesToChat.answers(call), lost: ["store", "top_k"] };
    const { translator } = held.watched(way);
    if (!translator) throw new Error("there is no translator");
    const choice = { index: 0, finish_reason: "stop" };
    const told = isStream
      ? translator.event(`data: ${JSON.stringify({ id: "chatcmpl-1", choices: [{ ...choice, delta: said }] })}\n\n`) +
        translator.end()
      : undefined;
    if (told === undefined) {
      return translator.whole({ id: "chatcmpl-1", choices: [{ ...choice, message: said }] }) as Json;
    }
    const last = told.split("\n").findLast((line) => line.startsWith("data: {")) ?? "";
    return (JSON.parse(last.slice("data: ".length)) as { response: Json }).response;
  }
  async function conversation(
    held: ReturnType<typeof opened>,
    json: Json = { input: "one" },
    isStream = false,
  ): Promise<string> {
    const call = await held.continued(callOf(json), ann);
    const response = await answered(held, call, { role: "assistant", content: "two" }, isStream);
    return response.id as string;
  }
  const refusal = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => (error instanceof Refused ? error.refusal : error),
    );

  test.each([false, true])("a later call gets the conversation in front of it; streamed: %s", async (isStream) => {
    const held = opened();
    const first = await conversation(held, { input: "one", instructions: "Be kind." }, isStream);
    expect(first).toMatch(/^resp_[0-9a-f]{48}$/);
    const second = await held.continued(callOf({ input: "three", previous_response_id: first }), ann);
    const items = [
      { role: "user", content: "one" },
      { type: "message", role: "assistant", content: [expect.objectContaining({ type: "output_text", text: "two" })] },
      { role: "user", content: "three" },
    ];
    // Instructions are those of each call alone.
    expect(bodyOf(second)).toEqual({ model: "m", input: items });
    expect(second.refersTo).toBeUndefined();
    expect(second.promptEstimate).toBeGreaterThan(callOf({ input: "three" }).promptEstimate);
    const answer = await answered(held, second, { role: "assistant", content: "four" });
    expect(answer).toMatchObject({ previous_response_id: first, store: true });
    const third = await held.continued(
      callOf({ input: [{ role: "user", content: "five" }], previous_response_id: answer.id }),
      ann,
    );
    expect(bodyOf(third).input).toHaveLength(5);
    // Going on from the first a second time is another conversation.
    expect(bodyOf(await held.continued(callOf({ input: "3", previous_response_id: first }), ann)).input).toHaveLength(
      3,
    );
  });

  test("calls of tools are repeated, thoughts where they are signed alone", async () => {
    const held = opened();
    const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const include = ["reasoning.encrypted_content"];
    const thinking_blocks = [{ type: "thinking", thinking: "hm", signature: "s" }];
    const call = await held.continued(callOf({ input: "one", include }), ann);
    const signed = await answered(held, call, { reasoning_content: "hm", thinking_blocks, tool_calls });
    const after = await held.continued(callOf({ previous_response_id: signed.id, input: [] }), ann);
    expect(bodyOf(after).input).toEqual([
      { role: "user", content: "one" },
      expect.objectContaining({ type: "reasoning", encrypted_content: sealedThoughts(thinking_blocks) }),
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    ]);
    const unsigned = await answered(held, await held.continued(callOf({ input: "one" }), ann), {
      reasoning_content: "hm",
      content: "so",
    });
    const next = bodyOf(await held.continued(callOf({ previous_response_id: unsigned.id, input: [] }), ann));
    expect(next.input).toMatchObject([{ role: "user" }, { type: "message" }]);
  });

  test("nothing of it can be read where it lies, nor with another key", async () => {
    const held = opened();
    const id = await conversation(held, { input: "a secret question" });
    await held.find(id, 1);
    const row = (await rows()).find(({ response_id }) => response_id === id);
    expect(row).toMatchObject({ user_id: 1, created_at: clock, expires_at: clock + 30 * day });
    expect(JSON.stringify(await rows())).not.toContain("secret");
    expect(await opened(Buffer.alloc(32, 8)).find(id, 1)).toBeUndefined();
    expect(troubles).toHaveLength(1);
    // Whoever moves a row to another user moves nothing that opens.
    await database.db.write([
      {
        query: database.db.sql.updateTable("held_responses").set({ user_id: 2 }).where("response_id", "=", id),
        rows: 1,
      },
    ]);
    expect(await opened().find(id, 2)).toBeUndefined();
  });

  test("it is there at once, before it is written, also for other nodes", async () => {
    const held = opened();
    const id = await conversation(held);
    expect(await opened().find(id, 1)).toMatchObject({ response: { id } });
    expect(await held.find(id, 1)).toMatchObject({ input: [{ role: "user", content: "one" }], response: { id } });
  });

  test("of another user, unknown, deleted and too old are told alike", async () => {
    const held = opened();
    const id = await conversation(held);
    const deleted = await conversation(held);
    expect(await held.remove(deleted, 2)).toBe(false);
    expect(await held.remove(deleted, 1)).toBe(true);
    expect(await held.remove(deleted, 1)).toBe(false);
    const following = (previous_response_id: string) => callOf({ input: "x", previous_response_id });
    const foreign = await refusal(held.continued(following(id), bob));
    expect(foreign).toMatchObject({ status: 404, code: "previous_response_not_found", param: "previous_response_id" });
    expect(await refusal(held.continued(following(`resp_${"0".repeat(48)}`), ann))).toEqual(foreign);
    expect(await refusal(held.continued(following(deleted), ann))).toEqual(foreign);
    clock += 30 * day;
    expect(await refusal(held.continued(following(id), ann))).toEqual(foreign);
  });

  test("an id that is a provider's is left to the providers", async () => {
    const call = callOf({ input: "x", previous_response_id: "resp_67ccd2bed1ec8190b14f964abc054267" });
    expect(await opened().continued(call, ann)).toBe(call);
    expect(call.refersTo).toBe("previous_response_id");
  });

  test.each<[string, () => Call]>([
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
    const call = await held.continued(made(), ann);
    expect(call.keeping).toBeUndefined();
    expect(await answered(held, call, { content: "two" })).toMatchObject({ id: "resp_1", store: false });
    expect(await rows()).toHaveLength(before);
  });

  test("other interfaces and other ways are left alone", async () => {
    const held = opened();
    const asked = { model: "m", messages: [{ role: "user", content: "hi" }] };
    const chat: Call = {
      ...chatCompletions.read(asked, false),
      shape: chatCompletions,
      headers: [],
      body: Buffer.from(JSON.stringify(asked)),
    };
    expect(await held.continued(chat, ann)).toBe(chat);
    const call = await held.continued(callOf({ input: "one" }), ann);
    const native = { call, translator: undefined, lost: [] };
    expect(held.watched(native)).toBe(native);
    expect(held.watched({ call, translator: responsesToChat.answers(call), lost: ["store", "top_k"] }).lost).toEqual([
      "top_k",
    ]);
  });

  test("what is too old is swept, and nothing else", async () => {
    const held = opened();
    const id = await conversation(held);
    await held.find(id, 1);
    clock += 29 * day;
    const later = await conversation(held);
    await held.find(later, 1);
    clock += day;
    await database.db.write([held.sweep(clock)]);
    const left = (await rows()).map(({ response_id }) => response_id);
    expect(left).toContain(later);
    expect(left).not.toContain(id);
  });
});
