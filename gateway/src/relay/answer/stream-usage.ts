/** The usage of a stream so far, as its events tell, and its cost. */

import type { HoldReach } from "../../money/holds/hold-reach.ts";
import { type ExtraUsage, extraBuckets, noUsage, type Price } from "../../money/prices/price.ts";
import type { ServedTerms } from "../../money/prices/price-factors.ts";
import { TextSample } from "../counting/text-sample.ts";
import type {
  CallFormats,
  DeliveredOutput,
  StreamEventFacts,
  WrittenEvent,
} from "../formats/api-format.ts";
import type { AskedSize, RoutingNeeds, SentBody } from "../formats/call-parts.ts";
import { estimateOutputTokens } from "../formats/hold-size/token-estimate.ts";
import { holdsSignedReasoning } from "../formats/rejected-reasoning.ts";
import {
  buildChargedUsage,
  type ChargedUsage,
  formatUsageNote,
  type ReportedUsage,
  type UsageLimits,
} from "../formats/usage/reported-usage.ts";
import { buildUsageDetails } from "../formats/usage/usage-details.ts";
import { buildUsageLimits } from "../formats/usage/usage-limits.ts";
import { computeOpaqueTokens } from "../formats/usage/written-output.ts";
import type { CallOutcome, CallResult, UpstreamPrice } from "./call-result.ts";
import { buildUncounted } from "./counted-usage.ts";

export class StreamUsage {
  readonly #call: AskedSize & RoutingNeeds & SentBody & CallFormats;
  readonly #price: Price;
  readonly #limits: UsageLimits;
  /** Events that no client could have parsed. */
  #malformedEvents = 0;
  #hasDone = false;
  #hasFinished = false;
  /** A reason to end came, with or without words. */
  #hasReason = false;
  #contentEvents = 0;
  #textBytes = 0;
  readonly #outputSample = new TextSample();
  #opaqueLength = 0;
  #isSigned = false;
  #images = 0;
  /** Usage beside text that was delivered, as an estimate. */
  readonly #extras: ExtraUsage = {};
  #reported: ReportedUsage | undefined;
  #served: ServedTerms | undefined;
  /** `#reported` arrived with the end of the model's output, or after it. */
  #isFinal = false;
  /** Content came after `#reported`, which counts an earlier moment. */
  #isOutdated = false;
  #firstContentAt = 0;

  constructor(
    call: AskedSize & RoutingNeeds & SentBody & CallFormats,
    { price, isDistrusted = false }: UpstreamPrice,
  ) {
    this.#call = call;
    this.#price = price;
    this.#limits = buildUsageLimits(call, price, isDistrusted);
  }

  /** The stream's own end has arrived. */
  get hasDone(): boolean {
    return this.#hasDone;
  }

  /** The model's output is complete. */
  get hasFinished(): boolean {
    return this.#hasFinished;
  }

  /** The count of a complete output has arrived. */
  get isFinal(): boolean {
    return this.#isFinal && !this.#isOutdated;
  }

  /** Words came, or a reason to end without any. */
  get hasAnswer(): boolean {
    return this.hasContent || this.#hasReason;
  }

  get hasContent(): boolean {
    return this.#contentEvents > 0;
  }

  /**
   * The client has content, or the provider has counted some. Before, a stream that breaks off is
   * free.
   */
  get hasDelivered(): boolean {
    return this.hasContent || this.#reported !== undefined;
  }

  /**
   * `observeSignature` is for conversations alone, whose next call may bring what is signed here.
   */
  observeSignature(event: string): void {
    this.#isSigned ||= this.#call.conversation !== undefined && holdsSignedReasoning(event);
  }

  observe(facts: StreamEventFacts): void {
    this.#count(facts);
    if (facts.kind === "malformed") {
      this.#malformedEvents += 1;
      return;
    }
    if (facts.kind === "done") this.#hasDone = true;
    if (facts.isLast) {
      this.#hasFinished = true;
      if (facts.badEnd !== "empty") this.#hasReason = true;
    }
    if (facts.usage) {
      this.#reported = facts.usage;
      this.#isFinal = this.#hasFinished;
      this.#isOutdated = false;
    }
    if (facts.served) this.#served = facts.served;
  }

  #count({ kind, textBytes, text, opaqueLength = 0, images = 0, extras }: WrittenEvent): void {
    if (kind !== "content" && textBytes === 0) return;
    this.#contentEvents += 1;
    this.#isOutdated = true;
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

  deliveredTokens(): number {
    return (
      estimateOutputTokens(this.#contentEvents, this.#textBytes) +
      computeOpaqueTokens(this.#opaqueLength)
    );
  }

  /** Compares two numbers at each event; a growing hold delays no event that it still covers. */
  hasPassed(reach: HoldReach): boolean {
    const delivered = this.deliveredTokens();
    if (delivered > reach.tokens) return true;
    // An answer within its stated limit was covered as a whole before it began.
    const { maxOutputTokens = 0, choiceCount } = this.#call;
    if (delivered > reach.growFrom && delivered > maxOutputTokens * choiceCount) void reach.grow();
    return false;
  }

  /**
   * The usage so far; a stream that has ended well has no later count, but may have none of its
   * end.
   */
  charged(isWhole: boolean): ChargedUsage {
    const { upstream, promptEstimate: input } = this.#call;
    const isPartial = this.#isOutdated || !(isWhole || this.#isFinal);
    const reported: ReportedUsage | undefined =
      this.#reported && isPartial ? { ...this.#reported, isPartial } : this.#reported;
    const delivered: DeliveredOutput = { textBytes: this.#textBytes, images: this.#images };
    if (upstream.usageFor) {
      return upstream.usageFor(this.#call, reported, delivered, this.#price.rates, this.#limits);
    }
    const output = this.deliveredTokens();
    return buildChargedUsage(
      reported,
      { ...noUsage, ...this.#extras, input, output },
      this.#limits,
    );
  }

  result(outcome: CallOutcome, reason = "", providerWords = ""): CallResult {
    const charged = this.charged(outcome === "success");
    const dropped =
      this.#malformedEvents > 0 ? `${this.#malformedEvents} damaged events were left out` : "";
    const isFree = !this.hasDelivered && outcome !== "success";
    return {
      outcome,
      usage: isFree ? noUsage : charged.usage,
      note: [reason, isFree ? "" : formatUsageNote(charged), dropped]
        .filter((part) => part !== "")
        .join("; "),
      ...(!isFree && { details: buildUsageDetails(charged) }),
      ...(providerWords !== "" && { providerWords }),
      ...(!isFree && buildUncounted(charged, () => this.#outputSample.read(), this.#opaqueLength)),
      ...(this.#served && { served: this.#served }),
      ...(this.#isSigned && { isSigned: true }),
      firstContentAt: this.#firstContentAt,
      upstreamCompletedAt: outcome === "success" ? Date.now() : 0,
    };
  }
}
