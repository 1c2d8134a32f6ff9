/**
 * Edits of JSON objects kept as text, so that unknown members survive. A text that is not an object
 * is left as it is.
 */

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}

const formatMembers = (members: Record<string, unknown>): string =>
  Object.keys(members).length === 0 ? "" : JSON.stringify(members, null, 2);

/** Sets one member and keeps all others. */
export function addMember(text: string, name: string, value: unknown): string {
  const members = text.trim() === "" ? {} : parseObject(text);
  return members === undefined ? text : formatMembers({ ...members, [name]: value });
}

export function stripMember(text: string, name: string): string {
  const { [name]: removed, ...rest } = parseObject(text) ?? {};
  return removed === undefined ? text : formatMembers(rest);
}

export function buildMember(text: string, name: string): unknown {
  return parseObject(text)?.[name];
}
