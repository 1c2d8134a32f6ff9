// One answer of a provider through the relay, without sockets and databases, and what it is charged.
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { defaultPrice } from "@tollgate/gateway/money/price-book.ts";
import { type CallResult, respond, type UsageMeter } from "@tollgate/gateway/relay/answer/respond.ts";
import { Exchange } from "@tollgate/gateway/relay/exchange.ts";
import type { UpstreamPlan } from "@tollgate/gateway/relay/routing/translation-registry.ts";
import { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";

/** The part of Node's response that an exchange uses. */
class ClientResponse extends EventEmitter {
  readonly pieces: Buffer[] = [];
  readonly socket = null;
  readonly writableLength = 0;
  readonly writableFinished = false;
  headersSent = false;

  writeHead(): void {
    this.headersSent = true;
  }
  write(bytes: Buffer): boolean {
    this.pieces.push(bytes);
    return true;
  }
  end(bytes?: Buffer): void {
    if (bytes) this.pieces.push(bytes);
  }
}

const request = {} as IncomingMessage;
const controller = { abort: () => undefined, pause: () => undefined, resume: () => undefined } as never;

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

type AnswerPricing = Pick<AnswerOptions, "isDistrusted" | "price">;

/** One answer whose pieces the test sends. */
export function startAnswer(plan: UpstreamPlan, contentType: string, options: AnswerPricing = {}) {
  const { isDistrusted = false, price = defaultPrice } = options;
  const response = new ClientResponse();
  const exchange = new Exchange(1, request, response as unknown as ServerResponse, "127.0.0.1");
  exchange.errorFormat = plan.call.client.errorFormat;
  const answer = new UpstreamResponse();
  answer.onResponseStart(controller, 200, { "content-type": contentType });
  let meter: UsageMeter | undefined;
  const responding = respond(exchange, answer, plan, { model: plan.call.model, price, isDistrusted }, (one) => {
    meter = one;
  });
  return {
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
    received: (): string => Buffer.concat(response.pieces).toString("utf8"),
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
  const [received, recorded] = [answer.received(), answer.recorded()];
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
