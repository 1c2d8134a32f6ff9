/**
 * How a stream is cut into events. Nearly every provider sends server-sent events; the others are rewritten into them
 * as they come, so that nothing behind this knows about it.
 */
import { SseSplitter } from "./sse-splitter.ts";
import type { StreamSplitter } from "./stream-splitter.ts";

export interface StreamFraming {
  /** What `content-type` says of such a stream. */
  contentType: string;
  /** `eventBytesMax` is for streams with longer events than usual. */
  splitter(eventBytesMax?: number): StreamSplitter;
}

export const serverSentEvents: StreamFraming = {
  contentType: "text/event-stream",
  splitter: (eventBytesMax) => new SseSplitter(eventBytesMax),
};
