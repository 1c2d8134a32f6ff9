/**
 * Built-in prices beside what is already there: an entry that somebody made wins over the built-in one. With models
 * chosen only theirs are added, since a provider has hundreds.
 */
export function withDefaultPricing(typed: string, builtIn: string, models: readonly string[]): string {
  const offered = Object.entries(readObject(builtIn) ?? {});
  const wanted = models.length === 0 ? offered : offered.filter(([model]) => models.includes(model));
  if (wanted.length === 0) return typed;
  return JSON.stringify({ ...Object.fromEntries(wanted), ...readObject(typed) }, null, 2);
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** One member of a JSON object kept as text; everything else in it stays. A text that is no object is left alone. */
export function withMember(text: string, name: string, value: unknown): string {
  const members = text.trim() === "" ? {} : readObject(text);
  if (members === undefined) return text;
  return JSON.stringify({ ...members, [name]: value }, null, 2);
}

export function memberOf(text: string, name: string): unknown {
  return readObject(text)?.[name];
}
