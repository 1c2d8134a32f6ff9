/**
 * Conversations in the order and form that providers demand: results beside their calls, no empty
 * turns. Pure.
 */
import { isRecord, type JsonRecord, records, text } from "../wire/json-parts.ts";
import type { ValueRule } from "./value-rule.ts";

/**
 * `MessageAccess` says how a message of chat completions is read and made, whatever it is wrapped
 * in.
 */
export interface MessageAccess<Message> {
  json(message: Message): JsonRecord;
  make(json: JsonRecord, instead?: Message): Message;
}

const plain: MessageAccess<JsonRecord> = { json: (message) => message, make: (json) => json };

const callIds = ({ role, tool_calls }: JsonRecord): string[] =>
  role === "assistant" ? records(tool_calls).map(({ id }) => text(id)) : [];

const noResult = "The call has no result.";

/**
 * `arePaired` says whether every call has one result right after it, in the order of the calls, and
 * no result lacks its call.
 */
export function arePaired<Message>(
  messages: readonly Message[],
  { json }: Pick<MessageAccess<Message>, "json">,
): boolean {
  let open: string[] = [];
  for (const message of messages) {
    const one = json(message);
    if (one.role === "tool") {
      if (open.shift() !== text(one.tool_call_id)) return false;
    } else {
      if (open.length > 0) return false;
      open = callIds(one);
    }
  }
  return open.length === 0;
}

/** A result that names no call answers the oldest one before it that has none. */
function nameAnswered(rows: readonly JsonRecord[]): JsonRecord[] {
  const answered = new Set(rows.map(({ tool_call_id }) => text(tool_call_id)));
  let open: string[] = [];
  return rows.map((row) => {
    open.push(...callIds(row).filter((id) => id !== "" && !answered.has(id)));
    if (row.role !== "tool" || text(row.tool_call_id) !== "") return row;
    const [oldest, ...others] = open;
    open = others;
    return oldest === undefined ? row : { ...row, tool_call_id: oldest };
  });
}

/**
 * Each call followed by its result. A result that stands further on is pulled up, the last of
 * several counts, a missing one is made up, and one without a call becomes words of the user.
 */
export function pairResults<Message>(
  messages: readonly Message[],
  access: MessageAccess<Message>,
): Message[] {
  if (arePaired(messages, access)) return [...messages];
  const used = new Set<number>();
  const rows = nameAnswered(messages.map((message) => access.json(message)));
  const resultAfter = (at: number, id: string): number => {
    // An id that a later turn uses again begins there anew.
    const next = rows.findIndex((row, index) => index > at && callIds(row).includes(id));
    const until = next < 0 ? rows.length : next;
    return rows.findLastIndex(
      (row, index) =>
        index > at && index < until && row.role === "tool" && text(row.tool_call_id) === id,
    );
  };
  const paired: Message[] = [];
  const results = new Map<number, Message[]>();
  for (const [at, row] of rows.entries()) {
    const ids = [...new Set(callIds(row))];
    if (ids.length === 0) continue;
    results.set(
      at,
      ids.map((id) => {
        const found = resultAfter(at, id);
        const message = messages[found];
        if (message === undefined)
          return access.make({ role: "tool", tool_call_id: id, content: noResult });
        for (const [index, one] of rows.entries())
          if (index > at && index <= found && one.role === "tool" && text(one.tool_call_id) === id)
            used.add(index);
        const row = rows[found];
        return row === undefined || row === access.json(message)
          ? message
          : access.make(row, message);
      }),
    );
  }
  for (const [at, message] of messages.entries()) {
    const row = rows[at] ?? {};
    if (row.role === "tool") {
      if (!used.has(at))
        paired.push(access.make({ role: "user", content: row.content ?? "" }, message));
    } else paired.push(message, ...(results.get(at) ?? []));
  }
  return paired;
}

export const pairMessageResults = (body: JsonRecord): JsonRecord => {
  const messages = records(body.messages);
  return arePaired(messages, plain) ? body : { ...body, messages: pairResults(messages, plain) };
};

/** OpenAI's limit of `messages[].tool_calls`. */
const callsMax = 128;
export const hasTooManyCalls = (messages: unknown): boolean =>
  records(messages).some(({ tool_calls }) => records(tool_calls).length > callsMax);

/** Turns of at most so many calls, each with its results right behind it. */
export const splitCalls = (body: JsonRecord): JsonRecord => ({
  ...body,
  messages: groupTurns(records(body.messages)).flatMap(splitTurn),
});

