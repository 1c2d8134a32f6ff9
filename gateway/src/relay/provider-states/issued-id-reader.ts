/** Which ids an answer issues, by the API that gives it. Pure. */
import type { RelayCall } from "../formats/api-format.ts";
import { creditMember } from "../formats/unseen-inputs.ts";
import { eventJson } from "../wire/event-text.ts";
import { type JsonRecord, parsedObject, record, text } from "../wire/json-parts.ts";
import {
  type IssuedId,
  idsOfChat,
  idsOfItem,
  idsOfMessage,
  idsOfResponse,
  idsOfThread,
  idsOutlivingItem,
  idsOutlivingResponse,
  isKeptByProvider,
  isNamedLater,
} from "./state-references.ts";

/** Finds the ids in one answer. */
export interface IssuedIdReader {
  inEvent(event: string): IssuedId[];
  inReply(json: JsonRecord): IssuedId[];
}

/** Undefined where answers of this kind issue no ids. */
export function issuedIdReader(call: RelayCall): IssuedIdReader | undefined {
  if (call.upstream.endpoint === "claude_messages") {
    const mayBeNamed = call.body.includes('"thread"') || call.body.includes('"diagnostics"');
    const isKept = mayBeNamed && isNamedLater(parsedObject(call.body.toString("utf8")));
    const ofThread = (json: JsonRecord): IssuedId[] => (isKept ? idsOfThread(json) : []);
    const begins = (event: string): boolean => isKept && event.includes('"message_start"');
    return {
      inEvent: (event) =>
        messageIdMembers.some((member) => event.includes(member)) || begins(event) ? ofEvent(eventJson(event)) : [],
      inReply: (json) => [...ofThread(json), ...idsOfMessage(json)],
    };

    function ofEvent(json: JsonRecord): IssuedId[] {
      return [...(json.type === "message_start" ? ofThread(json) : []), ...idsOfMessage(json)];
    }
  }
  // Audio alone has an id, and only a request that mentions it is answered with it.
  if (call.upstream.endpoint === "chat_completions" && call.body.includes('"audio"'))
    return { inEvent: (event) => (event.includes('"audio"') ? idsOfChat(eventJson(event)) : []), inReply: idsOfChat };
  if (call.upstream.endpoint !== "response_api") return undefined;
  const isKept = isKeptByProvider(parsedObject(call.body.toString("utf8")));
  const [ofItem, ofResponse] = isKept ? [idsOfItem, idsOfResponse] : [idsOutlivingItem, idsOutlivingResponse];
  return {
    inEvent(event) {
      if (!namesIds(event)) return [];
      const { type, response, item } = eventJson(event);
      return text(type).startsWith("response.output_item.") ? ofItem(record(item)) : ofResponse(record(response));
    },
    inReply: ofResponse,
  };
}

const messageIdMembers = ['"container"', '"file_id"', `"${creditMember}"`];

/** All other events repeat ids of these. */
const namesIds = (event: string): boolean =>
  event.includes('"response.created"') ||
  event.includes('"response.output_item.') ||
  event.includes('"response.completed"') ||
  event.includes('"response.incomplete"');
