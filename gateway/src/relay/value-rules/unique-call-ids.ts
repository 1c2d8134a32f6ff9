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
const numberCalls =
  (places: IdPlaces) =>
  (body: JsonRecord): JsonRecord => {
    const used = new Set<string>();
    /** Ids that are sent, by the client's, of calls whose results have not come. */
    const open = new Map<string, string[]>();
    let isChanged = false;
    const numbered = (block: JsonRecord): JsonRecord => {
      const called = places.called(block);
      const own = called || places.answered(block);
      if (own === "") return block;
      const sent = called === "" ? (open.get(own)?.shift() ?? own) : findFreeId(own, used);
      if (called !== "") {
        used.add(sent);
        open.set(own, [...(open.get(own) ?? []), sent]);
      }
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