/** Each message with the results behind it. */
function groupTurns(messages: readonly JsonRecord[]): JsonRecord[][] {
  const turns: JsonRecord[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn && message.role === "tool") turn.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** What the turn says beside its calls stays in the first part. */
function splitTurn([said = {}, ...results]: readonly JsonRecord[]): JsonRecord[] {
  const calls = records(said.tool_calls);
  if (calls.length <= callsMax) return [said, ...results];
  const parts = Array.from({ length: Math.ceil(calls.length / callsMax) }, (_, part) =>
    calls.slice(part * callsMax, (part + 1) * callsMax),
  );
  return parts.flatMap((part, at) => {
    const ids = new Set(part.map(({ id }) => id));
    return [
      { ...(at === 0 ? said : { role: said.role, content: null }), tool_calls: part },
      ...results.filter(({ tool_call_id }) => ids.has(tool_call_id)),
    ];
  });
}

/**
 * `pairItemResults` does the same for the items of Responses, whose results may stand anywhere
 * after their calls.
 */
export function pairItemResults(body: JsonRecord): JsonRecord {
  if (!Array.isArray(body.input)) return body;
  const items = records(body.input);
  const resultType = (type: unknown): boolean =>
    /^(?:function|custom_tool)_call_output$/.test(text(type));
  const callType = (type: unknown): boolean => /^(?:function|custom_tool)_call$/.test(text(type));
  const called = new Set(items.flatMap((item) => (callType(item.type) ? [item.call_id] : [])));
  const answered = new Set(items.flatMap((item) => (resultType(item.type) ? [item.call_id] : [])));
  const isWhole = called.size === answered.size && [...called].every((id) => answered.has(id));
  if (isWhole || body.previous_response_id != null || body.conversation != null) return body;
  const input = items.flatMap((item): JsonRecord[] => {
    if (resultType(item.type) && !called.has(item.call_id))
      return [
        {
          role: "user",
          content: typeof item.output === "string" ? item.output : JSON.stringify(item.output),
        },
      ];
    if (!callType(item.type) || answered.has(item.call_id)) return [item];
    return [item, { type: `${text(item.type)}_output`, call_id: item.call_id, output: noResult }];
  });
  return { ...body, input };
}

/**
 * `demandUserFirst` is a rule of APIs whose conversations begin with the user. `said` is what the
 * turn that is added has beside its role, as the API writes it.
 */
export const demandUserFirst = (
  said: JsonRecord,
  isRefused = (first: JsonRecord | undefined): boolean => first?.role !== "user",
) =>
  ({
    refuses: (value) => Array.isArray(value) && isRefused(records(value)[0]),
    refused: "a first message that is not the user's",
    fit: {
      do: "convert",
      words: "a turn of the user before it",
      by: (value) => [{ role: "user", ...said }, ...records(value)],
    },
  }) satisfies Partial<ValueRule>;

/** `joinSystems` gives one message of the system, at the start. */
export function joinSystems(body: JsonRecord): JsonRecord {
  const messages = records(body.messages);
  const isSystem = ({ role }: JsonRecord): boolean => role === "system" || role === "developer";
  const at = messages.flatMap((message, index) => (isSystem(message) ? [index] : []));
  if (at.length === 0 || (at.length === 1 && at[0] === 0)) return body;
  const words = messages.filter(isSystem).map(({ content }) => joinWords(content));
  return {
    ...body,
    messages: [
      { role: "system", content: words.join("\n\n") },
      ...messages.filter((one) => !isSystem(one)),
    ],
  };
}

/** `joinWords` gives the texts of a message of chat completions as one. */
export const joinWords = (content: unknown): string =>
  typeof content === "string"
    ? content
    : records(content)
        .map((part) => text(part.text))
        .join("\n\n");

/** Stands for a turn that must be there and has nothing to say. */
export const noContent = "(no content)";

const isBlank = (value: unknown): boolean => typeof value === "string" && value.trim() === "";

const keepSpoken = (content: readonly unknown[]): unknown[] =>
  content.filter((block) => !(isRecord(block) && block.type === "text" && isBlank(block.text)));

/** A result may be empty, and its texts may not. */
function removeBlankResults(block: unknown): unknown {
  if (!isRecord(block) || block.type !== "tool_result" || !Array.isArray(block.content))
    return block;
  const kept = keepSpoken(block.content as unknown[]);
  return kept.length === block.content.length ? block : { ...block, content: kept };
}

/**
 * `removeBlankTexts` removes blank texts, which Anthropic refuses; a turn of which nothing is left
 * says so.
 */
export function removeBlankTexts(body: JsonRecord): JsonRecord {
  let isChanged = false;
  const messages = records(body.messages).map((message) => {
    if (isBlank(message.content)) {
      isChanged = true;
      return { ...message, content: noContent };
    }
    if (!Array.isArray(message.content)) return message;
    const content = message.content as unknown[];
    const kept = keepSpoken(content).map(removeBlankResults);
    if (kept.length > 0 && content.every((block, at) => block === kept[at])) return message;
    isChanged = true;
    return { ...message, content: kept.length > 0 ? kept : [{ type: "text", text: noContent }] };
  });
  return isChanged ? { ...body, messages } : body;
}
