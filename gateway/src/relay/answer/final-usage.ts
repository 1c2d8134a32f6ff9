/**
 * Reads on after the client left: between the end of an output and its final usage, the usage is
 * worth a moment.
 */
import { ShareLedger } from "../../limits/share-ledger.ts";
import type { StreamEventReader } from "../formats/api-format.ts";
import type { AnswerBody } from "../upstream/answer-parts.ts";
import { MalformedStream, type StreamSplit, type StreamSplitter } from "../wire/stream-splitter.ts";
import type { StreamUsage } from "./stream-usage.ts";

/** The final usage is read for this long, from this many bytes, of this many calls at once. */
const readForMs = 3_000;
const bytesMax = 64 * 1024;
const callsMax = 200;
const callsReading = new ShareLedger<number>(callsMax);

/** A stream that is no longer passed on. */
interface UnreadStream {
  /** `userId` says whose call it is. */
  userId: number;
  answer: AnswerBody;
  splitter: StreamSplitter;
  readEvent: StreamEventReader;
  usage: StreamUsage;
  /** Events that were not passed on yet. */
  waiting: StreamSplit | undefined;
  /** Bytes after them. */
  arrived: readonly Buffer[];
}

/**
 * Calls `onEnd` once `usage` is final, or will not become so. False where reading on is not worth
 * it.
 */
export function readFinalUsage(
  { userId, answer, splitter, readEvent, usage, waiting, arrived }: UnreadStream,
  onEnd: () => void,
): boolean {
  if (!usage.hasFinished || usage.isFinal || callsReading.take(userId)) return false;
  let bytesRead = 0;
  let hasEnded = false;
  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    callsReading.give(userId);
    clearTimeout(timer);
    onEnd();
  };
  const timer = setTimeout(end, readForMs);

  function observe({ bytes, ends }: StreamSplit): void {
    let start = 0;
    for (const next of ends) {
      const facts = readEvent(bytes.toString("utf8", start, next));
      start = next;
      usage.observe(facts);
      if (facts.kind === "error" || usage.hasDone) {
        end();
        return;
      }
    }
    if (usage.isFinal) end();
  }

  function push(chunk: Buffer): void {
    if (hasEnded) return;
    try {
      observe(splitter.push(chunk));
    } catch (error) {
      if (!(error instanceof MalformedStream)) throw error;
      observe(error.before);
      end();
    }
  }

  if (waiting) observe(waiting);
  for (const chunk of arrived) push(chunk);
  if (hasEnded) return true;
  answer.read({
    data(chunk) {
      bytesRead += chunk.length;
      if (bytesRead > bytesMax) end();
      else push(chunk);
    },
    end() {
      if (!hasEnded) observe(splitter.end());
      end();
    },
    error: end,
  });
  answer.resume();
  return true;
}
