/** Brings an upstream's answer to the caller and says how it ended and what it used. */
import { noUsage, type Rates, type Usage } from "../money/price.ts";
import type { ChannelPrice } from "./channel-table.ts";
import { estimateOutputTokens } from "./estimate.ts";
import { withModel } from "./event-text.ts";
import type { Exchange } from "./exchange.ts";
import { reasonOf, type UpstreamAnswer } from "./forward.ts";
import { type Framing, serverSentEvents } from "./framing.ts";
import type { Json } from "./json-parts.ts";
import { withMembers } from "./json-spans.ts";
import type { Refusal } from "./relay-refusal.ts";
import { leftEarly, respondBytes, respondText } from "./respond-plainly.ts";
import type { AnswerFacts, Call, EventFacts, ReadEvent, Seen } from "./shapes/shape.ts";
import { type Cut, type Splitter, StreamDamaged } from "./stream-cut.ts";
import { type Sampled, sampleOf, TextSample } from "./text-sample.ts";
import type { AnswerTranslator } from "./translations/translation.ts";
import { brokenUpstream, type Trouble, toldUpstream } from "./trouble.ts";
import { chargeable, type ReadUsage, type Used } from "./usage.ts";
import type { Way } from "./ways.ts";
import { wordsWithout } from "./without-secrets.ts";

export type Outcome = "success" | "client_left" | "cut" | "quota_ran_out";

export interface Ending {
  outcome: Outcome;
  usage: Usage;
  /** Something about the usage was estimated or implausible; empty when it is the upstream's own word. */
  note: string;
  /** What was delivered, where the usage is an estimate: it is counted before it is charged. */
  uncounted?: Sampled;
  /** Milliseconds since the epoch, 0 when it never came. */
  firstContentAt: number;
  upstreamCompletedAt: number;
}

/** Either the answer is with the caller, or nothing of it is and another channel may be tried. */
export type Responded = { ending: Ending } | { trouble: Trouble };

/** What has been delivered so far: read by whoever renews the hold while the answer runs. */
export interface Meter {
  usage(): Usage;
  /** Ends the answer now: the balance is gone. */
  stop(): void;
}

const answerMax = 64 * 1024 * 1024;
const bytesPerToken = 4;
const beatAfterAnswerMs = 5_000;
/** Nobody sends this much before the first word; a stream that does is passed on. */
const earlyBytesMax = 64 * 1024;
const joined = (parts: readonly (Buffer | string)[], last: Buffer): Buffer =>
  parts.length === 0
    ? last
    : Buffer.concat([...parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)), last]);
const endedEarly = "the stream ended early";

export async function respond(
  exchange: Exchange,
  answer: UpstreamAnswer,
  way: Way,
  cost: Cost,
  meters: (meter: Meter) => void,
  framing: Framing = serverSentEvents,
): Promise<Responded> {
  const { call, translator } = way;
  const type = answer.headers["content-type"] ?? "";
  if (call.isStream && type.includes(framing.contentType)) {
    const splitter = framing.splitter(call.shape.eventBytesMax);
    return await new StreamAnswer(exchange, answer, way, cost, splitter).run(meters);
  }
  const canBeStream = call.isStream && (translator ? call.shape.isOneEvent : call.shape.eventsOf) !== undefined;
  if (exchange.hasAnswered && !canBeStream) {
    // A heartbeat, or a channel that failed before its first word, has begun a stream already.
    answer.abort("the answer is no stream");
    return { trouble: brokenUpstream("a stream was asked for, and the answer is none") };
  }
  const plain = call.shape.plain?.(call, type);
  if (plain === "bytes") return await respondBytes(exchange, answer, call, cost.price.rates, meters);
  if (plain === "text") return await respondText(exchange, answer, call, cost.price.rates);
  return await respondWhole(exchange, answer, way, cost);
}

/** The upstream's name for the model, and what it takes. */
type Cost = Pick<ChannelPrice, "model" | "price">;

async function respondWhole(
  exchange: Exchange,
  answer: UpstreamAnswer,
  { call, translator, lost }: Way,
  cost: Cost,
): Promise<Responded> {
  let body: Buffer;
  let json: unknown;
  try {
    body = await answer.whole(answerMax);
    json = JSON.parse(body.toString("utf8"));
  } catch (error) {
    if (exchange.hasLeft) return { ending: leftEarly() };
    return { trouble: brokenUpstream(`the answer is not whole JSON (${reasonOf(error as Error)})`) };
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return { trouble: brokenUpstream("the answer is not a JSON object") };
  }
  const completedAt = Date.now();
  const failure = call.shape.failure?.(json as Json);
  if (failure) return { trouble: toldUpstream(failure) };
  const facts = call.shape.answer(json as Record<string, unknown>);
  if (!facts) return { trouble: brokenUpstream("the answer is not of the shape that was asked for") };
  const { usage, note, isEstimate } = usedByWhole(call, facts, cost.price.rates);
  if (translator && call.isStream && call.shape.isOneEvent) {
    const event = translator.event(`data: ${JSON.stringify(json)}\n\n`);
    exchange.openStream(lost);
    exchange.endStream(Buffer.from(event + translator.end()));
  } else if (translator) {
    exchange.answer(200, "application/json", Buffer.from(JSON.stringify(translator.whole(json as Json))), lost);
  } else if (call.isStream && call.shape.eventsOf) {
    exchange.endStream(Buffer.from(call.shape.eventsOf(json as Json)));
  } else {
    // Not every shape names the model in its answers: none is added where none was.
    const { modelMember = "model" } = call.shape;
    const isRenamed = cost.model !== call.model && modelMember in json;
    const shown = isRenamed ? withMembers(body, { [modelMember]: JSON.stringify(call.model) }) : body;
    exchange.answer(200, "application/json", shown);
  }
  return {
    ending: {
      outcome: "success",
      usage,
      note,
      ...(isEstimate && { uncounted: sampleOf(facts.text) }),
      firstContentAt: answer.answeredAt,
      upstreamCompletedAt: completedAt,
    },
  };
}

