/** References that an export writes in the place of a secret. Pure. */

const readVariableWord = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");

/**
 * `env:` and the name of a variable: its first word is `start`, the others are made of the names.
 */
export const readSecretReference = (start: string, ...names: string[]): string =>
  `env:${[start, ...names.map(readVariableWord)].filter(Boolean).join("_")}`;
