/** Answers that are no JSON: sound goes through as it comes, plain text is taken whole. */
import { noUsage, type Rates } from "../money/price.ts";
import type { Exchange } from "./exchange.ts";
import { reasonOf, type UpstreamAnswer } from "./forward.ts";
import type { Ending, Meter, Outcome, Responded } from "./respond.ts";
import type { Call } from "./shapes/shape.ts";
import { sampleOf } from "./text-sample.ts";
import { brokenUpstream } from "./trouble.ts";
import { chargeable, type Used } from "./usage.ts";

/** Hours of subtitles. */
const textMax = 16 * 1024 * 1024;
const usualType = "application/octet-stream";

export const leftEarly = (): Ending => ({
  outcome: "client_left",
  usage: noUsage,
  note: "the client left before the upstream answered",
  firstContentAt: 0,
  upstreamCompletedAt: 0,
});

/** Nobody tells in such an answer what it used. */
const usedBy = (call: Call, textBytes: number, rates: Rates): Used =>
  call.shape.used?.(call, undefined, { textBytes, pictures: 0 }, rates) ??
  chargeable(undefined, { ...noUsage, input: call.promptEstimate });

/** The provider's bytes at the caller's pace. Until the first of them another channel can take over. */
export function respondBytes(
  exchange: Exchange,
  answer: UpstreamAnswer,
  call: Call,
  rates: Rates,
  meters: (meter: Meter) => void,
): Promise<Responded> {
  const { "content-type": type = usualType, "content-length": length } = answer.headers;
  let bytes = 0;
  let firstAt = 0;
  let isDone = false;
  return new Promise((resolve) => {
    const close = (responded: Responded): void => {
      isDone = true;
      exchange.onLeave(undefined);
      resolve(responded);
    };
    const end = (outcome: Outcome, reason: string): void => {
      const { usage, note, isEstimate }: Used = bytes > 0 ? usedBy(call, bytes, rates) : { usage: noUsage, note: "" };
      const upstreamCompletedAt = outcome === "success" ? Date.now() : 0;
      const told = [reason, note].filter((part) => part !== "").join("; ");
      const uncounted = isEstimate && { uncounted: sampleOf("") };
      close({ ending: { outcome, usage, note: told, ...uncounted, firstContentAt: firstAt, upstreamCompletedAt } });
    };
    const broke = (reason: string): void => {
      if (isDone) return;
      if (bytes === 0) close({ trouble: brokenUpstream(reason) });
      else {
        end("cut", reason);
        exchange.cutOff();
      }
    };

    meters({
      usage: () => (bytes > 0 ? usedBy(call, bytes, rates).usage : noUsage),
      stop: () => {
        if (isDone) return;
        end("quota_ran_out", "");
        exchange.cutOff();
        answer.abort("the balance ran out");
      },
    });
    exchange.onLeave(() => {
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
        if (bytes === 0) broke("the answer is empty");
        else if (!isDone) {
          exchange.endStream();
          end("success", "");
        }
      },
      error: (error) => broke(reasonOf(error)),
    });
  });
}

export async function respondText(
  exchange: Exchange,
  answer: UpstreamAnswer,
  call: Call,
  rates: Rates,
): Promise<Responded> {
  let body: Buffer;
  try {
    body = await answer.whole(textMax);
  } catch (error) {
    if (exchange.hasLeft) return { ending: leftEarly() };
    return { trouble: brokenUpstream(`the answer is not whole (${reasonOf(error as Error)})`) };
  }
  const upstreamCompletedAt = Date.now();
  const text = body.toString("utf8");
  const written = call.shape.writtenIn?.(text) ?? text;
  const { usage, note, isEstimate } = usedBy(call, Buffer.byteLength(written), rates);
  exchange.answer(200, answer.headers["content-type"] ?? "text/plain; charset=utf-8", body);
  const uncounted = isEstimate && { uncounted: sampleOf(written) };
  return {
    ending: { outcome: "success", usage, note, ...uncounted, firstContentAt: answer.answeredAt, upstreamCompletedAt },
  };
}
