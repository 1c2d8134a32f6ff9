/**
 * Stores responses of the Responses API, encrypted and for a limited time, for channels that store
 * none themselves, so that a later call can continue with `previous_response_id`. Off unless the
 * operator turns it on. Channels that speak Responses store their own.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { SealError, type Sealer } from "../../secrets/seal.ts";
import { type Database, StaleWrite, tryWrite, type Write } from "../../storage/database.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import { type KeptOwner, ownerColumns } from "../admission/kept-owner.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type {
  PlainRequest,
  SentBody,
  StatedNeeds,
  StoredReply,
  StoredResponseTarget,
} from "../formats/call-parts.ts";
import { isItemReference } from "../formats/kept-items.ts";
import { responses } from "../formats/responses.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import { decodeReasoning } from "../translations/encrypted-reasoning.ts";
import type { ReplyTranslator } from "../translations/translation.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { isRecord, type JsonRecord, parseObject, records, text } from "../wire/json-parts.ts";
import { refusePreviousResponseNotFound } from "../wire/relay-refusal.ts";
import type { StoredResponseStore } from "./stored-response-store.ts";

const storedForMs = 30 * 24 * 3_600_000;
/** Bytes of a conversation and of a response: several times the longest prompts of today. */
const storedBytesMax = 2 * 1024 * 1024;
const purpose = "held response";
const retryFindMs = 250;
const idBytes = 24;
const ownId = /^resp_[0-9a-f]{48}$/;
/** An item of a stored response: its kind, the response, and its place in the output. */
const ownItemId = /^[a-z]{2,4}_([0-9a-f]{48})_\d{1,6}$/;
/** Responses to which the items of one call refer: more turns than a client keeps by reference. */
const referredMax = 64;

export interface StoredResponse {
  /** The conversation before the response, as items of `input`. */
  input: readonly JsonRecord[];
  /** The response as the client received it. */
  response: JsonRecord;
}

/** `ContinuedCall` is what changes of a call that continues a stored conversation. */
export interface ContinuedCall
  extends PlainRequest,
    StatedNeeds,
    SentBody,
    StoredReply,
    CallFormats {}

export interface StoredResponses {
  /**
   * The call with the stored conversation that it continues in front. Throws `RelayRefused` if the
   * user has none of that id.
   */
  withHistory<Call extends ContinuedCall>(
    call: Call,
    caller: CallerIdentity & CallerReach,
  ): Promise<Call>;
  /** `recording` does the same plan with a translator that stores what the client receives. */
  recording(plan: UpstreamPlan): UpstreamPlan;
  /**
   * Undefined if the user has none of that id, or if the API key may not use the model that wrote
   * it.
   */
  find(responseId: string, reader: StoredResponseReader): Promise<StoredResponse | undefined>;
  /** False where `find` finds nothing. */
  remove(responseId: string, reader: StoredResponseReader): Promise<boolean>;
  purge(now: number): Write;
}

/** An API key limited to some models reads nothing that another model wrote. */
export type StoredResponseReader = KeptOwner & Pick<CallerReach, "models">;

interface StoredResponsesDeps {
  db: Pick<Database, "write">;
  store: StoredResponseStore;
  seal: Sealer;
  now(): number;
  isOn(): boolean;
  isEstimateRough(): boolean;
  onError(error: unknown): void;
}

