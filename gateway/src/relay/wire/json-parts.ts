/** Reading bodies of strangers: what is not of the expected type is not there. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const records = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);
export const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Only the members that are there: an explicit `null` means the same as none in both interfaces. */
export function present(members: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

/** The object that a JSON text holds; arguments that a model wrote may be anything. */
export function parsedObject(json: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
