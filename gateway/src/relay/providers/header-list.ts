/** Headers as undici takes them: names and values in turn. */

/** `names` in small letters. */
export const withoutHeaders = (headers: readonly string[], ...names: readonly string[]): string[] =>
  headers.filter((_, place) => !names.includes((headers[place - (place % 2)] ?? "").toLowerCase()));

export function headerIn(headers: readonly string[], name: string): string | undefined {
  const place = headers.findIndex((said, at) => at % 2 === 0 && said.toLowerCase() === name);
  return place < 0 ? undefined : headers[place + 1];
}
