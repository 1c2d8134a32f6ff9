import { missing } from "./ui/format.ts";

type MessageToken =
  | string
  | [name: string]
  | [name: string, type: "plural" | "select", cases: Record<string, MessageToken[] | string>];

/**
 * Compiles a message to the tokens that Lingui renders.
 *
 * What: the part of ICU MessageFormat that the catalogues use: `{name}`, `plural` and `select`,
 * `#`, and quoting with apostrophes; a number that is not known is a dash. Anything else throws a
 * SyntaxError; `catalogues.test.ts` compiles every message of every catalogue.
 *
 * Why: Lingui's own compiler (@messageformat/parser) reads far more and is larger than the router.
 *
 * Removable when: the catalogues are compiled at build time, or Lingui ships a small parser.
 */
export function compileMessage(message: string): MessageToken[] {
  if (!/[{}'#]/.test(message)) return [message];
  const known = compiled.get(message);
  if (known !== undefined) return known;
  const tokens = new MessageParser(message).parse(false);
  if (compiled.size === compiledMax) compiled.clear();
  compiled.set(message, tokens);
  return tokens;
}

/** A list draws the same few messages hundreds of times, and Lingui asks for each of them anew. */
const compiled = new Map<string, MessageToken[]>();
/** More than a page has; an unknown word of a server may be asked for as a message, too. */
const compiledMax = 500;

class MessageParser {
  private position = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Parses up to the end of the text or the closing brace of a case. */
  parse(inPlural: boolean): MessageToken[] {
    const tokens: MessageToken[] = [];
    let plain = "";
    const flush = () => {
      if (plain !== "") tokens.push(plain);
      plain = "";
    };
    while (this.position < this.text.length && this.text[this.position] !== "}") {
      const letter = this.text[this.position];
      if (letter === "{") {
        flush();
        tokens.push(this.parsePlaceholder());
      } else if (letter === "#" && inPlural) {
        flush();
        tokens.push("#");
        this.position++;
      } else if (letter === "'") {
        plain += this.parseQuoted();
      } else {
        plain += letter;
        this.position++;
      }
    }
    flush();
    return tokens;
  }

  /** A doubled apostrophe is a literal one; a single one starts a quotation only before a brace. */
  private parseQuoted(): string {
    const next = this.text[this.position + 1];
    if (next === "'") {
      this.position += 2;
      return "'";
    }
    if (next !== "{" && next !== "}") {
      this.position++;
      return "'";
    }
    const end = this.text.indexOf("'", this.position + 1);
    const quoted = this.text.slice(this.position + 1, end === -1 ? undefined : end);
    this.position = end === -1 ? this.text.length : end + 1;
    return quoted;
  }

  private parsePlaceholder(): MessageToken {
    const [, name = "", type] = this.match(/\{\s*([\w.]+)\s*(?:,\s*(plural|select)\s*,)?\s*/y);
    if (type !== "plural" && type !== "select") {
      this.match(/\}/y);
      return [name];
    }
    const cases: Record<string, MessageToken[] | string> = {};
    while (this.text[this.position] !== "}") {
      const [, key = ""] = this.match(/(=?[\w-]+)\s*\{/y);
      cases[key.replace("=", "")] = this.parse(type === "plural");
      this.match(/\}\s*/y);
    }
    this.position++;
    // What a server left out is NaN.
    if (type === "plural")
      cases.NaN = [cases.other ?? []].flat().map((token) => (token === "#" ? missing : token));
    return [name, type, cases];
  }

  private match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found === null)
      throw new SyntaxError(`Message cannot be read at ${this.position}: ${this.text}`);
    this.position = pattern.lastIndex;
    return found;
  }
}
