/** Delivers a streamed reply: reads each event, passes it on, and stops where the hold ends. */

import type { HoldReach } from "../../money/holds/hold-reach.ts";
import type { CallNotes, ReplyToClient, StreamToClient } from "../exchange-parts.ts";
import type { StreamEventFacts, StreamEventReader } from "../formats/api-format.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import type { UpstreamAnswer } from "../upstream/answer-parts.ts";
import { answerError, readErrorReason } from "../upstream/forward.ts";
import { redactSecrets } from "../upstream/redact-secrets.ts";
import {
  buildConnectionFailed,
  buildErrorInStream,
  type UpstreamError,
} from "../upstream/upstream-error.ts";
import { addModel } from "../wire/event-text.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import {
  MalformedStream,
  type StreamSplit,
  type StreamSplitter,
  splitAfter,
} from "../wire/stream-splitter.ts";
import type { CallOutcome, RespondResult, UpstreamPrice, UsageMeter } from "./call-result.ts";
import { ClientStream } from "./client-stream.ts";
import { readFinalUsage } from "./final-usage.ts";
import { idsNotStored, idsNotStoredRefusal } from "./ids-not-stored.ts";
import { withStrayErrors } from "./stray-errors.ts";
import { StreamUsage } from "./stream-usage.ts";
import { tellCost } from "./told-cost.ts";

const heartbeatAfterAnswerMs = 5_000;
const joinPieces = (parts: readonly (Buffer | string)[], last: Buffer): Buffer =>
  parts.length === 0
    ? last
    : Buffer.concat([
        ...parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)),
        last,
      ]);
const endedEarly = "the stream ended early";
const balanceExhausted: RelayRefusal = {
  status: 403,
  type: "insufficient_quota",
  code: "streaming_billing_failed",
  message: "The balance ran out while the answer was streaming",
};

/** Passes one stream on: whole events only, each at once, at the client's pace. */
export class StreamResponder {
  readonly #exchange: CallNotes & ReplyToClient & StreamToClient;
  readonly #answer: UpstreamAnswer;
  readonly #plan: UpstreamPlan;
  readonly #splitter: StreamSplitter;
  readonly #readEvent: StreamEventReader;
  readonly #usage: StreamUsage;
  readonly #cost: UpstreamPrice;
  readonly #client: ClientStream;
  #arrived: Buffer[] = [];
  /** The model that the client asked for, where the channel maps it to another. */
  readonly #shownModel: string | undefined;
  /** Nothing more is passed on. */
  #isDone = false;
  #reach: HoldReach | undefined;
  /** Events that wait for the hold to grow, or for an id to be stored. */
  #waiting: StreamSplit | undefined;
  #endedWhileWaiting: string | undefined;
  #resolve: (responded: RespondResult) => void = () => undefined;

  constructor(
    exchange: CallNotes & ReplyToClient & StreamToClient,
    answer: UpstreamAnswer,
    plan: UpstreamPlan,
    cost: UpstreamPrice,
    splitter: StreamSplitter,
  ) {
    const { call, dropped } = plan;
    this.#splitter = splitter;
    this.#exchange = exchange;
    this.#answer = answer;
    this.#plan = plan;
    this.#readEvent = withStrayErrors(call.upstream.createEventReader(call));
    this.#usage = new StreamUsage(call, cost);
    this.#cost = cost;
    this.#client = new ClientStream(exchange, dropped, () => this.#resumeUnlessHeld());
    this.#shownModel = cost.model === call.model ? undefined : call.model;
  }

