/**
 * `JsonValueEnd` finds the end of a JSON object, array or text that arrives in pieces, without
 * keeping them: each letter is looked at once.
 */
export class JsonValueEnd {
  #depth = 0;
  #hasBegun = false;
  #isInText = false;
  #isEscaped = false;

  get isReached(): boolean {
    return this.#hasBegun && this.#depth === 0 && !this.#isInText;
  }

  push(json: string): void {
    for (const letter of json) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInText) {
        if (letter === "\\") this.#isEscaped = true;
        else if (letter === '"') this.#isInText = false;
      } else if (letter === '"') {
        this.#hasBegun = true;
        this.#isInText = true;
      } else if (letter === "{" || letter === "[") {
        this.#hasBegun = true;
        this.#depth += 1;
      } else if (letter === "}" || letter === "]") this.#depth -= 1;
    }
  }
}
