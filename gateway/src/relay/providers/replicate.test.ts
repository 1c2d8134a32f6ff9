import {
  type AdapterTarget,
  bodyOf,
  callOf,
  chunksIn,
  headersOf,
  oddValues,
  playStream,
  question,
  settingsOf,
  writeRequest,
} from "@tollgate/tests/support/provider-adapter.ts";
import {
  replicateAnswer,
  replicateFailed,
  replicateStarting,
  replicateUncounted,
} from "@tollgate/tests/support/replicate-fixture.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { replicatePrediction } from "../formats/replicate-prediction.ts";
import { wholeReply } from "../formats/reply-facts.ts";
import { chatToReplicate } from "../translations/chat-to-replicate.ts";
import { imagesToReplicate } from "../translations/images-to-replicate.ts";
import { replicate } from "./replicate.ts";

const host = "https://api.replicate.com";
const to: AdapterTarget = {
  provider: replicate,
  translation: chatToReplicate,
  settings: settingsOf(46),
  model: "meta/meta-llama-3-70b-instruct",
  secret: "r8_secret",
};
const asBody = (json: unknown): Buffer => Buffer.from(JSON.stringify(json));

describe("a chat for Replicate", () => {
  test("is a prediction below the model, waited for", async () => {
    const request = await writeRequest({ max_tokens: 9, temperature: 0.2, stop: ["a", "b"] }, to);
    expect(String(request.url)).toBe(
      `${host}/v1/models/meta/meta-llama-3-70b-instruct/predictions`,
    );
    expect(headersOf(request)).toMatchObject({ authorization: "Bearer r8_secret", prefer: "wait" });
    expect(bodyOf(request)).toEqual({
      input: { prompt: "hi", max_tokens: 9, temperature: 0.2, stop_sequences: "a,b" },
    });
  });

  test("has a whole conversation in one text, and the system prompt apart", async () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "first" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "second" },
    ];
    expect(bodyOf(await writeRequest({ messages }, to)).input).toEqual({
      prompt: "User: first\n\nAssistant: yes\n\nUser: second\n\nAssistant:",
      system_prompt: "Be kind.",
    });
  });

  test("takes the channel's prompt", () => {
    const call = callOf(question, {
      body: asBody({ input: { prompt: "hi", system_prompt: "Be kind." } }),
    });
    expect(JSON.parse(String(replicatePrediction.writeBody(call, "m", "Be brief.")))).toEqual({
      input: { prompt: "hi", system_prompt: "Be brief." },
    });
  });

  test.each(["llama", "a/b/c", "../b", "a/..", "a/b?c", ""])(
    "cannot be had from a model called %j",
    (model) => {
      expect(replicate.endpoints(settingsOf(46), model)).toEqual({});
    },
  );

  test("names what it loses", () => {
    const json = {
      ...question,
      tools: [{ type: "function" }],
      response_format: { type: "json_object" },
      n: 2,
    };
    expect(droppedFields(chatToReplicate, json, "m")).toEqual(["n", "response_format", "tools"]);
  });
});

describe("waiting for a prediction", () => {
  test("asks the host that was asked before, until it is over", async () => {
    const { readPoll } = await writeRequest({}, to);
    const step = readPoll?.(asBody(replicateStarting(host)));
    if (!step || !("request" in step)) throw new Error("the reply is not polled");
    expect(step.afterMs).toBe(1_000);
    expect(String(step.request.url)).toBe(`${host}/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu`);
    expect(step.request.method).toBe("GET");
    expect(headersOf(step.request).authorization).toBe("Bearer r8_secret");
    expect(step.request.readPoll?.(asBody(replicateStarting(host)))).toHaveProperty("request");
    const last = asBody(replicateAnswer(host));
    expect(step.request.readPoll?.(last)).toEqual({ body: last });
  });

  test.each([
    "https://elsewhere.example",
    "http://api.replicate.com",
    "https://api.replicate.com:444",
    "https://api.replicate.com.evil.example",
    "https://api.replicate.com@evil.example",
    "file:",
    "",
  ])("takes no key to %j", async (at) => {
    const { readPoll } = await writeRequest({}, to);
    const body = asBody(replicateStarting(at));
    expect(readPoll?.(body)).toEqual({ body });
    expect(replicatePrediction.errorIn?.(replicateStarting(at))).toMatchObject({ status: 502 });
  });

  test.each(oddValues)("ends with %j", async (odd) => {
    const { readPoll } = await writeRequest({}, to);
    for (const json of [
      odd,
      { status: "starting", urls: odd },
      { status: "starting", urls: { get: odd } },
    ]) {
      expect(readPoll?.(asBody(json))).toHaveProperty("body");
    }
  });
});

