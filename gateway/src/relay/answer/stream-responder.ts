/** Delivers a streamed reply: holds back what comes before the first content, counts, and stops where the hold ends. */
import type { HoldReach } from "../../money/hold-reach.ts";
import { type ExtraUsage, extraBuckets, noUsage, type Price } from "../../money/price.ts";
import type { ServedTerms } from "../../money/price-factors.ts";
import { TextSample } from "../counting/text-sample.ts";
import type { Exchange } from "../exchange.ts";
import type { DeliveredOutput, RelayCall, StreamEventFacts, StreamEventReader } from "../formats/api-format.ts";
import {
  type ChargedUsage,
  chargedUsage,
  type ReportedUsage,
  type UsageLimits,
  usageNote,
} from "../formats/reported-usage.ts";
import { estimateOutputTokens } from "../formats/token-estimate.ts";
import { usageDetailsOf } from "../formats/usage-details.ts";
import { usageLimitsFor } from "../formats/usage-limits.ts";
import { opaqueTokens } from "../formats/written-output.ts";
import type { StateKeeper } from "../provider-states/provider-states.ts";
import type { IssuedId } from "../provider-states/state-references.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import type { ReplyTranslator } from "../translations/translation.ts";
import { answerError, errorReason, type UpstreamResponse } from "../upstream/forward.ts";
import { redactSecrets } from "../upstream/redact-secrets.ts";
import { errorInStream, type UpstreamError } from "../upstream/upstream-error.ts";
import { withModel } from "../wire/event-text.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import { MalformedStream, type StreamSplit, type StreamSplitter } from "../wire/stream-splitter.ts";
import { idsNotStored, idsNotStoredRefusal } from "./ids-not-stored.ts";
import type { CallOutcome, RespondResult, UpstreamPrice, UsageMeter } from "./respond.ts";
import { uncountedOf } from "./uncounted-output.ts";

const heartbeatAfterAnswerMs = 5_000;
/** No provider sends this much before the first content; a stream that does is passed on. */
const heldBackBytesMax = 64 * 1024;
const joined = (parts: readonly (Buffer | string)[], last: Buffer): Buffer =>
  parts.length === 0
    ? last
    : Buffer.concat([...parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)), last]);
const endedEarly = "the stream ended early";
/** After the client left, the final usage of a finished output is read for this long, from this many bytes, of this many calls at once. */
const drainedForMs = 3_000;
const drainedBytesMax = 64 * 1024;
const drainingCallsMax = 200;
let drainingCalls = 0;

const balanceExhausted: RelayRefusal = {
  status: 403,
  type: "insufficient_quota",
  code: "streaming_billing_failed",
  message: "The balance ran out while the answer was streaming",
};

/** Passes one stream on: whole events only, each at once, at the client's pace. */
export class StreamResponder {
  readonly #exchange: Exchange;
  readonly #answer: UpstreamResponse;
  readonly #call: RelayCall;
  readonly #translator: ReplyTranslator | undefined;
  readonly #droppedFields: readonly string[];
  readonly #keeper: StateKeeper | undefined;
  readonly #splitter: StreamSplitter;
  readonly #read: StreamEventReader;
  #arrived: Buffer[] = [];
  readonly #price: Price;
  readonly #limits: UsageLimits;
  /** The model that the client asked for, where the channel maps it to another. */
  readonly #shownModel: string | undefined;
  /** Events before the first content: until they are sent another channel can still take over. */
  #heldBack: Buffer[] = [];
  #heldBackBytes = 0;
  #hasStarted = false;
  #hasDone = false;
  #hasFinished = false;
  /** Events that no client could have parsed. */
  #malformedEvents = 0;
  #isDone = false;
  #reach: HoldReach | undefined;
  #isClientBehind = false;
  /** Events that wait for the hold to grow, or for an id to be stored. */
  #waiting: StreamSplit | undefined;
  #endedWhileWaiting: string | undefined;
  #contentEvents = 0;
  #textBytes = 0;
  readonly #outputSample = new TextSample();
  #opaqueLength = 0;
  #images = 0;
  /** Usage beside text that was delivered, as an estimate. */
  readonly #extras: ExtraUsage = {};
  #usage: ReportedUsage | undefined;
  #served: ServedTerms | undefined;
  /** `#usage` arrived with the end of the model's output, or after it. */
  #isUsageFinal = false;
  /** The client left, and the final usage is still to come: nothing is written any more. */
  #draining: { bytes: number; end(): void } | undefined;
  #firstContentAt = 0;
  #resolve: (responded: RespondResult) => void = () => undefined;

