/** Refuses JSON of clients by its outline, before it is parsed. */
import {
  bodyBounds,
  findExcess,
  formatExcessMessage,
  type JsonBounds,
  type JsonOutline,
  outlineJson,
} from "../../http/json-outline.ts";
import { RelayRefused, refuseBadRequest } from "./relay-refusal.ts";

/** The outline of a text within bounds. Throws `RelayRefused`. */
export function boundOutline(text: string, bounds: JsonBounds = bodyBounds): JsonOutline {
  const outline = outlineJson(text, bounds);
  const excess = findExcess(outline, bounds);
  if (excess === undefined) return outline;
  const message = formatExcessMessage(excess, bounds);
  if (excess === "depth") throw refuseBadRequest("invalid_text_request", message);
  throw new RelayRefused({
    status: 413,
    type: "invalid_request_error",
    code: "too_many_members",
    message,
    param: "",
  });
}
