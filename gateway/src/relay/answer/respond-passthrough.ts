/** Replies that are not JSON: audio passes through as it arrives, plain text is read as a whole. */

import { noUsage, type Rates } from "../../money/prices/price.ts";
import { sampleText } from "../counting/text-sample.ts";
import type { ClientPresence, ReplyToClient, StreamToClient } from "../exchange-parts.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedSize, SentBody } from "../formats/call-parts.ts";
import {
  buildChargedUsage,
  type ChargedUsage,
  formatUsageNote,
  unlimited,
} from "../formats/usage/reported-usage.ts";
import { buildUsageDetails } from "../formats/usage/usage-details.ts";
import type { AnswerBody, AnswerHead, UpstreamAnswer } from "../upstream/answer-parts.ts";
import { answerError, readErrorReason } from "../upstream/forward.ts";
import type { CallOutcome, CallResult, RespondResult, UsageMeter } from "./call-result.ts";
import { buildUncounted } from "./counted-usage.ts";

/** Hours of subtitles. */
const textMax = 16 * 1024 * 1024;
const defaultContentType = "application/octet-stream";

export const buildClientLeftResult = (): CallResult => ({
  outcome: "client_left",
  usage: noUsage,
  note: "the client left before the upstream answered",
  firstContentAt: 0,
  upstreamCompletedAt: 0,
});

/** Such a reply reports no usage. */
const buildUsage = (
  call: AskedSize & SentBody & CallFormats,
  textBytes: number,
  rates: Rates,
): ChargedUsage =>
  call.upstream.usageFor?.(call, undefined, { textBytes, images: 0 }, rates, unlimited) ??
  buildChargedUsage(undefined, { ...noUsage, input: call.promptEstimate });

/**
 * Passes the provider's bytes on at the client's pace. Until the first byte another channel can
 * take over.
 */
export function respondBytes(
  exchange: StreamToClient & ClientPresence,
  answer: UpstreamAnswer,
  call: AskedSize & SentBody & CallFormats,
  rates: Rates,
  onMeter: (meter: UsageMeter) => void,
): Promise<RespondResult> {
  const { "content-type": type = defaultContentType, "content-length": length } = answer.headers;
  let bytes = 0;
  let firstAt = 0;
  let isDone = false;
  return new Promise((resolve) => {
    const close = (responded: RespondResult): void => {
      isDone = true;
      exchange.onClientLeave(undefined);
      resolve(responded);
    };
    const end = (outcome: CallOutcome, reason: string): void => {
      const charged: ChargedUsage =
        bytes > 0 ? buildUsage(call, bytes, rates) : { usage: noUsage, marks: [] };
      const upstreamCompletedAt = outcome === "success" ? Date.now() : 0;
      const note = [reason, formatUsageNote(charged)].filter((part) => part !== "").join("; ");
      close({
        result: {
          outcome,
          usage: charged.usage,
          note,
          ...(bytes > 0 && { details: buildUsageDetails(charged) }),
          ...buildUncounted(charged, () => sampleText("")),
          firstContentAt: firstAt,
          upstreamCompletedAt,
        },
      });
    };
    const fail = (error: Error): void => {
      if (isDone) return;
      if (bytes === 0) close({ error: answerError(error, 0) });
      else {
        end("cut", readErrorReason(error));
        exchange.breakOff();
      }
    };

    onMeter({
      usage: () => (bytes > 0 ? buildUsage(call, bytes, rates).usage : noUsage),
      stop: () => {
        if (isDone) return;
        end("quota_ran_out", "");
        exchange.breakOff();
        answer.abort("the balance ran out");
      },
    });
    exchange.onClientLeave(() => {
      if (!isDone) end("client_left", "");
      answer.abort("the client left");
    });
    answer.read({
      data(chunk) {
        if (isDone || chunk.length === 0) return;
        if (bytes === 0) {
          firstAt = Date.now();
          exchange.openBytes(type, length);
        }
        bytes += chunk.length;
        if (!exchange.write(chunk, () => answer.resume())) answer.pause();
      },
      end() {
        if (bytes === 0) fail(new Error("the answer is empty"));
        else if (!isDone) {
          exchange.endStream();
          end("success", "");
        }
      },
      error: fail,
    });
  });
}

export async function respondText(
  exchange: ReplyToClient,
  answer: AnswerHead & AnswerBody,
  call: AskedSize & SentBody & CallFormats,
  rates: Rates,
): Promise<RespondResult> {
  let body: Buffer;
  try {
    body = await answer.readAll(textMax);
  } catch (error) {
    if (exchange.hasClientLeft) return { result: buildClientLeftResult() };
    return { error: answerError(error as Error, answer.bytesReceived, "the answer is not whole") };
  }
  const upstreamCompletedAt = Date.now();
  const text = body.toString("utf8");
  const written = call.upstream.replies.modelTextIn?.(text) ?? text;
  const charged = buildUsage(call, Buffer.byteLength(written), rates);
  exchange.answer(200, answer.headers["content-type"] ?? "text/plain; charset=utf-8", body);
  return {
    result: {
      outcome: "success",
      usage: charged.usage,
      note: formatUsageNote(charged),
      details: buildUsageDetails(charged),
      ...buildUncounted(charged, () => sampleText(written)),
      firstContentAt: answer.answeredAt,
      upstreamCompletedAt,
    },
  };
}
