/** The ids that an answer issues, by the API that gives it. Pure. */
import type { CallFormats } from "../formats/api-format.ts";
import type { SentBody } from "../formats/call-parts.ts";
import { creditMember } from "../formats/hold-size/unseen-inputs.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, parseObject, record, text } from "../wire/json-parts.ts";
import {
  type IssuedId,
  isKeptByProvider,
  isNamedLater,
  listIdsOfChat,
  listIdsOfItem,
  listIdsOfMessage,
  listIdsOfResponse,
  listIdsOfThread,
  listIdsOutlivingItem,
  listIdsOutlivingResponse,
} from "./state-references.ts";

/** Finds the ids in one answer. */
export interface IssuedIdReader {
  inEvent(event: string): IssuedId[];
  inReply(json: JsonRecord): IssuedId[];
}

/** Undefined where answers of this kind issue no ids. */
export function findIssuedIdReader(call: SentBody & CallFormats): IssuedIdReader | undefined {
  if (call.upstream.endpoint === "claude_messages") {
    const mayBeNamed = call.body.includes('"thread"') || call.body.includes('"diagnostics"');
    const isKept = mayBeNamed && isNamedLater(parseObject(call.body.toString("utf8")));
    const ofThread = (json: JsonRecord): IssuedId[] => (isKept ? listIdsOfThread(json) : []);
    const begins = (event: string): boolean => isKept && event.includes('"message_start"');
    return {
      inEvent: (event) =>
        messageIdMembers.some((member) => event.includes(member)) || begins(event)
          ? ofEvent(buildEventJson(event))
          : [],
      inReply: (json) => [...ofThread(json), ...listIdsOfMessage(json)],
    };

    function ofEvent(json: JsonRecord): IssuedId[] {
      return [...(json.type === "message_start" ? ofThread(json) : []), ...listIdsOfMessage(json)];
    }
  }
  // Audio alone has an id, and only a request that mentions it is answered with it.
  if (call.upstream.endpoint === "chat_completions" && call.body.includes('"audio"'))
    return {
      inEvent: (event) => (event.includes('"audio"') ? listIdsOfChat(buildEventJson(event)) : []),
      inReply: listIdsOfChat,
    };
  if (call.upstream.endpoint !== "response_api") return undefined;
  const isKept = isKeptByProvider(parseObject(call.body.toString("utf8")));
  const [ofItem, ofResponse] = isKept
    ? [listIdsOfItem, listIdsOfResponse]
    : [listIdsOutlivingItem, listIdsOutlivingResponse];
  return {
    inEvent(event) {
      if (!namesIds(event)) return [];
      const { type, response, item } = buildEventJson(event);
      return text(type).startsWith("response.output_item.")
        ? ofItem(record(item))
        : ofResponse(record(response));
    },
    inReply: ofResponse,
  };
}

const messageIdMembers = ['"container"', '"file_id"', `"${creditMember}"`];

/** `namesIds` gives all other events repeat ids of these. */
const namesIds = (event: string): boolean =>
  event.includes('"response.created"') ||
  event.includes('"response.output_item.') ||
  event.includes('"response.completed"') ||
  event.includes('"response.incomplete"');