export function createStoredResponses({
  db,
  store,
  seal,
  now,
  isOn,
  isEstimateRough,
  onError,
}: StoredResponsesDeps): StoredResponses {
  /** A client may continue before the response is written. */
  const inFlight = new Map<string, Promise<unknown>>();

  function persist({ id, owner, input }: StoredResponseTarget, response: JsonRecord): void {
    const stored = JSON.stringify({ input, response } satisfies StoredResponse);
    if (Buffer.byteLength(stored) > 2 * storedBytesMax) return;
    const created_at = now();
    const row = {
      response_id: id,
      ...ownerColumns(owner),
      sealed: seal.seal(purpose, sealContext(id, owner), stored),
      created_at,
      expires_at: created_at + storedForMs,
    };
    const written = db
      .write([store.put(row)])
      .catch(onError)
      .finally(() => inFlight.delete(id));
    inFlight.set(id, written);
  }

  /** Another node may be writing it at this moment. */
  async function retryFind(responseId: string, owner: KeptOwner): Promise<string | undefined> {
    await pause(retryFindMs);
    return await store.find(responseId, owner, now());
  }

  async function find(
    responseId: string,
    reader: StoredResponseReader,
  ): Promise<StoredResponse | undefined> {
    if (!ownId.test(responseId)) return undefined;
    await inFlight.get(responseId);
    const sealed =
      (await store.find(responseId, reader, now())) ?? (await retryFind(responseId, reader));
    if (sealed === undefined) return undefined;
    try {
      const stored = JSON.parse(
        seal.open(purpose, sealContext(responseId, reader), sealed),
      ) as StoredResponse;
      const { models } = reader;
      return models === null || models.has(text(stored.response.model)) ? stored : undefined;
    } catch (error) {
      // Sealed with another master key, so it is lost.
      if (!(error instanceof SealError)) throw error;
      onError(error);
      return undefined;
    }
  }

  return {
    async withHistory(call, caller) {
      // The socket of Responses is the same API; compaction is not, and stores nothing.
      if (call.client.upstream !== responses.upstream || !isOn()) return call;
      const sent = parseObject(call.body.toString("utf8"));
      const json = await addReferredItems(sent, (id) => find(id, caller));
      const previousId = text(json.previous_response_id);
      const earlier = previousId === "" ? undefined : await find(previousId, caller);
      // The provider may know a response that the gateway does not.
      if (previousId !== "" && !earlier) {
        if (ownId.test(previousId)) throw refusePreviousResponseNotFound();
        return call;
      }
      const turns = earlier ? addEarlierTurns(json, earlier) : json;
      const whole = turns === sent ? call : buildCall(call, turns, isEstimateRough());
      if (json.store === false || whole.body.length > storedBytesMax) return whole;
      const id = `resp_${randomBytes(idBytes).toString("hex")}`;
      const input = listItems(parseObject(whole.body.toString("utf8")).input);
      return { ...whole, storeAs: { id, owner: caller, previousId: previousId || null, input } };
    },
    recording(plan) {
      const { storeAs } = plan.call;
      if (!plan.translator || !storeAs) return plan;
      const translator = buildRecordingTranslator(plan.translator, (response) =>
        persist(storeAs, response),
      );
      return { ...plan, translator, dropped: plan.dropped.filter((name) => name !== "store") };
    },
    find,
    async remove(responseId, reader) {
      if (reader.models !== null && (await find(responseId, reader)) === undefined) return false;
      await inFlight.get(responseId);
      const rejected = await tryWrite(db, [store.remove(responseId, reader)]);
      if (rejected && !(rejected instanceof StaleWrite)) throw rejected;
      return rejected === undefined;
    },
    purge: store.sweep,
  };
}

/** `sealContext` of a thing that belongs to no team is the one of before there were any. */
const sealContext = (responseId: string, { userId, teamId }: KeptOwner) =>
  `held_responses/sealed/${teamId === 0 ? userId : `${userId}@${teamId}`}/${responseId}` as const;

const buildCall = <Call extends ContinuedCall>(
  call: Call,
  body: JsonRecord,
  isEstimateRough: boolean,
): Call => ({
  ...call,
  ...responses.parseRequest(body, isEstimateRough),
  body: Buffer.from(JSON.stringify(body)),
});

/** The body with the whole conversation. */
function addEarlierTurns(json: JsonRecord, { input, response }: StoredResponse): JsonRecord {
  const { previous_response_id: _, ...rest } = json;
  const earlierOutput = records(response.output).flatMap(asInput);
  return { ...rest, input: [...input, ...earlierOutput, ...listItems(rest.input)] };
}

/**
 * `addReferredItems` does the same body, or one in which items of stored responses stand in place
 * of references to them.
 */
async function addReferredItems(
  json: JsonRecord,
  find: (responseId: string) => Promise<StoredResponse | undefined>,
): Promise<JsonRecord> {
  const { input } = json;
  const ids = new Set(
    Array.isArray(input) ? input.flatMap((item) => findResponseReferred(item) ?? []) : [],
  );
  if (ids.size === 0 || ids.size > referredMax) return json;
  const stored = await Promise.all([...ids].map(find));
  const items = new Map(
    stored.flatMap((one) => records(one?.response.output).map((item) => [item.id, item] as const)),
  );
  const whole = records(input).flatMap((item) => {
    const referred = isItemReference(item) ? items.get(item.id) : undefined;
    return referred ? asInput(referred) : [item];
  });
  return items.size === 0 ? json : { ...json, input: whole };
}

function findResponseReferred(item: unknown): string | undefined {
  if (!isRecord(item) || !isItemReference(item)) return undefined;
  const [, response] = ownItemId.exec(text(item.id)) ?? [];
  return response === undefined ? undefined : `resp_${response}`;
}

const listItems = (input: unknown): JsonRecord[] =>
  typeof input === "string" ? [{ role: "user", content: input }] : records(input);

/** An output item as an input item. Unsigned reasoning is of no use to any provider. */
function asInput({ id: _, status: _status, ...item }: JsonRecord): JsonRecord[] {
  return item.type === "reasoning" && decodeReasoning(item.encrypted_content).length === 0
    ? []
    : [item];
}

/** Passes the complete response to `onAnswer`, at the latest when the translation ends. */
const buildRecordingTranslator = (
  translator: ReplyTranslator,
  onAnswer: (response: JsonRecord) => void,
): ReplyTranslator => ({
  translateReply(json) {
    const answer = translator.translateReply(json);
    if (isRecord(answer)) onAnswer(answer);
    return answer;
  },
  translateEvent: (event) => translator.translateEvent(event),
  finish() {
    const lastEvents = translator.finish();
    const response = lastEvents
      .split(afterBlankLine)
      .map((event) => buildEventJson(event).response)
      .findLast(isRecord);
    if (response) onAnswer(response);
    return lastEvents;
  },
});
const afterBlankLine = /(?<=\n\n)/;
