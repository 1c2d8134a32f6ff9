/**
 * Conversations for providers whose API has less than chat completions: text, with or without
 * roles.
 */
import { text } from "../wire/json-parts.ts";
import { readContent, readMessages } from "./chat-request.ts";
import type { FieldReader } from "./request-reader.ts";

const textTypes: readonly unknown[] = ["text", "refusal"];

/** The text of a message's content; parts of types other than `types` are reported as dropped. */
export function readText(message: FieldReader, types = textTypes): string {
  const content = readContent(message);
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (!types.includes(part.get("type"))) part.drop();
      return text(part.get("text")) || text(part.get("refusal"));
    })
    .filter((partText) => partText !== "")
    .join("\n");
}

/** The system messages as one text, and all other messages. */
export function readSystemText(request: FieldReader): {
  system: string;
  messages: FieldReader[];
} {
  const { system, messages } = readMessages(request);
  const texts = system
    .map((message) => readText(message))
    .filter((systemText) => systemText !== "");
  return { system: texts.join("\n\n"), messages };
}

/** Merges consecutive items that `join` can merge, for providers that require alternating roles. */
export function mergeNeighbours<Message>(
  messages: readonly Message[],
  join: (first: Message, second: Message) => Message | undefined,
): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const both = last === undefined ? undefined : join(last, message);
    if (both === undefined) merged.push(message);
    else merged[merged.length - 1] = both;
  }
  return merged;
}

/** The text of the user's last message. */
export const readLastUserText = (request: FieldReader): string =>
  request
    .objects("messages")
    .map((message) => ({ role: message.get("role"), content: readText(message, ["text"]) }))
    .findLast(({ role }) => role === "user")?.content ?? "";
