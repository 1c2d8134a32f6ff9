/**
 * What a provider does where programs do more than ask once: it pauses, breaks off, stays silent,
 * refuses once, counts.
 */
import { type ProviderWire, streamOf, wholeOf } from "../conformance/provider-wires.ts";
import type { PausedReply, ScriptedRequest } from "../conformance/scripted-provider.ts";
import { completeReply, type FixtureReply } from "../conformance/wire-fixtures.ts";
import { playedInTask } from "./foreign-tasks.ts";

/** The first text of the fixtures of words. */
export const firstText = "The Eiffel";
const emptyReply: FixtureReply = { status: 200, headers: {}, bytes: Buffer.from("") };
const retryAfter = "1";

export interface TaskProvider {
  /**
   * A driven program asks for this path and the model's name when it has received something of its
   * stream.
   */
  signalPath: string;
  /** Forgets what was asked and told before. */
  begin(): void;
  answer(name: string, wire: ProviderWire, asked: ScriptedRequest): FixtureReply | PausedReply;
}

export function createTaskProvider(): TaskProvider {
  const signalPath = "/has-read";
  const refused = new Set<string>();
  const readers = new Map<string, PromiseWithResolvers<void>>();
  const readerOf = (model: string): PromiseWithResolvers<void> => {
    const found = readers.get(model) ?? Promise.withResolvers<void>();
    readers.set(model, found);
    return found;
  };
  const answerOf = (wire: ProviderWire, fixture: string, asked: ScriptedRequest): FixtureReply =>
    wire.isStream(asked) ? streamOf(wire, fixture) : wholeOf(wire, fixture);

  return {
    signalPath,

    begin() {
      refused.clear();
      readers.clear();
    },

    answer(name, wire, asked) {
      const model = `${name}.${wire.name}`;
      if (asked.url.startsWith(signalPath)) {
        readerOf(model).resolve();
        return emptyReply;
      }
      const played = playedInTask(name);
      switch (played) {
        case "words":
          return answerOf(wire, "words", asked);
        case "turn":
          return answerOf(wire, wire.results(asked.body).length > 0 ? "words" : "thinking", asked);
        case "held":
          return upToFirstText(streamOf(wire, "words"), asked.closed);
        case "broken":
          return upToFirstText(streamOf(wire, "broken"), readerOf(model).promise);
        case "silent":
          return { answer: wholeOf(wire, "words"), pauseAfter: 0, resume: asked.closed };
        case "busy": {
          if (refused.has(model)) return answerOf(wire, "words", asked);
          refused.add(model);
          const refusal = completeReply(wire.errors ?? wire.name, "error-429");
          return { ...refusal, headers: { ...refusal.headers, "retry-after": retryAfter } };
        }
        case "count":
          return completeReply(wire.name, "count");
        case "embeddings":
          return completeReply(
            wire.name,
            asked.body.encoding_format === "base64" ? "embeddings-base64" : "embeddings",
          );
        case "error-400":
        case "error-429":
        case "error-overloaded":
          return completeReply(wire.errors ?? wire.name, played);
        case undefined:
          throw new Error(`no task has the model ${name}`);
      }
    },
  };
}

/** The stream with its first text, and the rest when `resume` resolves. */
function upToFirstText(answer: FixtureReply, resume: Promise<void>): PausedReply {
  const text = answer.bytes.toString("latin1");
  const blankLine = /\r?\n\r?\n/g;
  blankLine.lastIndex = text.indexOf(firstText);
  blankLine.exec(text);
  return { answer, pauseAfter: blankLine.lastIndex, resume };
}
