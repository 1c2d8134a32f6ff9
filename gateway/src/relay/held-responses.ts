/**
 * Conversations of Responses whose channel keeps none: the gateway keeps them where the operator wants it to, sealed, for
 * a while, so that a later call may go on with `previous_response_id`. Channels that speak Responses keep their own.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { SealError, type Sealer } from "../secrets/seal.ts";
import { type Database, StaleWrite, type Write } from "../storage/database.ts";
import { eventJson } from "./event-text.ts";
import type { HeldResponseStore } from "./held-response-store.ts";
import { isRecord, type Json, parsedObject, records, text } from "./json-parts.ts";
import type { Caller } from "./keys.ts";
import { previousNotFound } from "./relay-refusal.ts";
import { responses } from "./shapes/responses.ts";
import type { Call, Keeping } from "./shapes/shape.ts";
import { thoughtsIn } from "./translations/sealed-thoughts.ts";
import type { AnswerTranslator } from "./translations/translation.ts";
import type { Way } from "./ways.ts";

const heldForMs = 30 * 24 * 3_600_000;
/** Bytes of a conversation and of an answer: several times what the longest prompts of today are. */
const heldMax = 2 * 1024 * 1024;
const purpose = "held response";
const lookAgainMs = 250;
const idBytes = 24;
const ownId = /^resp_[0-9a-f]{48}$/;

export interface HeldResponse {
  /** What was said before the answer, as items of `input`. */
  input: readonly Json[];
  /** The answer as its caller got it. */
  response: Json;
}

export interface HeldResponses {
  /** The call with the conversation in front that it goes on with. Throws `Refused` where that is none of the user's. */
  continued(call: Call, caller: Caller): Promise<Call>;
  /** The same way, but what the caller is told is kept. */
  watched(way: Way): Way;
  find(responseId: string, userId: number): Promise<HeldResponse | undefined>;
  /** False where there is none of the user's. */
  remove(responseId: string, userId: number): Promise<boolean>;
  sweep(now: number): Write;
}

interface Parts {
  db: Pick<Database, "write">;
  store: HeldResponseStore;
  seal: Sealer;
  now(): number;
  isOn(): boolean;
  isEstimateRough(): boolean;
  onTrouble(error: unknown): void;
}

export function openHeldResponses({ db, store, seal, now, isOn, isEstimateRough, onTrouble }: Parts): HeldResponses {
  /** Whoever has his answer may go on at once, before it is written. */
  const underWay = new Map<string, Promise<unknown>>();

  function keep({ id, userId, input }: Keeping, response: Json): void {
    const held = JSON.stringify({ input, response } satisfies HeldResponse);
    if (Buffer.byteLength(held) > 2 * heldMax) return;
    const created_at = now();
    const row = {
      response_id: id,
      user_id: userId,
      sealed: seal.seal(purpose, placeOf(id, userId), held),
      created_at,
      expires_at: created_at + heldForMs,
    };
    const written = db
      .write([store.put(row)])
      .catch(onTrouble)
      .finally(() => underWay.delete(id));
    underWay.set(id, written);
  }

  /** Another node may be writing it at this very moment. */
  async function lookAgain(responseId: string, userId: number): Promise<string | undefined> {
    await pause(lookAgainMs);
    return await store.find(responseId, userId, now());
  }

  async function find(responseId: string, userId: number): Promise<HeldResponse | undefined> {
    if (!ownId.test(responseId)) return undefined;
    await underWay.get(responseId);
    const sealed = (await store.find(responseId, userId, now())) ?? (await lookAgain(responseId, userId));
    if (sealed === undefined) return undefined;
    try {
      return JSON.parse(seal.open(purpose, placeOf(responseId, userId), sealed)) as HeldResponse;
    } catch (error) {
      // Sealed by another master key: to the caller it is as good as gone.
      if (!(error instanceof SealError)) throw error;
      onTrouble(error);
      return undefined;
    }
  }

  return {
    async continued(call, caller) {
      if (call.shape !== responses || !isOn()) return call;
      const json = parsedObject(call.body.toString("utf8"));
      const previousId = text(json.previous_response_id);
      const earlier = previousId === "" ? undefined : await find(previousId, caller.userId);
      // A provider may know what we do not.
      if (previousId !== "" && !earlier) {
        if (ownId.test(previousId)) throw previousNotFound();
        return call;
      }
      const whole = earlier ? following(call, json, earlier, isEstimateRough()) : call;
      if (json.store === false || whole.body.length > heldMax) return whole;
      const id = `resp_${randomBytes(idBytes).toString("hex")}`;
      const input = itemsOf(parsedObject(whole.body.toString("utf8")).input);
      return { ...whole, keeping: { id, userId: caller.userId, previousId: previousId || null, input } };
    },
    watched(way) {
      const { keeping } = way.call;
      if (!way.translator || !keeping) return way;
      const translator = watchedTranslator(way.translator, (response) => keep(keeping, response));
      return { ...way, translator, lost: way.lost.filter((name) => name !== "store") };
    },
    find,
    async remove(responseId, userId) {
      await underWay.get(responseId);
      try {
        await db.write([store.remove(responseId, userId)]);
        return true;
      } catch (error) {
        if (error instanceof StaleWrite) return false;
        throw error;
      }
    },
    sweep: store.sweep,
  };
}

const placeOf = (responseId: string, userId: number) => `held_responses/sealed/${userId}/${responseId}` as const;

/** The call that says everything itself. */
function following(call: Call, json: Json, { input, response }: HeldResponse, isEstimateRough: boolean): Call {
  const { previous_response_id: _, ...rest } = json;
  const said = records(response.output).flatMap(repeated);
  const body = { ...rest, input: [...input, ...said, ...itemsOf(rest.input)] };
  return { ...call, ...responses.read(body, isEstimateRough), body: Buffer.from(JSON.stringify(body)) };
}

const itemsOf = (input: unknown): Json[] =>
  typeof input === "string" ? [{ role: "user", content: input }] : records(input);

/** An item of an answer as one of the next question. Thoughts that nobody signed help nobody. */
function repeated({ id: _, status: _status, ...item }: Json): Json[] {
  return item.type === "reasoning" && thoughtsIn(item.encrypted_content).length === 0 ? [] : [item];
}

/** Whoever sees the whole answer is told of it; it is complete when the translation has said its last. */
const watchedTranslator = (translator: AnswerTranslator, onAnswer: (response: Json) => void): AnswerTranslator => ({
  whole(json) {
    const answer = translator.whole(json);
    if (isRecord(answer)) onAnswer(answer);
    return answer;
  },
  event: (event) => translator.event(event),
  end() {
    const told = translator.end();
    const response = told
      .split(afterBlankLine)
      .map((event) => eventJson(event).response)
      .findLast(isRecord);
    if (response) onAnswer(response);
    return told;
  },
});
const afterBlankLine = /(?<=\n\n)/;
