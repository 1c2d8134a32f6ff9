/**
 * The messages of a client on the WebSocket of Responses, and what a connection remembers between
 * its turns. Pure.
 */

import { isNestedDeeperThan, jsonDepthMax } from "../../http/json-outline.ts";
import { boundOutline } from "../wire/bounded-json.ts";
import {
  isRecord,
  type JsonRecord,
  parseObject,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import { addMembers, stripMembers } from "../wire/json-spans.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";

/** `TurnRequest` is one `response.create`. */
export interface TurnRequest {
  /** The body of the same call over HTTP. */
  body: Buffer;
  /** The conversation up to here; undefined where it is not the gateway's to remember. */
  conversation: readonly JsonRecord[] | undefined;
  /** The client asks for no answer: it announces the beginning of its next request. */
  isWarmUp: boolean;
  model: string;
}

/** A response that only this connection knows: its provider keeps none, or none has answered. */
export interface RememberedResponse {
  id: string;
  /** Input and output of all turns up to it. */
  conversation: readonly JsonRecord[];
}

/** Members of the message that the body of an HTTP request does not have. */
const envelope = ["type", "generate", "stream", "background", "stream_options"];

/**
 * A turn that continues the remembered response is sent with the whole conversation, so that any
 * channel can answer it. Any other reference is left to the provider, as over HTTP. Throws
 * `RelayRefused`.
 */
export function readTurnRequest(
  message: Buffer,
  remembered: RememberedResponse | undefined,
): TurnRequest {
  const event = buildEvent(message);
  const input = findInputItems(event.input);
  const continued = remembered?.id === event.previous_response_id ? remembered : undefined;
  const whole = input && continued ? [...continued.conversation, ...input] : input;
  const isWarmUp = event.generate === false;
  const isWhole = continued !== undefined || event.previous_response_id == null;
  const rest = stripMembers(message, continued ? [...envelope, "previous_response_id"] : envelope);
  const members = continued && whole ? { input: JSON.stringify(whole) } : {};
  return {
    body: addMembers(rest, { stream: "true", ...members }),
    conversation: isWhole && (event.store === false || isWarmUp) ? whole : undefined,
    isWarmUp,
    model: text(event.model),
  };
}

function buildEvent(message: Buffer): JsonRecord {
  const json = message.toString("utf8");
  boundOutline(json);
  let event: unknown;
  try {
    event = JSON.parse(json);
  } catch {
    event = undefined;
  }
  if (!isRecord(event))
    throw refuseBadRequest("invalid_event", "A message must be text with one JSON object");
  if (event.type !== "response.create")
    throw refuseBadRequest(
      "unknown_event",
      "The gateway knows messages of the type response.create alone",
      "type",
    );
  if (event.stream_id != null)
    throw refuseBadRequest(
      "invalid_event",
      "stream_id is not offered here; open a connection for each conversation",
      "stream_id",
    );
  if (event.background === true)
    throw refuseBadRequest(
      "invalid_event",
      "background is not offered over a WebSocket",
      "background",
    );
  return event;
}

/** Undefined for an input of no valid form, which the checks of every call refuse. */
function findInputItems(input: unknown): JsonRecord[] | undefined {
  if (input == null) return [];
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return Array.isArray(input) && input.every(isRecord) ? input : undefined;
}

/** Reads the events of one answer for what the next turn needs of it. */
export class AnswerReader {
  readonly #items: JsonRecord[] = [];
  /** Empty until the answer is complete. */
  responseId = "";
  /** Characters of the items; infinite where one of them could not be written again. */
  length = 0;

  observe(event: string): void {
    if (event.includes('"response.output_item.done"')) {
      const { type, item } = parseObject(event);
      if (type !== "response.output_item.done" || !isRecord(item)) return;
      this.#keep([item], event);
    } else if (event.includes('"response.completed"') || event.includes('"response.incomplete"')) {
      const { type, response } = parseObject(event);
      if (type !== "response.completed" && type !== "response.incomplete") return;
      const { id, output } = record(response);
      this.responseId = text(id);
      // Some servers send no events of single items.
      if (this.#items.length === 0) this.#keep(records(output), event);
    }
  }

  #keep(items: readonly JsonRecord[], event: string): void {
    this.#items.push(...items);
    this.length += isNestedDeeperThan(event, jsonDepthMax)
      ? Number.POSITIVE_INFINITY
      : event.length;
  }

  /** The output as the input of a later call, to a provider that keeps none of it. */
  conversationItems(): JsonRecord[] {
    return this.#items.filter(isReadableAgain).map(({ id: _, ...item }) => item);
  }
}

/** Reasoning can be sent back only as the provider encrypted it. */
const isReadableAgain = ({ type, encrypted_content }: JsonRecord): boolean =>
  type !== "reasoning" || text(encrypted_content) !== "";

/** The events that answer a warm-up: a response without output, which cost nothing. */
export function warmUpEvents(id: string, model: string, createdAt: number): string[] {
  const response = {
    id,
    object: "response",
    created_at: createdAt,
    model,
    output: [],
    error: null,
  };
  const usage = {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  };
  return [
    JSON.stringify({
      type: "response.created",
      sequence_number: 0,
      response: { ...response, status: "in_progress" },
    }),
    JSON.stringify({
      type: "response.completed",
      sequence_number: 1,
      response: { ...response, status: "completed", usage },
    }),
  ];
}
