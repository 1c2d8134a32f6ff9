/** Refuses JSON of clients by its outline, before it is parsed. */
import {
  bodyBounds,
  excessMessage,
  excessOf,
  type JsonBounds,
  type JsonOutline,
  outlineOf,
} from "../../http/json-outline.ts";
import { badRequest, RelayRefused } from "./relay-refusal.ts";

/** The outline of a text within bounds. Throws `RelayRefused`. */
export function boundedOutline(text: string, bounds: JsonBounds = bodyBounds): JsonOutline {
  const outline = outlineOf(text, bounds);
  const excess = excessOf(outline, bounds);
  if (excess === undefined) return outline;
  const message = excessMessage(excess, bounds);
  if (excess === "depth") throw badRequest("invalid_text_request", message);
  throw new RelayRefused({ status: 413, type: "invalid_request_error", code: "too_many_members", message, param: "" });
}
