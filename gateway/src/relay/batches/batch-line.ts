/** A line of a batch's input. Pure. */

import {
  findExcess,
  formatExcessMessage,
  type JsonBounds,
  outlineJson,
} from "../../http/json-outline.ts";
import type { ClientFormat, RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { asksForLargeContainer } from "../formats/hold-size/container-sessions.ts";
import { completions, embeddings } from "../formats/openai-basic-formats.ts";
import { responses } from "../formats/responses.ts";
import { buildBounds, callOfJson, type ReadRequestOptions } from "../read-request.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { listTopLevelSpans } from "../wire/json-spans.ts";
import { type RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";

/** The endpoints that a batch may call: those whose answers report their usage. */
export const batchFormats: Readonly<Record<string, ClientFormat>> = {
  "/v1/chat/completions": chatCompletions,
  "/v1/completions": completions,
  "/v1/embeddings": embeddings,
  "/v1/responses": responses,
};

const customIdMax = 512;

export const refuseWrongLine = (line: number, why: string): RelayRefused =>
  refuseBadRequest("invalid_batch_line", `Line ${line} of the input file: ${why}`, "input_file_id");

/** The call in a line; `line` counts from 1. Throws `RelayRefused`. */
export function callInLine(
  bytes: Buffer,
  line: number,
  endpoint: string,
  reading: Omit<ReadRequestOptions, "terms">,
): RelayCall {
  const bounds = buildBounds(reading.formatFor(undefined));
  const json = buildObject(bytes, line, bounds);
  const names = listTopLevelSpans(bytes).map(({ key }) => key);
  // Readers differ on which one counts. Those of the body are compared with the body.
  if (new Set(names).size < names.length)
    throw refuseWrongLine(line, "it has the same member twice");
  const { custom_id: id, method, url, body } = json;
  if (typeof id !== "string" || id === "" || id.length > customIdMax)
    throw refuseWrongLine(line, `custom_id must be a text of at most ${customIdMax} characters`);
  if (method !== "POST" || url !== endpoint)
    throw refuseWrongLine(line, `it must call POST ${endpoint}, as the batch does`);
  if (!isRecord(body)) throw refuseWrongLine(line, "body must be an object");
  const span = listTopLevelSpans(bytes).find(({ key }) => key === "body");
  const call = callOfJson(bytes.subarray(span?.start, span?.end), {}, reading, bounds);
  if (call.isStream) throw refuseWrongLine(line, "a batch has no streams");
  if (call.costMembers) {
    const [member] = call.costMembers.members;
    throw refuseWrongLine(
      line,
      `${member?.name ?? "a member"} changes the model or the price, which a batch cannot charge for`,
    );
  }
  if (asksForLargeContainer(body))
    throw refuseWrongLine(
      line,
      "memory_limit of a container must be 1g: a batch cannot charge for a larger one",
    );
  return call;
}

function buildObject(bytes: Buffer, line: number, bounds: JsonBounds): JsonRecord {
  const text = bytes.toString("utf8");
  const excess = findExcess(outlineJson(text, bounds), bounds);
  if (excess) throw refuseWrongLine(line, formatExcessMessage(excess, bounds));
  try {
    const json: unknown = JSON.parse(text);
    if (isRecord(json)) return json;
  } catch {
    // Refused below, as any other value.
  }
  throw refuseWrongLine(line, "it is no JSON object");
}
