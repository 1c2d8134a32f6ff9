// One answer of a provider through the relay, without sockets and databases, and what it is charged.

import type { HoldReach } from "@tollgate/gateway/money/hold-reach.ts";
import { defaultPrice } from "@tollgate/gateway/money/price-book.ts";
import { type CallResult, respond, type UsageMeter } from "@tollgate/gateway/relay/answer/respond.ts";
import type { UpstreamPlan } from "@tollgate/gateway/relay/routing/translation-registry.ts";
import { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";
import {
  controllerOf,
  RecordedConnection,
  RecordedResponse,
  recordedExchange,
} from "../../support/recorded-response.ts";

/** What happens after the events that arrived; `left` is a client that leaves and a provider that goes on. */
export type AnswerEnding = "whole" | "cut" | "left";

export interface AnsweredCall {
  /** Undefined where nothing reached the client, so that another channel may answer. */
  result: CallResult | undefined;
  /** What a process that dies at this moment leaves behind for its sweeper. */
  recorded: CallResult["usage"] | undefined;
  /** What the client had received before the ending. */
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
  /** How far the hold reaches; without it, every answer is covered. */
  reach?: HoldReach;
}

/** One answer whose pieces the test sends. */
export function startAnswer(plan: UpstreamPlan, contentType: string, options: AnswerPricing = {}) {
  const { isDistrusted = false, price = defaultPrice, reach } = options;
  const response = new RecordedResponse();
  const exchange = recordedExchange(1, response, plan.call.client.errorFormat);
  const connection = new RecordedConnection();
  const controller = controllerOf(connection);
  const answer = new UpstreamResponse();
  answer.onRequestStart(controller);
  answer.onResponseStart(controller, 200, { "content-type": contentType });
  let meter: UsageMeter | undefined;
  const responding = respond(exchange, answer, plan, { model: plan.call.model, price, isDistrusted }, (one) => {
    meter = one;
    return reach;
  });
  return {
    response,
    connection,
    async send(...pieces: readonly string[]): Promise<void> {
      for (const piece of pieces) {
        if (answer.isAborted) return;
        answer.onResponseData(controller, Buffer.from(piece));
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

/** A whole reply. */
export async function answeredWhole(
  plan: UpstreamPlan,
  reply: unknown,
  options: AnswerPricing = {},
): Promise<CallResult> {
  const answer = startAnswer(plan, "application/json", options);
  await answer.send(JSON.stringify(reply));
  answer.end();
  const result = await answer.result();
  if (!result) throw new Error("the reply is no reply");
  return result;
}
