import { isRecord, type JsonRecord, records } from "../wire/json-parts.ts";

/**
 * Nearly every event of a chat stream is the one before it with other words. Such an event is compared instead of parsed:
 * parsing all of them would be most of what a translation costs.
 */

const contentMember = /"content": ?$/;
/** Letters that stand for themselves in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON does not allow
const unescapedText = /^[^"\\\u0000-\u001f]+$/;

export class RepeatedDeltas {
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
    const content = event.slice(start, end);
    return unescapedText.test(content) ? content : undefined;
  }

  /** Every event that was read is shown here; `data` is what it holds. */
  learn(event: string, data: JsonRecord): void {
    const content = onlyContentOf(data);
    const quoted = `"${content}"`;
    const at = content === undefined || !unescapedText.test(content) ? -1 : event.indexOf(quoted);
    // Where the same stands twice, nobody could say which of them are the words.
    const isUnambiguous = at >= 0 && contentMember.test(event.slice(0, at)) && !event.includes(quoted, at + 1);
    this.#before = isUnambiguous ? event.slice(0, at + 1) : "";
    this.#after = isUnambiguous ? event.slice(at + quoted.length - 1) : "";
  }
}

/** The words of an event that says nothing besides. */
function onlyContentOf({ choices, usage, error }: JsonRecord): string | undefined {
  const [choice, ...others] = records(choices);
  if (!choice || others.length > 0 || isRecord(usage) || error || typeof choice.finish_reason === "string")
    return undefined;
  const delta = isRecord(choice.delta) ? choice.delta : {};
  return typeof delta.content === "string" && Object.keys(delta).length === 1 ? delta.content : undefined;
}
