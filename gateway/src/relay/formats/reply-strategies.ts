/** How providers reply to a call for a stream and to one for a whole reply. */
import type { JsonRecord } from "../wire/json-parts.ts";
import type { ReplyStrategy } from "./api-format.ts";

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
