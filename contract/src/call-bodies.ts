/**
 * Contents of calls: what a client sent and what it got, for keys whose holder asks that they are
 * kept.
 */
import * as z from "zod/mini";
import { endpoint } from "./api/endpoint.ts";
import { byId } from "./api/ids.ts";
import { unixMillis } from "./api/scalars.ts";

/**
 * `keptBodies` are what a key keeps of its calls: nothing, all without credentials and attachments,
 * or all.
 */
export const keptBodies = ["", "redacted", "full"] as const;
export type KeptBodies = (typeof keptBodies)[number];

const part = z.object({
  /** `text` is as it was sent: JSON, or the events of a stream. */
  text: z.string(),
  /** The media type; empty where it is not known. */
  type: z.string(),
  /** The text was longer than what is kept of one call. */
  is_cut: z.boolean(),
});

/** `callBody` is what is sealed and stored of one call. */
export const callBody = z.object({
  mode: z.enum(["redacted", "full"]),
  request: part,
  /** Empty where the client got no text. */
  answer: part,
});
export type CallBody = z.output<typeof callBody>;

export const getCallBody = endpoint("GET", "/api/trace/log/:id/body", {
  access: "user",
  scope: "bodies:read",
  summary: "What was kept of the contents of a call; each view stands in the record of changes",
  params: byId,
  data: z.extend(callBody, { created_at: unixMillis }),
});

export const deleteCallBody = endpoint("DELETE", "/api/trace/log/:id/body", {
  access: "user",
  scope: "bodies:write",
  summary: "Delete what was kept of the contents of a call",
  params: byId,
});
