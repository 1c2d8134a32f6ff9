import type { EventFacts } from "./shape.ts";

const nothing: EventFacts = { kind: "other", textBytes: 0 };

/** What is known of an event that brings text; without any it says nothing. */
export const saying = (text: string): EventFacts =>
  text === "" ? nothing : { kind: "content", textBytes: text.length, text };
