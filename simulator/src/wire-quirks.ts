// Rewrites a stream in unusual encodings: valid ones that a parser must accept, malformed ones that
// it must survive.
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";
import type { SimulatedEvent } from "./wire-format.ts";

/**
 * The malformed event follows this many content events, so that there are valid ones on both sides.
 */
const malformedAfter = 2;
const hugeLineBytes = 10 * 1024 * 1024;

export function* applyWireQuirk(
  events: Iterable<SimulatedEvent>,
  { wire, malformed }: ScriptedBehaviour,
): Iterable<SimulatedEvent> {
  const malformedText = malformed
    ? 'data: {"id":"chatcmpl-damaged","choices":[{"delta":\n\n'
    : malformedFrame(wire);
  let contentEvents = 0;
  let isFirst = true;
  for (const event of events) {
    if (event.kind === "done" && wire === "no-done") continue;
    yield { ...event, text: rewrite(event, wire, isFirst) };
    if (event.kind === "done" && wire === "double-done") yield event;
    isFirst = false;
    if (event.kind === "content") contentEvents += 1;
    if (event.kind === "content" && contentEvents === malformedAfter && malformedText)
      yield { kind: "frame", text: malformedText };
  }
}

function malformedFrame(wire: ScriptedBehaviour["wire"]): string | undefined {
  if (wire === "nul") return "data: \0\n\n";
  return wire === "huge-line" ? `data: {"junk":"${"x".repeat(hugeLineBytes)}"}\n\n` : undefined;
}

function rewrite(
  { kind, text }: SimulatedEvent,
  wire: ScriptedBehaviour["wire"],
  isFirst: boolean,
): string {
  if (wire === "crlf") return text.replaceAll("\n", "\r\n");
  if (wire === "cr") return text.replaceAll("\n", "\r");
  if (wire === "no-space") return text.replaceAll(/^(\w+): /gm, "$1:");
  if (wire === "comments") return `: keep-alive\n\n${text}`;
  if (wire === "no-blank" && kind === "done") return text.trimEnd();
  return wire === "bom" && isFirst ? `\uFEFF${text}` : text;
}
