/** Headers as undici takes them: names and values in turn. */

/** `names` in lower case. */
export const stripHeaders = (headers: readonly string[], ...names: readonly string[]): string[] =>
  headers.filter((_, index) => !names.includes((headers[index - (index % 2)] ?? "").toLowerCase()));

export function findHeader(headers: readonly string[], name: string): string | undefined {
  const index = headers.findIndex((header, at) => at % 2 === 0 && header.toLowerCase() === name);
  return index < 0 ? undefined : headers[index + 1];
}
