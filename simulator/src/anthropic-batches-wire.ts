// Anthropic's batches: requests in the body, results as lines.

import { anthropicWire } from "./anthropic-wire.ts";
import {
  closeConnection,
  type ReplyDelivery,
  sendBytes,
  sendFailure,
  sendJson,
} from "./delivery.ts";
import type { KeptMessageBatch, KeyShelf } from "./key-shelf.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";
import { fnv1a, generateAnswer } from "./simulated-answer.ts";
import { InvalidRequestError } from "./wire-format.ts";

const batchPath = /^\/v1\/messages\/batches(?:\/([\w-]+)(?:\/(cancel|results))?)?$/;

export const isMessageBatchPath = (path: string): boolean => batchPath.test(path);

/** `key` is that of the call. */
export async function answerMessageBatch(
  delivery: ReplyDelivery,
  { messageBatches: batches }: KeyShelf,
  key: string,
  body: Buffer,
): Promise<void> {
  const { call, behaviour } = delivery;
  const { pathname } = new URL(call.path, "http://simulator");
  const [, id, part] = batchPath.exec(pathname) ?? [];
  const refuse = (status: number, message: string) =>
    sendFailure(delivery, { status, message }, anthropicWire.failure({ status, message }, key));
  if (id === undefined && call.method === "GET") {
    const data = [...batches.values()].map(({ object }) => object).reverse();
    return sendJson(delivery, { data, has_more: false, first_id: null, last_id: null });
  }
  if (id === undefined) {
    const asked = parseJson(body);
    if (!isRecord(asked) || !Array.isArray(asked.requests))
      return refuse(400, "requests: Field required");
    const made = create(batches, key, asked.requests.filter(isRecord));
    return behaviour.batchLost
      ? closeConnection(delivery.response, "cut")
      : sendJson(delivery, made.object);
  }
  const batch = batches.get(id);
  if (!batch) return refuse(404, `No batch found with id '${id}'.`);
  if (call.method === "DELETE") {
    batches.delete(id);
    return sendJson(delivery, { id, type: "message_batch_deleted" });
  }
  if (part === "cancel")
    Object.assign(batch.object, {
      processing_status: "canceling",
      cancel_initiated_at: new Date().toISOString(),
    });
  else if (part === "results") {
    if (batch.object.processing_status !== "ended")
      return refuse(404, "The batch has no results yet.");
    const lines = batch.results.map((one) => `${JSON.stringify(one)}\n`);
    return sendBytes(delivery, "application/x-jsonl", [Buffer.from(lines.join(""))]);
  } else ask(batch, behaviour);
  return sendJson(delivery, batch.object);
}

/** A batch with its requests, and its results once it has ended. */
let counter = 0;

function create(
  batches: Map<string, KeptMessageBatch>,
  key: string,
  requests: Record<string, unknown>[],
): KeptMessageBatch {
  counter += 1;
  const id = `msgbatch_sim${fnv1a(key).toString(36)}x${counter}`;
  const object = {
    id,
    type: "message_batch",
    processing_status: "in_progress",
    request_counts: {
      processing: requests.length,
      succeeded: 0,
      errored: 0,
      canceled: 0,
      expired: 0,
    },
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    ended_at: null,
    archived_at: null,
    cancel_initiated_at: null,
    results_url: null,
  };
  const batch = { id, polls: 0, object, requests, results: [] };
  batches.set(id, batch);
  return batch;
}

function ask(batch: KeptMessageBatch, behaviour: ScriptedBehaviour): void {
  const { object, requests } = batch;
  if (object.processing_status === "ended") return;
  batch.polls += 1;
  const isCancelled = object.processing_status === "canceling";
  if (batch.polls <= (behaviour.batchPolls ?? 0) && !isCancelled) return;
  const answered = behaviour.batchAnswers ?? requests.length;
  const unanswered = isCancelled ? "canceled" : "expired";
  batch.results = requests.map(({ custom_id, params }, index) => ({
    custom_id,
    result:
      index < answered ? resultOf(params, `${batch.id}x${index}`, behaviour) : { type: unanswered },
  }));
  const count = (type: string) =>
    batch.results.filter((one) => isRecord(one) && resultType(one) === type).length;
  const [succeeded, errored, canceled, expired] = [
    "succeeded",
    "errored",
    "canceled",
    "expired",
  ].map(count);
  Object.assign(object, {
    processing_status: "ended",
    request_counts: { processing: 0, succeeded, errored, canceled, expired },
    ended_at: new Date().toISOString(),
    // The provider's own address, at which a client of a gateway must not send its key.
    results_url: `https://api.anthropic.com/v1/messages/batches/${batch.id}/results`,
  });
}

const resultType = ({ result }: Record<string, unknown>): unknown =>
  isRecord(result) ? result.type : undefined;

function resultOf(params: unknown, id: string, behaviour: ScriptedBehaviour): unknown {
  try {
    const request = anthropicWire.readRequest(params, "/v1/messages");
    const envelope = {
      id,
      model: request.model,
      createdSeconds: 0,
      usageHidden: behaviour.noUsage === true,
    };
    return {
      type: "succeeded",
      message: anthropicWire.responseBody(generateAnswer(request, behaviour), envelope),
    };
  } catch (cause) {
    if (!(cause instanceof InvalidRequestError)) throw cause;
    return { type: "errored", error: anthropicWire.failure(cause.failure, "") };
  }
}