function usedByWhole(call: Call, { usage, text, pictures = 0 }: AnswerFacts, rates: Rates): Used {
  const textBytes = Buffer.byteLength(text);
  if (call.shape.used) return call.shape.used(call, usage, { textBytes, pictures }, rates);
  const output = Math.ceil(textBytes / bytesPerToken);
  return chargeable(usage, { ...noUsage, input: call.promptEstimate, output });
}

const balanceGone: Refusal = {
  status: 403,
  type: "insufficient_quota",
  code: "streaming_billing_failed",
  message: "The balance ran out while the answer was streaming",
};

/** One stream on its way through: whole events only, each at once, at the caller's pace. */
class StreamAnswer {
  readonly #exchange: Exchange;
  readonly #answer: UpstreamAnswer;
  readonly #call: Call;
  readonly #translator: AnswerTranslator | undefined;
  readonly #lost: readonly string[];
  readonly #splitter: Splitter;
  readonly #read: ReadEvent;
  #arrived: Buffer[] = [];
  readonly #rates: Rates;
  /** The model that the caller asked for, where the channel maps it to another. */
  readonly #shownModel: string | undefined;
  /** Events from before the first content: until they are sent another channel can still take over. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #hasStarted = false;
  #hasDone = false;
  #hasFinished = false;
  /** Events that nobody could have read. */
  #dropped = 0;
  #isDone = false;
  #contentEvents = 0;
  #textBytes = 0;
  readonly #words = new TextSample();
  #pictures = 0;
  #usage: ReadUsage | undefined;
  #firstContentAt = 0;
  #resolve: (responded: Responded) => void = () => undefined;

  constructor(
    exchange: Exchange,
    answer: UpstreamAnswer,
    { call, translator, lost }: Way,
    { model, price }: Cost,
    splitter: Splitter,
  ) {
    this.#splitter = splitter;
    this.#exchange = exchange;
    this.#answer = answer;
    this.#call = call;
    this.#translator = translator;
    this.#lost = lost;
    this.#read = call.shape.events(call);
    this.#rates = price.rates;
    this.#shownModel = model === call.model ? undefined : call.model;
  }

