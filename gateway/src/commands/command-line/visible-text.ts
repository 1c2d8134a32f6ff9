/** A text of others on a terminal: it may hold anything, also what a terminal obeys. */
export const visible = (text: string, max = 200): string =>
  text
    .slice(0, max)
    .replace(
      /[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu,
      (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
    );
