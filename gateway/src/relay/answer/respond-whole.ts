/** Delivers a reply that is one JSON object. */

import { noUsage } from "../../money/prices/price.ts";
import { sampleText } from "../counting/text-sample.ts";
import type { CallNotes, ReplyToClient, StreamToClient } from "../exchange-parts.ts";
import type { CallFormats, ReplyFacts } from "../formats/api-format.ts";
import type { AskedSize, SentBody } from "../formats/call-parts.ts";
import { holdsSignedReasoning } from "../formats/rejected-reasoning.ts";
import { readEvents, splitEvents } from "../formats/stream-as-whole.ts";
import {
  buildChargedUsage,
  type ChargedUsage,
  formatUsageNote,
} from "../formats/usage/reported-usage.ts";
import { buildUsageDetails } from "../formats/usage/usage-details.ts";
import { buildUsageLimits } from "../formats/usage/usage-limits.ts";
import { computeOpaqueTokens } from "../formats/usage/written-output.ts";
import type { StateKeeper } from "../provider-states/provider-states.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import type { AnswerBody, AnswerHead } from "../upstream/answer-parts.ts";
import { answerError } from "../upstream/forward.ts";
import {
  buildConnectionFailed,
  buildErrorInBody,
  findErrorInAnswer,
  type UpstreamError,
} from "../upstream/upstream-error.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { addMembers } from "../wire/json-spans.ts";
import type { CallResult, RespondResult, UpstreamPrice } from "./call-result.ts";
import { buildUncounted } from "./counted-usage.ts";
import { idsNotStored, idsNotStoredRefusal } from "./ids-not-stored.ts";
import { buildClientLeftResult } from "./respond-passthrough.ts";
import { findBadEnd } from "./stray-errors.ts";
import { tellCost, withCost } from "./told-cost.ts";

const afterBlankLine = /(?<=\n\n)/;
const answerMax = 64 * 1024 * 1024;
const bytesPerToken = 4;

export async function respondWhole(
  exchange: CallNotes & ReplyToClient & StreamToClient,
  answer: AnswerHead & AnswerBody,
  { call, translator, dropped, keeper }: UpstreamPlan,
  cost: UpstreamPrice,
): Promise<RespondResult> {
  let body: Buffer;
  let json: unknown;
  let badEnd: UpstreamError | undefined;
  try {
    body = await answer.readAll(answerMax);
    // Clients that read such an answer themselves drop a byte order mark; the parser does not.
    const parsed =
      splitEvents(body) ?? (JSON.parse(body.toString("utf8").replace(/^\uFEFF/, "")) as unknown);
    // A list has the events of a stream as well: Google sends them so to requests without
    // `alt=sse`.
    const events = Array.isArray(parsed) ? parsed.map(writeEvent) : undefined;
    json = events ? call.upstream.replies.replyFromStream?.(readEvents(events)) : parsed;
    if (events && json !== undefined) body = Buffer.from(JSON.stringify(json));
    badEnd = events && findBadEnd(call, events);
  } catch (error) {
    if (exchange.hasClientLeft) return { result: buildClientLeftResult() };
    return {
      error: answerError(error as Error, answer.bytesReceived, "the answer is not whole JSON"),
    };
  }
  if (badEnd) return { error: badEnd };
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return { error: buildConnectionFailed("the answer is not a JSON object") };
  }
  const completedAt = Date.now();
  const failure = call.upstream.errorIn?.(json as JsonRecord, call);
  if (failure) return { error: buildErrorInBody(failure) };
  const facts = call.upstream.readReply(json as JsonRecord);
  if (!facts)
    return {
      error:
        findErrorInAnswer(body) ?? buildConnectionFailed("the reply is not in the expected format"),
    };
  // Nobody could tell which inputs the vectors belong to.
  if (facts.vectorCount !== undefined && facts.vectorCount < (call.vectorCount ?? 0))
    return { error: buildConnectionFailed("the answer has fewer vectors than inputs") };
  const charged = buildUsageOfWhole(call, facts, cost);
  // A translated list of embeddings shows the estimate as its usage: the charge is what the client
  // reads.
  const statesEstimate = translator !== undefined && facts.usage === undefined && facts.text === "";
  const result: CallResult = {
    outcome: "success",
    usage: charged.usage,
    note: formatUsageNote(charged),
    details: buildUsageDetails(charged),
    ...(!statesEstimate &&
      buildUncounted(charged, () => sampleText(facts.text), facts.opaqueLength)),
    ...(facts.served && { served: facts.served }),
    ...(call.conversation && holdsSignedReasoning(body) && { isSigned: true }),
    firstContentAt: answer.answeredAt,
    upstreamCompletedAt: completedAt,
  };
  if (keeper && !(await haveIdsBeenKept(keeper, json as JsonRecord))) {
    exchange.refuse(idsNotStoredRefusal);
    const note = [idsNotStored, result.note].filter((part) => part !== "").join("; ");
    return { result: { ...result, outcome: "cut", note } };
  }
  // What a tokenizer must count first is not known yet.
  if (!call.isStream && !result.uncounted) exchange.learn({ charge: cost.chargeOf?.(result) });
  const units = call.wantsCost ? cost.chargeOf?.(result) : undefined;
  const events = call.isStream
    ? call.upstream.replies.streamFromReply?.(json as JsonRecord, call.wantsUsage)
    : undefined;
  if (events !== undefined) {
    const translated = translator
      ? events
          .split(afterBlankLine)
          .map((event) => translator.translateEvent(event))
          .join("") + translator.finish()
      : events;
    exchange.openStream(dropped);
    exchange.endStream(
      Buffer.from(units === undefined ? translated : tellCost(translated, () => units)),
    );
  } else if (translator) {
    const reply = translator.translateReply(json as JsonRecord);
    const shown = units !== undefined && isRecord(reply) ? withCost(reply, units) : reply;
    exchange.answer(200, "application/json", Buffer.from(JSON.stringify(shown)), dropped);
  } else {
    // Not every format names the model in its replies: none is added where there is none.
    const { modelField = "model" } = call.upstream;
    const isRenamed = cost.model !== call.model && modelField in json;
    const changed = {
      ...(isRenamed && { [modelField]: JSON.stringify(call.model) }),
      ...(units !== undefined &&
        facts.usage && { usage: JSON.stringify(withCost(json as JsonRecord, units).usage) }),
    };
    const shown = Object.keys(changed).length > 0 ? addMembers(body, changed) : body;
    exchange.answer(200, "application/json", shown, dropped);
  }
  return { result };
}

const writeEvent = (event: unknown): string =>
  typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`;

async function haveIdsBeenKept(keeper: StateKeeper, json: JsonRecord): Promise<boolean> {
  const ids = keeper.inReply(json);
  if (ids.length === 0) return true;
  return await keeper.keep(ids).then(
    () => true,
    () => false,
  );
}

function buildUsageOfWhole(
  call: AskedSize & SentBody & CallFormats,
  facts: ReplyFacts,
  { price, isDistrusted = false }: UpstreamPrice,
): ChargedUsage {
  const { usage, text, opaqueLength = 0, extras = {}, images = 0 } = facts;
  const textBytes = Buffer.byteLength(text);
  const limits = buildUsageLimits(call, price, isDistrusted);
  if (call.upstream.usageFor)
    return call.upstream.usageFor(call, usage, { textBytes, images }, price.rates, limits);
  const output = Math.ceil(textBytes / bytesPerToken) + computeOpaqueTokens(opaqueLength);
  return buildChargedUsage(
    usage,
    { ...noUsage, ...extras, input: call.promptEstimate, output },
    limits,
  );
}
