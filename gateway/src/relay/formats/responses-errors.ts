/** Errors of Responses: as OpenAI's other errors, and in streams as two events. */
import type { JsonRecord } from "../wire/json-parts.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { ErrorFormat } from "./api-format.ts";
import { openAiError } from "./openai-errors.ts";

export const responsesErrors: ErrorFormat = {
  errorBody: (refusal, requestId) =>
    JSON.stringify({ error: openAiError(refusal, requestId, false, "responses") }),
  // Codex sends what is refused with 402 or 403 five times more, and shows its own words for 429;
  // at 400 it shows ours and stops.
  statusOf: ({ isOfMoney, status }, headers) =>
    isOfMoney && /^codex/i.test(headers["user-agent"] ?? "") ? 400 : status,
  streamError(refusal, requestId, sent) {
    const { message, code, param } = openAiError(refusal, requestId, true, "responses");
    const sequence_number = computeNextSequenceNumber(sent);
    const error = {
      type: "error",
      sequence_number,
      code: code ?? refusal.type,
      message,
      param: param ?? null,
    };
    const failed = {
      type: "response.failed",
      sequence_number: sequence_number + 1,
      response: findFailedResponse(refusal, requestId),
    };
    return [error, failed]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  },
};

const sequenceNumber = /"sequence_number":\s*(\d{1,15})/g;

/** Each event of a stream has the next number. */
function computeNextSequenceNumber(sent: Buffer | undefined): number {
  const last = [...(sent?.toString("utf8").matchAll(sequenceNumber) ?? [])].at(-1);
  return last === undefined ? 0 : Number(last[1]) + 1;
}

/**
 * The response of the last event: agents read its code, and without such an event they take the
 * stream for cut and send the whole call again. A balance that ran out has OpenAI's code for it, on
 * which they stop.
 */
function findFailedResponse(refusal: RelayRefusal, requestId: string): JsonRecord {
  const { message, code } = openAiError(refusal, requestId, true, "responses");
  const isOutOfQuota = refusal.type === outOfQuota;
  return {
    id: `resp_${requestId.replace(/\W/g, "")}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: "failed",
    error: { code: isOutOfQuota ? outOfQuota : String(code ?? refusal.type), message },
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: "",
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: null,
  };
}
const outOfQuota = "insufficient_quota";
