import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { AnswerReader, readTurnRequest } from "./turn-request.ts";

const create = { type: "response.create", model: "m", store: false };
const message = (members: object) => Buffer.from(JSON.stringify({ ...create, ...members }));
const bodyOf = (sent: object, remembered?: Parameters<typeof readTurnRequest>[1]) =>
  JSON.parse(readTurnRequest(message(sent), remembered).body.toString("utf8"));
const item = fc.record({
  type: fc.constant("message"),
  role: fc.constant("user"),
  content: fc.string(),
});

describe("a turn", () => {
  test("is the body of the HTTP call, without what belongs to the socket", () => {
    const sent = { input: "hi", stream: false, background: null, generate: true, temperature: 1 };
    expect(bodyOf(sent)).toEqual({
      model: "m",
      store: false,
      input: "hi",
      temperature: 1,
      stream: true,
    });
  });

  test("that names the remembered response has the conversation before its own input, in order", () => {
    fc.assert(
      fc.property(fc.array(item), fc.oneof(fc.string(), fc.array(item)), (conversation, input) => {
        const remembered = { id: "resp_1", conversation };
        const sent = { input, previous_response_id: "resp_1" };
        const own =
          typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
        expect(bodyOf(sent, remembered)).toEqual({
          model: "m",
          store: false,
          input: [...conversation, ...own],
          stream: true,
        });
        expect(readTurnRequest(message(sent), remembered).conversation).toEqual([
          ...conversation,
          ...own,
        ]);
      }),
    );
  });

  test("that names any other response leaves it to the provider, and is not remembered", () => {
    const sent = { input: "hi", previous_response_id: "resp_2" };
    const { body, conversation } = readTurnRequest(message(sent), {
      id: "resp_1",
      conversation: [],
    });
    expect(JSON.parse(body.toString("utf8"))).toMatchObject({
      input: "hi",
      previous_response_id: "resp_2",
    });
    expect(conversation).toBeUndefined();
  });

  test("that its provider keeps is not remembered", () => {
    expect(
      readTurnRequest(message({ input: "hi", store: true }), undefined).conversation,
    ).toBeUndefined();
    expect(
      readTurnRequest(message({ input: "hi", store: undefined }), undefined).conversation,
    ).toBeUndefined();
    expect(readTurnRequest(message({ input: "hi" }), undefined).conversation).toHaveLength(1);
  });

  test("keeps numbers that JavaScript cannot hold", () => {
    const exact = Buffer.from(
      '{"type":"response.create","model":"m","input":"hi","seed":9007199254740993}',
    );
    expect(readTurnRequest(exact, undefined).body.toString("utf8")).toContain(
      '"seed":9007199254740993',
    );
  });

  test.each([
    ["an input of no form", { input: 7 }],
    ["an input of texts", { input: ["a"] }],
  ])("with %s is passed on as it is, for the checks of every call to refuse", (_, members) => {
    const remembered = { id: "resp_1", conversation: [{ type: "message" }] };
    const sent = { ...members, previous_response_id: "resp_1" };
    expect(bodyOf(sent, remembered)).toMatchObject(members);
    expect(readTurnRequest(message(sent), remembered).conversation).toBeUndefined();
  });

  test("of any bytes is read or refused, and nothing else", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(json)),
        ),
        (bytes) => {
          expect(() => readTurnRequest(Buffer.from(bytes), undefined)).toThrow(RelayRefused);
        },
      ),
    );
  });
});

describe("an answer", () => {
  const done = (output_index: number, one: object) =>
    JSON.stringify({ type: "response.output_item.done", output_index, item: one });
  const completed = (output: object[]) =>
    JSON.stringify({
      type: "response.completed",
      response: { id: "resp_1", status: "completed", output },
    });

  test("becomes input without ids, and without reasoning that no provider could read again", () => {
    const answer = new AnswerReader();
    answer.observe(done(0, { type: "reasoning", id: "rs_1", summary: [] }));
    answer.observe(done(1, { type: "reasoning", id: "rs_2", encrypted_content: "gA" }));
    answer.observe(
      done(2, { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" }),
    );
    expect(answer.responseId).toBe("");
    answer.observe(completed([]));
    expect(answer.responseId).toBe("resp_1");
    expect(answer.conversationItems()).toEqual([
      { type: "reasoning", encrypted_content: "gA" },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    ]);
  });

  test("whose items come only at its end is read there", () => {
    const answer = new AnswerReader();
    answer.observe(completed([{ type: "message", id: "msg_1", role: "assistant", content: [] }]));
    expect(answer.conversationItems()).toEqual([
      { type: "message", role: "assistant", content: [] },
    ]);
  });

  test("cannot pretend to be complete by its text", () => {
    const answer = new AnswerReader();
    const delta = 'a "response.completed" and a "response.output_item.done"';
    answer.observe(JSON.stringify({ type: "response.output_text.delta", delta }));
    answer.observe(
      JSON.stringify({
        type: "response.output_text.done",
        text: '"response.completed"',
        response: { id: "x" },
      }),
    );
    expect([answer.responseId, answer.conversationItems()]).toEqual(["", []]);
  });
});
