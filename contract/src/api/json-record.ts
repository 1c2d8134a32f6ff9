/** `isJsonRecord` says whether a parsed JSON value is an object, and neither null nor an array. */
export const isJsonRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
