type Token =
  | string
  | [name: string]
  | [name: string, type: "plural" | "select", cases: Record<string, Token[] | string>];

/**
 * The part of the message format that our sentences use: `{name}`, plural and select, `#`, and quoting. The parser of
 * the translation library reads far more and is larger than the router.
 */
export function compileMessage(message: string): Token[] {
  if (!/[{}'#]/.test(message)) return [message];
  return new Reader(message).sentence(false);
}

class Reader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Up to the end, or up to the brace that closes a case. */
  sentence(inPlural: boolean): Token[] {
    const tokens: Token[] = [];
    let plain = "";
    const flush = () => {
      if (plain !== "") tokens.push(plain);
      plain = "";
    };
    while (this.at < this.text.length && this.text[this.at] !== "}") {
      const letter = this.text[this.at];
      if (letter === "{") {
        flush();
        tokens.push(this.placeholder());
      } else if (letter === "#" && inPlural) {
        flush();
        tokens.push("#");
        this.at++;
      } else if (letter === "'") {
        plain += this.quoted();
      } else {
        plain += letter;
        this.at++;
      }
    }
    flush();
    return tokens;
  }

  /** A doubled apostrophe is one; a single one quotes only before a brace. */
  private quoted(): string {
    const next = this.text[this.at + 1];
    if (next === "'") {
      this.at += 2;
      return "'";
    }
    if (next !== "{" && next !== "}") {
      this.at++;
      return "'";
    }
    const end = this.text.indexOf("'", this.at + 1);
    const quoted = this.text.slice(this.at + 1, end === -1 ? undefined : end);
    this.at = end === -1 ? this.text.length : end + 1;
    return quoted;
  }

  private placeholder(): Token {
    const [, name = "", type] = this.match(/\{\s*([\w.]+)\s*(?:,\s*(plural|select)\s*,)?\s*/y);
    if (type !== "plural" && type !== "select") {
      this.match(/\}/y);
      return [name];
    }
    const cases: Record<string, Token[] | string> = {};
    while (this.text[this.at] !== "}") {
      const [, key = ""] = this.match(/(=?[\w-]+)\s*\{/y);
      cases[key.replace("=", "")] = this.sentence(type === "plural");
      this.match(/\}\s*/y);
    }
    this.at++;
    return [name, type, cases];
  }

  private match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) throw new SyntaxError(`Message cannot be read at ${this.at}: ${this.text}`);
    this.at = pattern.lastIndex;
    return found;
  }
}
