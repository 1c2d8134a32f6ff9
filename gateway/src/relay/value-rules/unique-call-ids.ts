/**
 * Ids of calls that are one call's alone: "tool_use ids must be unique". Some servers number the
 * calls of each turn from the beginning, and a conversation with them may go on elsewhere. Pure.
 */
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";

/** `IdPlaces` says where a block of a conversation has the id of a call, and of a result. */
interface IdPlaces {
  called(block: JsonRecord): string;
  answered(block: JsonRecord): string;
  write(block: JsonRecord, id: string): JsonRecord;
}

const inMessages: IdPlaces = {
  called: ({ type, id }) => (type === "tool_use" ? text(id) : ""),
  answered: ({ type, tool_use_id }) => (type === "tool_result" ? text(tool_use_id) : ""),
  write: (block, id) =>
    block.type === "tool_use" ? { ...block, id } : { ...block, tool_use_id: id },
};

const inConverse: IdPlaces = {
  called: ({ toolUse }) => text(record(toolUse).toolUseId),
  answered: ({ toolResult }) => text(record(toolResult).toolUseId),
  write(block, toolUseId) {
    const name = isRecord(block.toolUse) ? "toolUse" : "toolResult";
    return { ...block, [name]: { ...record(block[name]), toolUseId } };
  },
};

/** A repeated id with a number behind it, the same in every later turn. */
class CallNumbering {
  readonly #ids = new CallIds();
  /** Ids that are sent, by the client's, of calls whose results have not come. */
  readonly #open = new Map<string, string[]>();

  call(own: string): string {
    const sent = this.#ids.take(own || "call");
    this.#open.set(own, [...(this.#open.get(own) ?? []), sent]);
    return sent;
  }

  result(own: string): string {
    return this.#open.get(own)?.shift() ?? own;
  }
}

const numberCalls =
  (places: IdPlaces) =>
  (body: JsonRecord): JsonRecord => {
    const numbering = new CallNumbering();
    let isChanged = false;
    const numbered = (block: JsonRecord): JsonRecord => {
      const called = places.called(block);
      const own = called || places.answered(block);
      if (own === "") return block;
      const sent = called === "" ? numbering.result(own) : numbering.call(own);
      if (sent === own) return block;
      isChanged = true;
      return places.write(block, sent);
    };
    const messages = records(body.messages).map((message) =>
      Array.isArray(message.content)
        ? {
            ...message,
            content: (message.content as unknown[]).map((block) =>
              isRecord(block) ? numbered(block) : block,
            ),
          }
        : message,
    );
    return isChanged ? { ...body, messages } : body;
  };

/** Two calls of one turn; another turn may begin anew. */
export function numberChatCalls(body: JsonRecord): JsonRecord {
  const messages = records(body.messages);
  const isRepeated = ({ tool_calls }: JsonRecord): boolean => {
    const ids = records(tool_calls).map(({ id }) => id);
    return new Set(ids).size < ids.length;
  };
  if (!messages.some(isRepeated)) return body;
  let numbering = new CallNumbering();
  return {
    ...body,
    messages: messages.map((message) => {
      const { role, tool_calls, tool_call_id } = message;
      if (role === "tool")
        return { ...message, tool_call_id: numbering.result(text(tool_call_id)) };
      if (!Array.isArray(tool_calls)) return message;
      numbering = new CallNumbering();
      const calls = records(tool_calls).map((one) => ({
        ...one,
        id: numbering.call(text(one.id)),
      }));
      return { ...message, tool_calls: calls };
    }),
  };
}

const itemCall = /^(?:function|custom_tool)_call$/;
const itemResult = /^(?:function|custom_tool)_call_output$/;

/** Results may stand anywhere behind their calls, so that no id may come twice. */
export function numberItemCalls(body: JsonRecord): JsonRecord {
  const items = records(body.input);
  const ids = items.flatMap(({ type, call_id }) => (itemCall.test(text(type)) ? [call_id] : []));
  if (!Array.isArray(body.input) || new Set(ids).size === ids.length) return body;
  const numbering = new CallNumbering();
  return {
    ...body,
    input: items.map((item) => {
      const [type, own] = [text(item.type), text(item.call_id)];
      if (itemCall.test(type)) return { ...item, call_id: numbering.call(own) };
      return itemResult.test(type) ? { ...item, call_id: numbering.result(own) } : item;
    }),
  };
}

/** `CallIds` gives each call of one answer an id of its own, whatever its provider wrote. */
export class CallIds {
  readonly #used = new Set<string>();

  /** A call without an id has none here either. */
  take(own: string): string {
    if (own === "") return own;
    const id = findFreeId(own, this.#used);
    this.#used.add(id);
    return id;
  }
}

function findFreeId(own: string, used: ReadonlySet<string>): string {
  let id = own;
  for (let number = 2; used.has(id); number += 1) id = `${own}_${number}`;
  return id;
}

export const numberMessagesCalls = numberCalls(inMessages);
export const numberConverseCalls = numberCalls(inConverse);
