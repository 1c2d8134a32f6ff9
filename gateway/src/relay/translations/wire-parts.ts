/** Reading bodies of strangers: what is not of the expected type is not there. */
import type { Json } from "./translation.ts";

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
export const record = (value: unknown): Json => (isRecord(value) ? value : {});
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Only the members that are there: an explicit `null` means the same as none in both interfaces. */
export function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

/** The object that a JSON text holds; arguments that a model wrote may be anything. */
export function parsedObject(json: string): Json {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** `data:image/png;base64,…` taken apart. */
export function dataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([\w.+/-]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType !== undefined && data !== undefined ? { mediaType, data } : undefined;
}

export const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
