import type { StreamEventFacts } from "./api-format.ts";

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };

/** What is known of an event that brings text; without any it says nothing. */
export const textFacts = (text: string): StreamEventFacts =>
  text === "" ? ignoredEvent : { kind: "content", textBytes: text.length, text };
