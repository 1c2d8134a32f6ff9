// OpenAI's batches: a file of requests becomes a file of answers.

import { closeConnection, type ReplyDelivery, sendFailure, sendJson } from "./delivery.ts";
import type { KeptBatch, KeyShelf } from "./key-shelf.ts";
import { keepFile } from "./openai-files-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";
import { fnv1a, generateAnswer, type SimulatedAnswer, wholeText } from "./simulated-answer.ts";
import { type AnswerEnvelope, InvalidRequestError } from "./wire-format.ts";

const batchPath = /^\/v1\/batches(?:\/([\w-]+)(\/cancel)?)?$/;

export const isBatchPath = (path: string): boolean => batchPath.test(path);

/** `key` is that of the call. */
export async function answerBatch(
  delivery: ReplyDelivery,
  shelf: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call, behaviour } = delivery;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, id, cancel] = batchPath.exec(pathname) ?? [];
  const refuse = (status: number, message: string) =>
    sendFailure(delivery, { status, message }, openAiWire.failure({ status, message }, key));
  if (id === undefined && call.method === "GET") {
    const data = [...shelf.batches.values()].map(({ object }) => object).reverse();
    return sendJson(delivery, { object: "list", data, has_more: false });
  }
  if (id === undefined) {
    const asked = parseJson(body);
    if (!isRecord(asked) || !shelf.files.has(String(asked.input_file_id)))
      return refuse(400, "No such input file.");
    const made = create(shelf, key, asked);
    return behaviour.batchLost
      ? closeConnection(delivery.response, "cut")
      : sendJson(delivery, made.object);
  }
  const batch = shelf.batches.get(id);
  if (!batch) return refuse(404, `No batch found with id '${id}'.`);
  if (cancel) Object.assign(batch.object, { status: "cancelling" });
  else ask(batch, shelf, key, behaviour);
  return sendJson(delivery, batch.object);
}

let counter = 0;

function create({ batches }: KeyShelf, key: string, asked: Record<string, unknown>): KeptBatch {
  counter += 1;
  const id = `batch_sim${fnv1a(key).toString(36)}x${counter}`;
  const created_at = Math.floor(Date.now() / 1_000);
  const object = {
    id,
    object: "batch",
    endpoint: asked.endpoint,
    errors: null,
    input_file_id: asked.input_file_id,
    completion_window: asked.completion_window,
    status: "validating",
    output_file_id: null,
    error_file_id: null,
    created_at,
    expires_at: created_at + 86_400,
    metadata: asked.metadata ?? null,
  };
  const batch = { id, polls: 0, object };
  batches.set(id, batch);
  return batch;
}

function ask(batch: KeptBatch, shelf: KeyShelf, key: string, behaviour: ScriptedBehaviour): void {
  const { object } = batch;
  if (
    object.status !== "validating" &&
    object.status !== "in_progress" &&
    object.status !== "cancelling"
  )
    return;
  batch.polls += 1;
  if (batch.polls <= (behaviour.batchPolls ?? 0) && object.status !== "cancelling") {
    object.status = "in_progress";
    return;
  }
  const status = object.status === "cancelling" ? "cancelled" : (behaviour.batchEnd ?? "completed");
  const lines = linesOf(shelf.files.get(String(object.input_file_id))?.bytes);
  const answered = lines.slice(0, behaviour.batchAnswers ?? lines.length);
  const outputs = answered.map((line, index) =>
    answerLine(line, `${batch.id}x${index}`, behaviour),
  );
  const failures = lines.slice(answered.length).map(({ custom_id }, index) => ({
    id: `${batch.id}e${index}`,
    custom_id,
    response: null,
    error: { code: "batch_expired", message: "This request could not be executed in time." },
  }));
  const file = (results: readonly unknown[], name: string) =>
    results.length === 0 || status === "failed"
      ? null
      : keepFile(
          shelf,
          key,
          Buffer.from(results.map((one) => `${JSON.stringify(one)}\n`).join("")),
          name,
        ).id;
  Object.assign(object, {
    status,
    output_file_id: file(outputs, "output.jsonl"),
    error_file_id: file(failures, "errors.jsonl"),
    request_counts: { total: lines.length, completed: outputs.length, failed: failures.length },
  });
}

const linesOf = (bytes: Buffer | undefined): Record<string, unknown>[] =>
  (bytes?.toString("utf8") ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

function answerLine(
  line: Record<string, unknown>,
  id: string,
  behaviour: ScriptedBehaviour,
): unknown {
  const { custom_id, url, body } = line;
  const response = (status_code: number, answer: unknown) => ({
    id: `batch_req_${id}`,
    custom_id,
    response: { status_code, request_id: id, body: answer },
    error: null,
  });
  try {
    const isResponse = url === "/v1/responses" && isRecord(body);
    const asked = isResponse
      ? { ...body, messages: [{ role: "user", content: body.input }] }
      : body;
    const request = openAiWire.readRequest(asked, "/v1/chat/completions");
    const envelope = {
      id,
      model: request.model,
      createdSeconds: 0,
      usageHidden: behaviour.noUsage === true,
    };
    const answer = generateAnswer(request, behaviour);
    return response(
      200,
      isResponse ? responseObject(answer, envelope) : openAiWire.responseBody(answer, envelope),
    );
  } catch (cause) {
    if (!(cause instanceof InvalidRequestError)) throw cause;
    return response(400, openAiWire.failure(cause.failure, ""));
  }
}

function responseObject(
  answer: SimulatedAnswer,
  { id, model, usageHidden }: AnswerEnvelope,
): Record<string, unknown> {
  const { prompt, completion } = answer.usage;
  const usage = {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: prompt + completion,
  };
  const content = [{ type: "output_text", text: wholeText(answer.tokens), annotations: [] }];
  return {
    id: `resp_${id}`,
    object: "response",
    status: "completed",
    model,
    output: [{ type: "message", id: `msg_${id}`, status: "completed", role: "assistant", content }],
    usage: usageHidden ? null : usage,
  };
}
