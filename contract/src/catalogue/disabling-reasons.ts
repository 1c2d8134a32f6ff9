/**
 * Why the gateway disabled a channel or a key of one. What is stored and told is the English
 * sentence; a reader's language is written from what is read back out of it. Pure.
 */

/** `sentences` has the pieces of each, between which its values stand. */
const sentences = {
  key_refused: ["The provider refused the key: ", ""],
  test_failed: ["Channel test failed: ", ""],
  test_slow: ["The test took ", " s; the limit is ", " s"],
  not_covered: ["", " calls within a day cost more than hold, balance and debt cover"],
} as const satisfies Record<string, readonly string[]>;

export type DisablingKind = keyof typeof sentences;

/** Stands before the reason of the last key, without which its channel is disabled. */
const noKeyLeft = "No key is left. ";

export interface DisablingReason {
  kind: DisablingKind;
  /** What a provider said, or figures as texts. */
  values: readonly [string, string | undefined];
  isOfLastKey: boolean;
}

export function writeDisablingReason(kind: DisablingKind, ...values: (string | number)[]): string {
  const pieces: readonly string[] = sentences[kind];
  return pieces.reduce((text, piece, place) => `${text}${values[place - 1]}${piece}`);
}

export const writeLastKeyReason = (reason: string): string => `${noKeyLeft}${reason}`;

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
const patterns = Object.entries(sentences).map(([kind, pieces]) => ({
  kind: kind as DisablingKind,
  pattern: new RegExp(`^${pieces.map(escapePattern).join("(.+)")}$`, "s"),
}));

/** Undefined for a sentence of another version or server. */
export function readDisablingReason(text: string): DisablingReason | undefined {
  const isOfLastKey = text.startsWith(noKeyLeft);
  const sentence = isOfLastKey ? text.slice(noKeyLeft.length) : text;
  for (const { kind, pattern } of patterns) {
    const [, first, second] = pattern.exec(sentence) ?? [];
    if (first !== undefined) return { kind, values: [first, second], isOfLastKey };
  }
  return undefined;
}