  constructor(
    exchange: Exchange,
    answer: UpstreamResponse,
    { call, translator, dropped, keeper }: UpstreamPlan,
    { model, price, isDistrusted = false }: UpstreamPrice,
    splitter: StreamSplitter,
  ) {
    this.#splitter = splitter;
    this.#exchange = exchange;
    this.#answer = answer;
    this.#call = call;
    this.#translator = translator;
    this.#keeper = keeper;
    this.#droppedFields = dropped;
    this.#read = call.upstream.createEventReader(call);
    this.#price = price;
    this.#limits = usageLimitsFor(call, price, isDistrusted);
    this.#shownModel = model === call.model ? undefined : call.model;
  }

  run(onMeter: (meter: UsageMeter) => HoldReach | undefined): Promise<RespondResult> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const reach = onMeter({ usage: () => this.#charged(false).usage, stop: () => this.#stop() });
      // The covered tokens are text; media are counted otherwise and are covered from the start.
      if (!this.#call.upstream.usageFor) this.#reach = reach;
      this.#exchange.keepAlive(heartbeatAfterAnswerMs);
      this.#exchange.onClientLeave(() => this.#clientLeft());
      this.#answer.read({
        data: (chunk) => this.#data(chunk),
        end: () => this.#upstreamEnded(endedEarly),
        error: (error) => this.#upstreamEnded(errorReason(error), error),
      });
    });
  }

  /** One read of the socket often brings several chunks: they are processed and written together, in the same turn. */
  #data(chunk: Buffer): void {
    if (this.#isDone) return;
    if (this.#draining) {
      this.#draining.bytes += chunk.length;
      if (this.#draining.bytes > drainedBytesMax) {
        this.#leave();
        return;
      }
    }
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

  #pass({ bytes, ends }: StreamSplit): void {
    const parts: (Buffer | string)[] = [];
    let written = 0;
    let start = 0;
    for (const [index, end] of ends.entries()) {
      const event = bytes.toString("utf8", start, end);
      const ids = this.#keeper?.inEvent(event) ?? [];
      if (ids.length > 0 && !this.#draining) {
        this.#write(joined(parts, bytes.subarray(written, start)));
        void this.#waitForIds(ids, {
          bytes: bytes.subarray(start),
          ends: ends.slice(index).map((next) => next - start),
        });
        return;
      }
      const facts = this.#read(event);
      if (facts.kind === "error") {
        this.#upstreamFailed(facts.error, joined(parts, bytes.subarray(written, start)));
        return;
      }
      const shown = this.#observe(event, facts);
      if (shown !== event) {
        parts.push(bytes.subarray(written, start), shown);
        written = end;
      }
      start = end;
      // Data after the end of the stream is ignored, whichever chunk it arrived in.
      if (this.#hasDone) break;
      if (facts.kind === "content" && this.#hasPassedHold()) {
        this.#write(joined(parts, bytes.subarray(written, start)));
        void this.#waitForHold({ bytes: bytes.subarray(end), ends: ends.slice(index + 1).map((next) => next - end) });
        return;
      }
    }
    this.#write(joined(parts, bytes.subarray(written, start)));
    if (this.#hasDone) this.#complete();
    else if (this.#draining && this.#isUsageFinal) this.#leave();
  }

  /** Compares two numbers at each event; a growing hold delays no event that it still covers. */
  #hasPassedHold(): boolean {
    const reach = this.#reach;
    if (!reach || this.#draining) return false;
    const delivered = this.#deliveredTokens();
    if (delivered > reach.tokens) return true;
    // An answer within its stated limit was covered as a whole before it began.
    const { maxOutputTokens = 0, choiceCount } = this.#call;
    if (delivered > reach.growFrom && delivered > maxOutputTokens * choiceCount) void reach.grow();
    return false;
  }

  async #waitForHold(rest: StreamSplit): Promise<void> {
    this.#waiting = rest;
    this.#answer.pause();
    await this.#reach?.grow();
    this.#waiting = undefined;
    if (this.#isDone) return;
    if (!this.#draining && this.#deliveredTokens() > (this.#reach?.tokens ?? 0)) {
      this.#stop();
      return;
    }
    this.#continue(rest);
  }

  #deliveredTokens(): number {
    return estimateOutputTokens(this.#contentEvents, this.#textBytes) + opaqueTokens(this.#opaqueLength);
  }

  /** The client must not learn an id before it is known whose it is. */
  async #waitForIds(ids: readonly IssuedId[], rest: StreamSplit): Promise<void> {
    this.#waiting = rest;
    this.#answer.pause();
    const isStored = await this.#keeper?.keep(ids).then(
      () => true,
      () => false,
    );
    this.#waiting = undefined;
    if (this.#isDone) return;
    if (isStored) {
      this.#continue(rest);
      return;
    }
    if (this.#draining) this.#leave();
    else {
      this.#exchange.refuse(idsNotStoredRefusal);
      this.#end("cut", idsNotStored);
      this.#answer.abort(idsNotStored);
    }
  }

  /** Passes the events that waited, and what arrived meanwhile. */
  #continue(rest: StreamSplit): void {
    this.#resumeUnlessHeld();
    this.#pass(rest);
    this.#processArrived();
    const reason = this.#endedWhileWaiting;
    if (reason === undefined || this.#waiting) return;
    this.#endedWhileWaiting = undefined;
    this.#upstreamEnded(reason);
  }

  /** Records an event and returns what the client receives of it. */
  #observe(event: string, facts: StreamEventFacts): string {
    this.#count(facts);
    if (facts.kind === "malformed") {
      this.#malformedEvents += 1;
      return "";
    }
    if (facts.kind === "done") this.#hasDone = true;
    if (facts.isLast) this.#hasFinished = true;
    if (facts.usage) {
      this.#usage = facts.usage;
      this.#isUsageFinal = this.#hasFinished;
    }
    if (facts.served) this.#served = facts.served;
    if (this.#draining) return "";
    if (this.#translator) return this.#translator.translateEvent(event);
    return facts.isHidden ? "" : this.#rename(event);
  }

  #count({ kind, textBytes, text, opaqueLength = 0, images = 0, extras }: StreamEventFacts): void {
    if (kind !== "content" && textBytes === 0) return;
    this.#contentEvents += 1;
    this.#textBytes += textBytes;
    this.#opaqueLength += opaqueLength;
    this.#images += images;
    if (text !== undefined) this.#outputSample.push(text);
    for (const bucket of extraBuckets) {
      const used = extras?.[bucket];
      if (used !== undefined) this.#extras[bucket] = (this.#extras[bucket] ?? 0) + used;
    }
    if (this.#firstContentAt === 0) this.#firstContentAt = Date.now();
  }

  #rename(event: string): string {
    return this.#shownModel === undefined ? event : withModel(event, this.#shownModel, this.#call.upstream.modelField);
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0 || this.#draining) return;
    if (!this.#hasStarted && this.#contentEvents === 0 && !this.#hasDone && this.#heldBackBytes < heldBackBytesMax) {
      this.#heldBack.push(bytes);
      this.#heldBackBytes += bytes.length;
      return;
    }
    this.#hasStarted = true;
    const due = joined(this.#heldBack, bytes);
    this.#heldBack = [];
    this.#exchange.openStream(this.#droppedFields);
    const onDrain = (): void => {
      this.#isClientBehind = false;
      this.#resumeUnlessHeld();
    };
    if (this.#exchange.write(due, onDrain)) return;
    this.#isClientBehind = true;
    this.#answer.pause();
  }

  /** The upstream is read on once the client has caught up and nothing waits for storage. */
  #resumeUnlessHeld(): void {
    if (!this.#isClientBehind && !this.#waiting) this.#answer.resume();
  }

  /** Between the end of the output and its usage the client may leave: the usage is worth a moment. */
  #clientLeft(): void {
    if (!this.#hasFinished || this.#isUsageFinal || this.#isDone || drainingCalls >= drainingCallsMax) {
      this.#leave();
      return;
    }
    drainingCalls += 1;
    const timer = setTimeout(() => this.#leave(), drainedForMs);
    this.#draining = {
      bytes: 0,
      end() {
        drainingCalls -= 1;
        clearTimeout(timer);
      },
    };
    this.#answer.resume();
  }

  #leave(): void {
    this.#end("client_left");
    this.#answer.abort("the client left");
  }

  /** Adds the terminator where the upstream omits it: clients wait for it. */
  #complete(): void {
    if (this.#draining) {
      this.#leave();
      return;
    }
    const missing = this.#hasDone ? "" : this.#call.upstream.terminator;
    this.#exchange.openStream(this.#droppedFields);
    this.#exchange.endStream(joined(this.#heldBack, Buffer.from(this.#translator?.finish() ?? missing)));
    this.#end("success");
  }

  #upstreamEnded(reason: string, error = new Error(reason)): void {
    this.#processArrived();
    if (reason === endedEarly && !this.#isDone && !this.#waiting) this.#pass(this.#splitter.end());
    if (this.#isDone) return;
    if (this.#waiting) {
      this.#endedWhileWaiting = reason;
      return;
    }
    if (this.#draining) {
      this.#leave();
      return;
    }
    if (this.#hasFinished && reason === endedEarly) this.#complete();
    else if (!this.#hasStarted) this.#fail(answerError(error, this.#answer.bytesReceived));
    else {
      const message = "The upstream cut the stream before it was complete";
      this.#exchange.endStreamWith({ status: 502, type: "upstream_error", code: "upstream_cut", message });
      this.#end("cut", reason);
    }
  }

  /** The upstream reports an error inside its stream: before any content another channel may still answer. */
  #upstreamFailed(reported: unknown, before: Buffer): void {
    if (this.#draining) {
      this.#leave();
      return;
    }
    const error = redactSecrets(errorInStream(reported), ...this.#answer.secrets);
    if (this.#hasStarted) {
      this.#write(before);
      this.#exchange.endStreamWith(error.refusal);
      this.#end("cut", error.publicReason, error.reason);
    } else this.#fail({ ...error, reason: `error in stream: ${error.reason}` });
    this.#answer.abort("the upstream failed inside its stream");
  }

  #stop(): void {
    if (this.#isDone || this.#draining) return;
    this.#exchange.endStreamWith(balanceExhausted);
    this.#end("quota_ran_out");
    this.#answer.abort("the balance ran out");
  }

  #fail(error: UpstreamError): void {
    this.#isDone = true;
    this.#exchange.onClientLeave(undefined);
    this.#resolve({ error });
  }

  #end(outcome: CallOutcome, reason = "", providerWords = ""): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#draining?.end();
    this.#exchange.onClientLeave(undefined);
    const charged = this.#charged(outcome === "success");
    const dropped = this.#malformedEvents > 0 ? `${this.#malformedEvents} damaged events were left out` : "";
    const isFree = this.#contentEvents === 0 && this.#usage === undefined && outcome !== "success";
    this.#resolve({
      result: {
        outcome,
        usage: isFree ? noUsage : charged.usage,
        note: [reason, isFree ? "" : usageNote(charged), dropped].filter((part) => part !== "").join("; "),
        ...(!isFree && { details: usageDetailsOf(charged) }),
        ...(providerWords !== "" && { providerWords }),
        ...(!isFree && uncountedOf(charged, { sample: this.#outputSample.read(), opaqueLength: this.#opaqueLength })),
        ...(this.#served && { served: this.#served }),
        firstContentAt: this.#firstContentAt,
        upstreamCompletedAt: outcome === "success" ? Date.now() : 0,
      },
    });
  }

  /** The usage so far; a stream that has ended well has no later count. */
  #charged(isWhole: boolean): ChargedUsage {
    const { upstream, promptEstimate: input } = this.#call;
    const reported: ReportedUsage | undefined =
      this.#usage && !isWhole && !this.#isUsageFinal ? { ...this.#usage, isPartial: true } : this.#usage;
    const delivered: DeliveredOutput = { textBytes: this.#textBytes, images: this.#images };
    if (upstream.usageFor) {
      return upstream.usageFor(this.#call, reported, delivered, this.#price.rates, this.#limits);
    }
    const output = this.#deliveredTokens();
    return chargedUsage(reported, { ...noUsage, ...this.#extras, input, output }, this.#limits);
  }
}
