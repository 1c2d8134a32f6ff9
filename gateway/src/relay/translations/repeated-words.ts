/**
 * Nearly every event of a chat stream is the one before it with other words. Such an event is compared instead of parsed:
 * parsing all of them would be most of what a translation costs.
 */
import { isRecord, type Json, records } from "../json-parts.ts";

const member = /"content": ?$/;
/** Letters that stand for themselves in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON does not allow
const plain = /^[^"\\\u0000-\u001f]+$/;

export class RepeatedWords {
  /** The event that was read last, around its words. Both empty when it said anything else. */
  #before = "";
  #after = "";

  /** What this event says, when it is the last one with other words; undefined when it must be read. */
  in(event: string): string | undefined {
    const start = this.#before.length;
    const end = event.length - this.#after.length;
    if (start === 0 || end <= start) return undefined;
    // Compared as slices: startsWith goes letter by letter, and takes ten times as long.
    if (event.slice(0, start) !== this.#before || event.slice(end) !== this.#after) return undefined;
    const words = event.slice(start, end);
    return plain.test(words) ? words : undefined;
  }

  /** Every event that was read is shown here; `data` is what it holds. */
  learn(event: string, data: Json): void {
    const words = wordsAlone(data);
    const written = `"${words}"`;
    const at = words === undefined || !plain.test(words) ? -1 : event.indexOf(written);
    // Where the same stands twice, nobody could say which of them are the words.
    const isClear = at >= 0 && member.test(event.slice(0, at)) && !event.includes(written, at + 1);
    this.#before = isClear ? event.slice(0, at + 1) : "";
    this.#after = isClear ? event.slice(at + written.length - 1) : "";
  }
}

/** The words of an event that says nothing besides. */
function wordsAlone({ choices, usage, error }: Json): string | undefined {
  const [choice, ...others] = records(choices);
  if (!choice || others.length > 0 || isRecord(usage) || error || typeof choice.finish_reason === "string")
    return undefined;
  const delta = isRecord(choice.delta) ? choice.delta : {};
  return typeof delta.content === "string" && Object.keys(delta).length === 1 ? delta.content : undefined;
}
