// One answer of a provider through the relay, without sockets and databases, and what it is
// charged.

import type { HoldReach } from "@tollgate/gateway/money/holds/hold-reach.ts";
import { defaultPrice } from "@tollgate/gateway/money/prices/price-book.ts";
import type { CallResult, UsageMeter } from "@tollgate/gateway/relay/answer/call-result.ts";
import { respond } from "@tollgate/gateway/relay/answer/respond.ts";
import type { CallFacts } from "@tollgate/gateway/relay/call-facts.ts";
import type { UpstreamPlan } from "@tollgate/gateway/relay/routing/translation-registry.ts";
import { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";
import type { StreamFraming } from "@tollgate/gateway/relay/wire/stream-splitter.ts";
import {
  controllerOf,
  RecordedConnection,
  RecordedResponse,
  recordedExchange,
} from "@tollgate/tests/support/recorded-response.ts";

/**
 * `AnswerEnding` is what happens after the events that arrived; `left` is a client that leaves and
 * a provider that goes on.
 */
export type AnswerEnding = "whole" | "cut" | "left";

export interface AnsweredCall {
  /** Undefined where nothing reached the client, so that another channel may answer. */
  result: CallResult | undefined;
  /** `recorded` is what a process that dies at this moment leaves behind for its sweeper. */
  recorded: CallResult["usage"] | undefined;
  /** `received` is what the client had received before the ending. */
  received: string;
}

interface AnswerOptions {
  /** Events that arrive before the ending. */
  arrived: number;
  ending: AnswerEnding;
  /** The provider may report false usage. */
  isDistrusted?: boolean;
  price?: typeof defaultPrice;
}

interface AnswerPricing extends Pick<AnswerOptions, "isDistrusted" | "price"> {
  /** `framing` is that of a stream that is not made of server-sent events. */
  framing?: StreamFraming;
  /** `reach` says how far the hold reaches; without it, every answer is covered. */
  reach?: HoldReach;
  /** `userId` says whose call it is. */
  userId?: number;
}

/** `startAnswer` gives one answer whose pieces the test sends. */
export function startAnswer(plan: UpstreamPlan, contentType: string, options: AnswerPricing = {}) {
  const { isDistrusted = false, price = defaultPrice, reach, framing, userId = 1 } = options;
  const response = new RecordedResponse();
  const exchange = recordedExchange(1, response, plan.call.client.errorFormat);
  // Nothing else of the caller is read while an answer passes.
  exchange.learn({ caller: { userId } as NonNullable<CallFacts["caller"]> });
  const connection = new RecordedConnection();
  const controller = controllerOf(connection);
  const answer = new UpstreamResponse();
  answer.onRequestStart(controller);
  answer.onResponseStart(controller, 200, { "content-type": contentType });
  let meter: UsageMeter | undefined;
  const onMeter = (one: UsageMeter): HoldReach | undefined => {
    meter = one;
    return reach;
  };
  const cost = { model: plan.call.model, price, isDistrusted };
  const responding = respond(exchange, answer, plan, cost, onMeter, framing);
  return {
    response,
    connection,
    async send(...pieces: readonly (string | Buffer)[]): Promise<void> {
      for (const piece of pieces) {
        if (answer.isAborted) return;
        answer.onResponseData(controller, Buffer.from(piece as string));
        // Pieces that arrive in the same turn of the event loop are read together.
        await Promise.resolve();
      }
    },
    end(): void {
      if (!answer.isAborted) answer.onResponseEnd();
    },
    cut: (): void => answer.onResponseError(controller, new Error("gone")),
    leave: (): void => void response.emit("close"),
    recorded: () => meter?.usage(),
    isAborted: () => answer.isAborted,
    /** Undefined where another channel may answer. */
    async result(): Promise<CallResult | undefined> {
      const responded = await responding;
      response.emit("close");
      return "result" in responded ? responded.result : undefined;
    },
  };
}

/** A stream; `events` are those of the provider, each as it is sent. */
export async function answeredStream(
  plan: UpstreamPlan,
  events: readonly string[],
  { arrived, ending, ...options }: AnswerOptions,
): Promise<AnsweredCall> {
  const answer = startAnswer(plan, "text/event-stream", options);
  await answer.send(...events.slice(0, arrived));
  const [received, recorded] = [answer.response.received, answer.recorded()];
  if (ending === "cut") answer.cut();
  else {
    if (ending === "left") answer.leave();
    await answer.send(...events.slice(arrived));
    answer.end();
  }
  return { result: await answer.result(), recorded, received };
}

/** Bytes in Amazon's framing, in pieces that end anywhere. */
export async function answeredFrames(
  plan: UpstreamPlan,
  framing: StreamFraming,
  bytes: Buffer,
  pieceLength: number,
): Promise<CallResult | undefined> {
  const answer = startAnswer(plan, framing.contentType, { framing });
  for (let at = 0; at < bytes.length; at += pieceLength)
    await answer.send(bytes.subarray(at, at + pieceLength));
  answer.end();
  return await answer.result();
}

/** A whole reply; a text is no JSON. */
export async function answeredWhole(
  plan: UpstreamPlan,
  reply: unknown,
  options: AnswerPricing = {},
): Promise<CallResult> {
  const isText = typeof reply === "string";
  const answer = startAnswer(plan, isText ? "text/plain" : "application/json", options);
  await answer.send(isText ? reply : JSON.stringify(reply));
  answer.end();
  const result = await answer.result();
  if (!result) throw new Error("the reply is no reply");
  return result;
}
