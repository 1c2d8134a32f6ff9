/** Reads untrusted JSON: a value of an unexpected type counts as missing. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const records = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
export const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * A number, also one in a text. `Number` itself would call methods that an object of JSON names,
 * and throw.
 */
export const readNumber = (value: unknown, otherwise = 0): number => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : otherwise;
};

/** The fields that have a value: `null` means the same as none. */
export function present(members: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The object in a JSON text, or an empty one. Arguments that a model generated may be anything. */
export function parseObject(json: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Half of a character is no text: a client that cut one in two would be refused ("no low surrogate
 * in string"), in this turn and all that follow.
 */
export function writeWellFormed(value: unknown): string {
  const written = JSON.stringify(value);
  // What stands for half a character is written so; text that looks like it is only written again.
  if (!/\\ud[89a-f]/.test(written)) return written;
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "string" ? one.toWellFormed() : one,
  );
}
