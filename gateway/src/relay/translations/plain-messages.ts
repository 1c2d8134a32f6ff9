/** Conversations for providers that know less than chat completions. */
import { type JsonRecord, records, text } from "../wire/json-parts.ts";

/** The text of a message's content; pictures and recordings stay behind. */
export const plainText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : records(content)
        .map((part) => text(part.text) || text(part.refusal))
        .filter((said) => said !== "")
        .join("\n");

const isSystem = ({ role }: JsonRecord): boolean => role === "system" || role === "developer";

/** The system prompts as one text, and everything else. */
export function splitSystem(messages: unknown): { system: string; rest: JsonRecord[] } {
  const all = records(messages);
  const system = all.filter(isSystem).map(({ content }) => plainText(content));
  return { system: system.filter((said) => said !== "").join("\n\n"), rest: all.filter((one) => !isSystem(one)) };
}

/** Neighbours become one where `joined` can make one of them: roles must alternate. */
export function mergeNeighbours<Turn>(
  messages: readonly Turn[],
  join: (first: Turn, second: Turn) => Turn | undefined,
): Turn[] {
  const kept: Turn[] = [];
  for (const message of messages) {
    const last = kept.at(-1);
    const both = last === undefined ? undefined : join(last, message);
    if (both === undefined) kept.push(message);
    else kept[kept.length - 1] = both;
  }
  return kept;
}

/** What the caller wants to know now. */
export const lastUserText = (messages: unknown): string =>
  plainText(records(messages).findLast(({ role }) => role === "user")?.content);
