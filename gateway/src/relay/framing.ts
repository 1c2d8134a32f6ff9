/**
 * How a stream is cut into events. Nearly every provider sends server-sent events; the others are rewritten into them
 * as they come, so that nothing behind this knows about it.
 */
import { EventSplitter } from "./event-splitter.ts";
import type { Splitter } from "./stream-cut.ts";

export interface Framing {
  /** What `content-type` says of such a stream. */
  contentType: string;
  /** `eventBytesMax` is for streams with longer events than usual. */
  splitter(eventBytesMax?: number): Splitter;
}

export const serverSentEvents: Framing = {
  contentType: "text/event-stream",
  splitter: (eventBytesMax) => new EventSplitter(eventBytesMax),
};