  run(onMeter: (meter: UsageMeter) => HoldReach | undefined): Promise<RespondResult> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const reach = onMeter({
        usage: () => this.#usage.charged(false).usage,
        hasDelivered: () => this.#usage.hasDelivered,
        stop: () => this.#stop(),
      });
      // The covered tokens are text; media are counted otherwise and are covered from the start.
      if (!this.#plan.call.upstream.usageFor) this.#reach = reach;
      this.#exchange.keepAlive(heartbeatAfterAnswerMs);
      this.#exchange.onClientLeave(() => this.#clientLeft());
      this.#answer.read({
        data: (chunk) => this.#data(chunk),
        end: () => this.#upstreamEnded(endedEarly),
        error: (error) => this.#upstreamEnded(readErrorReason(error), error),
      });
    });
  }

  /**
   * `#data` gives one read of the socket often brings several chunks: they are processed and
   * written together, in the same turn.
   */
  #data(chunk: Buffer): void {
    if (this.#isDone) return;
    if (this.#arrived.push(chunk) === 1) queueMicrotask(() => this.#processArrived());
  }

  #processArrived(): void {
    const [only] = this.#arrived;
    if (this.#isDone || !only || this.#waiting) return;
    const chunk = this.#arrived.length === 1 ? only : Buffer.concat(this.#arrived);
    this.#arrived = [];
    try {
      this.#pass(this.#splitter.push(chunk));
    } catch (error) {
      if (!(error instanceof MalformedStream)) throw error;
      this.#pass(error.before);
      this.#upstreamEnded(error.message);
      this.#answer.abort(error.message);
    }
  }

  #pass(split: StreamSplit): void {
    const { bytes, ends } = split;
    const { keeper } = this.#plan;
    const parts: (Buffer | string)[] = [];
    let written = 0;
    let start = 0;
    for (const [index, end] of ends.entries()) {
      const event = bytes.toString("utf8", start, end);
      const ids = keeper?.inEvent(event) ?? [];
      if (keeper && ids.length > 0) {
        this.#write(joinPieces(parts, bytes.subarray(written, start)));
        const areStored = (): Promise<boolean> =>
          keeper.keep(ids).then(
            () => true,
            () => false,
          );
        void this.#waitUntil(areStored, splitAfter(split, start, index), () => this.#withholdIds());
        return;
      }
      this.#usage.observeSignature(event);
      const facts = this.#readEvent(event);
      if (facts.kind === "error") {
        this.#usage.observe(facts);
        this.#upstreamFailed(facts, joinPieces(parts, bytes.subarray(written, start)));
        return;
      }
      const shown = this.#observe(event, facts);
      if (shown !== event) {
        parts.push(bytes.subarray(written, start), shown);
        written = end;
      }
      start = end;
      // Data after the end of the stream is ignored, whichever chunk it arrived in.
      if (this.#usage.hasDone) break;
      const reach = this.#reach;
      if (facts.kind === "content" && reach && this.#usage.hasPassed(reach)) {
        this.#write(joinPieces(parts, bytes.subarray(written, start)));
        const isCovered = async (): Promise<boolean> => {
          await reach.grow();
          return this.#usage.deliveredTokens() <= reach.tokens;
        };
        void this.#waitUntil(isCovered, splitAfter(split, start, index + 1), () => this.#stop());
        return;
      }
    }
    if (this.#usage.hasDone && this.#isWithoutAnswer) {
      this.#fail(buildConnectionFailed("the stream ended without an answer"));
      return;
    }
    this.#write(joinPieces(parts, bytes.subarray(written, start)));
    if (this.#usage.hasDone) this.#complete();
  }

  /**
   * Neither words nor a reason to end came, and the client has nothing yet: another channel may
   * answer.
   */
  get #isWithoutAnswer(): boolean {
    return !this.#usage.hasAnswer && !this.#client.hasStarted;
  }

  /** Passes nothing on until it is known whether `rest` may be. */
  async #waitUntil(
    isAllowed: () => Promise<boolean>,
    rest: StreamSplit,
    refuse: () => void,
  ): Promise<void> {
    this.#waiting = rest;
    this.#answer.pause();
    const mayPass = await isAllowed();
    this.#waiting = undefined;
    if (this.#isDone) return;
    if (mayPass) this.#continue(rest);
    else refuse();
  }

  /** The client must not learn an id before it is known whose it is. */
  #withholdIds(): void {
    this.#exchange.refuse(idsNotStoredRefusal);
    this.#end("cut", idsNotStored);
    this.#answer.abort(idsNotStored);
  }

  /** Passes the events that waited, and what arrived meanwhile. */
  #continue(rest: StreamSplit): void {
    this.#pass(rest);
    this.#processArrived();
    // Last: the connection may hand over what it kept, and its end, at once, and that comes after
    // all of these.
    this.#resumeUnlessHeld();
    const reason = this.#endedWhileWaiting;
    if (reason === undefined || this.#waiting) return;
    this.#endedWhileWaiting = undefined;
    this.#upstreamEnded(reason);
  }

  /** Records an event and returns what the client receives of it. */
  #observe(event: string, facts: StreamEventFacts): string {
    this.#usage.observe(facts);
    if (facts.kind === "malformed") return "";
    return this.#tellCost(this.#show(event, facts));
  }

  #tellCost(shown: string): string {
    const { chargeOf } = this.#cost;
    if (!this.#plan.call.wantsCost || !chargeOf) return shown;
    return tellCost(shown, () => chargeOf(this.#usage.result("success")));
  }

  #show(event: string, facts: StreamEventFacts): string {
    if (facts.isHidden) return "";
    if (this.#plan.translator) return this.#plan.translator.translateEvent(event);
    return this.#shownModel === undefined
      ? event
      : addModel(event, this.#shownModel, this.#plan.call.upstream.modelField);
  }

  #write(bytes: Buffer): void {
    const { hasContent, hasDone } = this.#usage;
    if (!this.#client.write(bytes, hasContent || hasDone)) this.#answer.pause();
  }

  /** The upstream is read on once the client has caught up and nothing waits for storage. */
  #resumeUnlessHeld(): void {
    if (!this.#client.isBehind && !this.#waiting) this.#answer.resume();
  }

  #clientLeft(): void {
    this.#isDone = true;
    const leave = (): void => {
      this.#settle({ result: this.#usage.result("client_left") });
      this.#answer.abort("the client left");
    };
    const unread = {
      userId: this.#exchange.facts.caller?.userId ?? 0,
      answer: this.#answer,
      splitter: this.#splitter,
      readEvent: this.#readEvent,
      usage: this.#usage,
      waiting: this.#waiting,
      arrived: this.#arrived,
    };
    if (!readFinalUsage(unread, leave)) leave();
  }

  /** Adds the terminator where the upstream omits it: clients wait for it. */
  #complete(): void {
    const missing = this.#usage.hasDone ? "" : this.#plan.call.upstream.terminator;
    this.#client.end(Buffer.from(this.#tellCost(this.#plan.translator?.finish() ?? missing)));
    this.#end("success");
  }

  /** Every stream ends here: an error, whose stack costs 25 µs, is created where one is needed. */
  #upstreamEnded(reason: string, error?: Error): void {
    this.#processArrived();
    if (reason === endedEarly && !this.#isDone && !this.#waiting) this.#pass(this.#splitter.end());
    if (this.#isDone) return;
    if (this.#waiting) {
      this.#endedWhileWaiting = reason;
      return;
    }
    if (this.#usage.hasFinished && reason === endedEarly && !this.#isWithoutAnswer)
      this.#complete();
    else if (!this.#client.hasStarted)
      this.#fail(answerError(error ?? new Error(reason), this.#answer.bytesReceived));
    else {
      const message = "The upstream cut the stream before it was complete";
      this.#exchange.endStreamWith({
        status: 502,
        type: "upstream_error",
        code: "upstream_cut",
        message,
      });
      this.#end("cut", reason);
    }
  }

  /**
   * The upstream reports an error inside its stream: before any content another channel may still
   * answer.
   */
  #upstreamFailed({ error: reported, badEnd }: StreamEventFacts, before: Buffer): void {
    const error = redactSecrets(buildErrorInStream(reported), ...this.#answer.secrets);
    if (this.#client.hasStarted || (badEnd === "broken" && this.#usage.hasContent)) {
      this.#write(before);
      this.#exchange.endStreamWith(error.refusal);
      this.#end("cut", error.publicReason, error.reason);
    } else this.#fail({ ...error, reason: `error in stream: ${error.reason}` });
    this.#answer.abort("the upstream failed inside its stream");
  }

  #stop(): void {
    if (this.#isDone) return;
    this.#exchange.endStreamWith(balanceExhausted);
    this.#end("quota_ran_out");
    this.#answer.abort("the balance ran out");
  }

  #fail(error: UpstreamError): void {
    this.#isDone = true;
    this.#settle({ error });
  }

  #end(outcome: CallOutcome, reason?: string, providerWords?: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#settle({ result: this.#usage.result(outcome, reason, providerWords) });
  }

  #settle(responded: RespondResult): void {
    this.#exchange.onClientLeave(undefined);
    this.#resolve(responded);
  }
}
