/** Consent to a deed that nothing takes back: `--yes` gives it, or the person at the terminal. */
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { GivenOptions } from "./command-row.ts";

/** Nobody can be asked where input or output is no terminal. */
export type Consent = "given" | "refused" | "unasked";

export interface AskingTerminal {
  input: Readable;
  output: Writable;
  /** `isPerson` says whether a person reads the one and writes to the other. */
  isPerson: boolean;
}

export async function askConsent(
  question: string,
  options: GivenOptions,
  terminal: AskingTerminal,
): Promise<Consent> {
  if (options.yes === true) return "given";
  const { input, output, isPerson } = terminal;
  if (!isPerson) return "unasked";
  const lines = createInterface({ input, output });
  try {
    // An input that ends, or Ctrl-C, is no yes.
    const answer = await Promise.race([
      lines.question(`${question} [y/N] `),
      new Promise<string>((resolve) => lines.once("close", () => resolve(""))),
    ]);
    return /^y(?:es)?$/i.test(answer.trim()) ? "given" : "refused";
  } finally {
    lines.close();
  }
}