  run(meters: (meter: Meter) => void): Promise<Responded> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      meters({ usage: () => this.#used().usage, stop: () => this.#stop() });
      this.#exchange.keepAlive(beatAfterAnswerMs);
      this.#exchange.onLeave(() => {
        this.#end("client_left");
        this.#answer.abort("the client left");
      });
      this.#answer.read({
        data: (chunk) => this.#data(chunk),
        end: () => this.#upstreamEnded(endedEarly),
        error: (error) => this.#upstreamEnded(reasonOf(error)),
      });
    });
  }

  /** One read of the socket often brings several chunks: they are looked at and written together, in the same turn. */
  #data(chunk: Buffer): void {
    if (this.#isDone) return;
    if (this.#arrived.push(chunk) === 1) queueMicrotask(() => this.#take());
  }

  #take(): void {
    const [only] = this.#arrived;
    if (this.#isDone || !only) return;
    const chunk = this.#arrived.length === 1 ? only : Buffer.concat(this.#arrived);
    this.#arrived = [];
    try {
      this.#pass(this.#splitter.push(chunk));
    } catch (error) {
      if (!(error instanceof StreamDamaged)) throw error;
      this.#pass(error.before);
      this.#upstreamEnded(error.message);
      this.#answer.abort(error.message);
    }
  }

  #pass({ bytes, ends }: Cut): void {
    const parts: (Buffer | string)[] = [];
    let written = 0;
    let start = 0;
    for (const end of ends) {
      const event = bytes.toString("utf8", start, end);
      const facts = this.#read(event);
      if (facts.kind === "error") {
        this.#failed(facts.error, joined(parts, bytes.subarray(written, start)));
        return;
      }
      const shown = this.#see(event, facts);
      if (shown !== event) {
        parts.push(bytes.subarray(written, start), shown);
        written = end;
      }
      start = end;
      // What comes after the end is nobody's, whichever piece it came in.
      if (this.#hasDone) break;
    }
    this.#write(joined(parts, bytes.subarray(written, start)));
    if (this.#hasDone) this.#complete();
  }

  /** Takes note of an event and answers what the caller gets to see of it. */
  #see(event: string, facts: EventFacts): string {
    this.#count(facts.textBytes);
    if (facts.text !== undefined) this.#words.push(facts.text);
    this.#pictures += facts.pictures ?? 0;
    if (facts.kind === "damaged") {
      this.#dropped += 1;
      return "";
    }
    if (facts.kind === "done") this.#hasDone = true;
    if (facts.isLast) this.#hasFinished = true;
    if (facts.usage) this.#usage = facts.usage;
    if (this.#translator) return this.#translator.event(event);
    return facts.isHidden ? "" : this.#rename(event);
  }

  #count(textBytes: number): void {
    if (textBytes === 0) return;
    this.#contentEvents += 1;
    this.#textBytes += textBytes;
    if (this.#firstContentAt === 0) this.#firstContentAt = Date.now();
  }

  #rename(event: string): string {
    return this.#shownModel === undefined ? event : withModel(event, this.#shownModel, this.#call.shape.modelMember);
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (!this.#hasStarted && this.#contentEvents === 0 && !this.#hasDone && this.#earlyBytes < earlyBytesMax) {
      this.#early.push(bytes);
      this.#earlyBytes += bytes.length;
      return;
    }
    this.#hasStarted = true;
    const due = joined(this.#early, bytes);
    this.#early = [];
    this.#exchange.openStream(this.#lost);
    if (!this.#exchange.write(due, () => this.#answer.resume())) this.#answer.pause();
  }

  /** The terminator is ours to give where the upstream forgot it: clients wait for it. */
  #complete(): void {
    const missing = this.#hasDone ? "" : this.#call.shape.terminator;
    this.#exchange.openStream(this.#lost);
    this.#exchange.endStream(joined(this.#early, Buffer.from(this.#translator?.end() ?? missing)));
    this.#end("success");
  }

  #upstreamEnded(reason: string): void {
    this.#take();
    if (reason === endedEarly && !this.#isDone) this.#pass(this.#splitter.end());
    if (this.#isDone) return;
    if (this.#hasFinished && reason === endedEarly) this.#complete();
    else if (!this.#hasStarted) this.#giveUp(brokenUpstream(reason));
    else {
      const message = "The upstream cut the stream before it was complete";
      this.#exchange.endStreamWith({ status: 502, type: "upstream_error", code: "upstream_cut", message });
      this.#end("cut", reason);
    }
  }

  /** The upstream says inside its stream that it failed: before any content another channel may still answer. */
  #failed(error: unknown, before: Buffer): void {
    const { message, type, code } = (typeof error === "object" ? error : { message: error }) as Record<string, unknown>;
    const cleaned = (words: string): string => wordsWithout(words, ...this.#answer.secrets);
    const said = typeof message === "string" ? cleaned(message) : "no reason given";
    const refusal: Refusal = {
      status: 502,
      type: typeof type === "string" ? cleaned(type) : "upstream_error",
      code: typeof code === "string" ? cleaned(code) : typeof code === "number" ? code : null,
      message: said,
    };
    if (this.#hasStarted) {
      this.#write(before);
      this.#exchange.endStreamWith(refusal);
      this.#end("cut", said);
    } else {
      this.#giveUp({ status: this.#answer.status, isRetryable: true, reason: `error in stream: ${said}`, refusal });
    }
    this.#answer.abort("the upstream failed inside its stream");
  }

  #stop(): void {
    if (this.#isDone) return;
    this.#exchange.endStreamWith(balanceGone);
    this.#end("quota_ran_out");
    this.#answer.abort("the balance ran out");
  }

  #giveUp(trouble: Trouble): void {
    this.#isDone = true;
    this.#exchange.onLeave(undefined);
    this.#resolve({ trouble });
  }

  #end(outcome: Outcome, reason = ""): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#exchange.onLeave(undefined);
    const { usage, note, isEstimate } = this.#used();
    const dropped = this.#dropped > 0 ? `${this.#dropped} damaged events were left out` : "";
    const isFree = this.#contentEvents === 0 && this.#usage === undefined && outcome !== "success";
    this.#resolve({
      ending: {
        outcome,
        usage: isFree ? noUsage : usage,
        note: [reason, note, dropped].filter((part) => part !== "").join("; "),
        ...(isEstimate && !isFree && { uncounted: this.#words.read() }),
        firstContentAt: this.#firstContentAt,
        upstreamCompletedAt: outcome === "success" ? Date.now() : 0,
      },
    });
  }

  #used(): Used {
    const { shape, promptEstimate: input } = this.#call;
    const seen: Seen = { textBytes: this.#textBytes, pictures: this.#pictures };
    if (shape.used) return shape.used(this.#call, this.#usage, seen, this.#rates);
    const output = estimateOutputTokens(this.#contentEvents, this.#textBytes);
    return chargeable(this.#usage, { ...noUsage, input, output });
  }
}
