/** JSON whose numbers keep their digits: as JavaScript's numbers, large ones would be rounded. */
interface ExactJson {
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

/** `exactJson` has members of ECMAScript 2026, which the types of TypeScript lack. */
const exactJson = JSON as unknown as ExactJson;

/** Each number is a value of its own, which `JSON.stringify` writes as it was. */
export const parseExactJson = (text: string): unknown =>
  exactJson.parse(text, (_name, value, { source }) =>
    typeof value === "number" && source !== undefined ? exactJson.rawJSON(source) : value,
  );

/** `isExactNumber` says whether the value is a number of `parseExactJson`. */
export const isExactNumber = (value: unknown): boolean => exactJson.isRawJSON(value);