describe("Replicate's answer", () => {
  test("is whole, with what the model counted", () => {
    expect(
      chatToReplicate.createReplyTranslator(callOf()).translateReply(replicateAnswer(host)),
    ).toMatchObject({
      choices: [{ message: { content: "Hello there!" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
    expect(replicatePrediction.readReply(replicateAnswer(host))).toMatchObject({
      usage: { usage: { input: 12, output: 3 } },
    });
  });

  test("of a model that does not count has the estimate that is charged", () => {
    expect(replicatePrediction.readReply(replicateUncounted(host))).toEqual({
      usage: undefined,
      text: "Hello there!",
    });
    const call = callOf();
    expect(
      chatToReplicate.createReplyTranslator(call).translateReply(replicateUncounted(host)),
    ).toMatchObject({
      usage: { prompt_tokens: call.promptEstimate, completion_tokens: 3 },
    });
  });

  test("is the one event of a stream", () => {
    expect(replicatePrediction.replies).toBe(wholeReply);
    const { output } = playStream(chatToReplicate, [
      Buffer.from(`data: ${JSON.stringify(replicateAnswer(host))}\n\n`),
    ]);
    const chunks = chunksIn(output);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant", content: "" },
      { content: "Hello there!" },
      undefined,
    ]);
    expect(chunks[1]?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 3 });
  });

  test("that failed says why", () => {
    expect(replicatePrediction.errorIn?.(replicateFailed(host))).toEqual({
      status: 500,
      message: "CUDA out of memory",
      code: "failed",
    });
    expect(replicatePrediction.errorIn?.({ status: "canceled" })).toMatchObject({
      message: "the prediction was canceled",
    });
    expect(replicatePrediction.errorIn?.(replicateAnswer(host))).toBeUndefined();
  });

  test("of a model that draws lists addresses", async () => {
    const drawn = {
      ...replicateAnswer(host),
      output: ["https://replicate.delivery/1.png", "https://replicate.delivery/2.png"],
    };
    const asked = {
      model: "m",
      prompt: "a cat",
      n: 2,
      size: "1792x1024",
      output_format: "jpeg",
      quality: "hd",
      response_format: "b64_json",
    };
    const request = await writeRequest(asked, { ...to, translation: imagesToReplicate });
    expect(bodyOf(request)).toEqual({
      input: { prompt: "a cat", num_outputs: 2, aspect_ratio: "16:9", output_format: "jpg" },
    });
    expect(droppedFields(imagesToReplicate, asked, "m")).toEqual(["quality", "response_format"]);
    expect(imagesToReplicate.target.readReply(drawn)).toEqual({
      usage: undefined,
      text: "",
      images: 2,
    });
    expect(imagesToReplicate.target.errorIn?.(replicateFailed(host))).toMatchObject({
      message: "CUDA out of memory",
    });
    expect(imagesToReplicate.createReplyTranslator(callOf()).translateReply(drawn)).toEqual({
      created: expect.any(Number),
      data: [
        { url: "https://replicate.delivery/1.png" },
        { url: "https://replicate.delivery/2.png" },
      ],
    });
  });

  test.each([
    ["1024x1024", "1:1"],
    ["1024x1536", "2:3"],
    ["auto", undefined],
    ["0x0", undefined],
    [undefined, undefined],
  ])("to a wish for %s has the form %s", (size, aspect_ratio) => {
    expect(translatedBody(imagesToReplicate, { prompt: "p", size }, "m").input).toEqual({
      prompt: "p",
      ...(aspect_ratio && { aspect_ratio }),
    });
  });

  test.each(oddValues)("with %j wherever it can stand is no fault of ours", (odd) => {
    expect(
      translatedBody(
        imagesToReplicate,
        { prompt: odd, n: odd, size: odd, output_format: odd },
        "m",
      ),
    ).toBeTypeOf("object");
    expect(
      imagesToReplicate.createReplyTranslator(callOf()).translateReply({ output: odd }),
    ).toBeTypeOf("object");
    const json = { status: odd, id: odd, output: odd, metrics: odd, error: odd };
    expect(() => [
      replicatePrediction.readReply(json),
      replicatePrediction.errorIn?.(json),
    ]).not.toThrow();
    expect(chatToReplicate.createReplyTranslator(callOf()).translateReply(json)).toBeTypeOf(
      "object",
    );
    expect(translatedBody(chatToReplicate, { messages: odd, stop: odd }, "m")).toBeTypeOf("object");
  });
});
