/**
 * The common parts of formats about replies: how providers reply to calls for a stream or a whole
 * reply, facts of an event.
 */
import type { JsonRecord } from "../wire/json-parts.ts";
import type { ReplyFacts, ReplyStrategy, WrittenEvent } from "./api-format.ts";
import type { WrittenOutput } from "./usage/written-output.ts";

/** Events for a call for a stream, JSON for any other. */
export const streamOrJson: ReplyStrategy = {
  accept: (isStream) => (isStream ? "text/event-stream" : "application/json"),
};

/** Events for a call for a stream, audio or text in any format for any other. */
export const streamOrAnyMedia: ReplyStrategy = {
  accept: (isStream) => (isStream ? "text/event-stream" : "*/*"),
};

/** The provider never streams: a whole reply becomes the only event of a stream. */
export const wholeReply: ReplyStrategy = {
  accept: () => "application/json",
  streamFromReply: (json: JsonRecord) => `data: ${JSON.stringify(json)}\n\n`,
};

/**
 * Claude may end its turn in silence, which it counts with two or three tokens
 * (platform.claude.com, "Handling stop reasons").
 */
const silentTokensMax = 3;

/**
 * `isEmptyTurn` says whether a turn that ended by itself has nothing in it: no answer, and another
 * channel may give one.
 */
export const isEmptyTurn = (parts: readonly unknown[], outputTokens: unknown): boolean =>
  parts.length === 0 &&
  !(typeof outputTokens === "number" && outputTokens > 0 && outputTokens <= silentTokensMax);

const ignoredEvent: WrittenEvent = { kind: "other", textBytes: 0 };

/** Facts of an event that carries `text`; an event without text carries no facts. */
export const buildTextFacts = (text: string): WrittenEvent =>
  text === "" ? ignoredEvent : { kind: "content", textBytes: text.length, text };

/** Facts of an event from what it carries in any member. */
export function buildWrittenFacts(written: WrittenOutput): WrittenEvent {
  const { text, opaqueLength } = written;
  const extras = buildWrittenExtras(written);
  if (text === "" && opaqueLength === 0 && !extras) return ignoredEvent;
  return {
    kind: "content",
    textBytes: text.length,
    text,
    ...(opaqueLength > 0 && { opaqueLength }),
    ...(extras && { extras }),
  };
}

/** `buildWrittenReply` does the same of a whole reply. */
export function buildWrittenReply(written: WrittenOutput): Omit<ReplyFacts, "usage"> {
  const { text, opaqueLength } = written;
  const extras = buildWrittenExtras(written);
  return { text, ...(opaqueLength > 0 && { opaqueLength }), ...(extras && { extras }) };
}

function buildWrittenExtras({ output_audio, output_image }: WrittenOutput): WrittenEvent["extras"] {
  if (output_audio + output_image === 0) return undefined;
  return { ...(output_audio > 0 && { output_audio }), ...(output_image > 0 && { output_image }) };
}
