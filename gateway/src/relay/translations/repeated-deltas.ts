import { isRecord, type JsonRecord, records } from "../wire/json-parts.ts";

/**
 * Nearly every event of a chat stream is the previous one with other text. Such an event is
 * compared instead of parsed: parsing all events would be most of the cost of a translation.
 */

const contentMember = /"content": ?$/;
/** Characters that need no escape in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON does not allow
const unescapedText = /^[^"\\\u0000-\u001f]+$/;

export class RepeatedDeltas {
  /**
   * The last parsed event, before and after its text. Both are empty when it held anything besides.
   */
  #before = "";
  #after = "";

  /**
   * The text of an event that equals the last one but for its text; undefined when it must be
   * parsed.
   */
  in(event: string): string | undefined {
    const start = this.#before.length;
    const end = event.length - this.#after.length;
    if (start === 0 || end <= start) return undefined;
    // Compared as slices: startsWith compares character by character, which takes ten times as
    // long.
    if (event.slice(0, start) !== this.#before || event.slice(end) !== this.#after)
      return undefined;
    const content = event.slice(start, end);
    return unescapedText.test(content) ? content : undefined;
  }

  /** Takes note of every parsed event; `data` is its content. */
  learn(event: string, data: JsonRecord): void {
    const content = findOnlyContent(data);
    const quoted = `"${content}"`;
    const at = content === undefined || !unescapedText.test(content) ? -1 : event.indexOf(quoted);
    // Where the text stands twice, its position would be ambiguous.
    const isUnambiguous =
      at >= 0 && contentMember.test(event.slice(0, at)) && !event.includes(quoted, at + 1);
    this.#before = isUnambiguous ? event.slice(0, at + 1) : "";
    this.#after = isUnambiguous ? event.slice(at + quoted.length - 1) : "";
  }
}

/** The text of an event that holds nothing besides. */
function findOnlyContent({ choices, usage, error }: JsonRecord): string | undefined {
  const [choice, ...others] = records(choices);
  if (
    !choice ||
    others.length > 0 ||
    isRecord(usage) ||
    error ||
    typeof choice.finish_reason === "string"
  )
    return undefined;
  const delta = isRecord(choice.delta) ? choice.delta : {};
  return typeof delta.content === "string" && Object.keys(delta).length === 1
    ? delta.content
    : undefined;
}
