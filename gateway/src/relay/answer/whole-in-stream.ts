/**
 * A whole reply in a body that calls itself a stream of events: some servers answer so where a
 * stream was asked of a model that has none. Pure.
 */
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedReply } from "../formats/call-parts.ts";
import { writeSse } from "../translations/chat-parts.ts";
import { isRecord } from "../wire/json-parts.ts";
import { SseSplitter } from "../wire/sse-splitter.ts";
import type { StreamSplit, StreamSplitter } from "../wire/stream-splitter.ts";

/** `withWholeReply` is the splitter that gives such a reply as the events that it would be. */
export const withWholeReply = (
  splitter: StreamSplitter,
  call: CallFormats & AskedReply,
): StreamSplitter => ({
  push: (chunk) => splitter.push(chunk),
  end(): StreamSplit {
    const last = splitter.end();
    return splitReply(last.bytes, call) ?? last;
  },
});

function splitReply(
  body: Buffer,
  { upstream, wantsUsage }: CallFormats & AskedReply,
): StreamSplit | undefined {
  const { streamFromReply } = upstream.replies;
  const written = streamFromReply ? body.toString("utf8").trim() : "";
  if (!/^[[{]/.test(written)) return undefined;
  const json = parseAny(written);
  // Google sends a list of the events to requests without `alt=sse`.
  if (Array.isArray(json)) return split(json.map(writeSse).join(""));
  if (!isRecord(json) || upstream.errorIn?.(json) || !upstream.readReply(json)) return undefined;
  return split(streamFromReply?.(json, wantsUsage) ?? "");
}

function split(events: string): StreamSplit {
  const bytes = Buffer.from(events);
  return new SseSplitter(bytes.length).push(bytes);
}

function parseAny(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
