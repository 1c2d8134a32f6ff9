/** Reads a JSON body, or a form, within bounds. */
import {
  bodyBounds,
  findExcess,
  formatExcessMessage,
  type JsonBounds,
  outlineJson,
} from "./json-outline.ts";
import { refuse } from "./refusal.ts";

export const bodyBytesMax = 1024 * 1024;
/** Credentials are short; a big body there is an attack. */
export const signInBodyBytesMax = 64 * 1024;
/** `documentBytesMax` is for a document such as a configuration of 5,000 channels. */
export const documentBytesMax = 16 * 1024 * 1024;
/**
 * A configuration of 5,000 channels and 5,000 prices, which administrators alone may send, has more
 * parts than any other body.
 */
const documentBounds: JsonBounds = { ...bodyBounds, parts: 500_000 };

const refuseTooLarge = () => refuse("body_too_large", { headers: { Connection: "close" } });

export const isJsonType = (contentType: string | null): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType ?? "");

export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  if (!isJsonType(request.headers.get("content-type")))
    throw refuse("unsupported_media_type", { headers: { Connection: "close" } });
  const text = await readText(request, bytesMax);
  refuseExcess(text, bytesMax > bodyBytesMax ? documentBounds : bodyBounds);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw refuse("malformed_json");
  }
}

export const isFormType = (contentType: string | null): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? "");

/** The fields of a form. None has two values, of which another reader might take the other one. */
export async function readForm(
  request: Request,
  bytesMax: number,
): Promise<Record<string, string>> {
  const fields = new URLSearchParams(await readText(request, bytesMax));
  if (new Set(fields.keys()).size < fields.size)
    throw refuse("invalid_request", { message: "The form names a field twice" });
  return Object.fromEntries(fields);
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw refuseTooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // `content-length` may be missing or wrong, so the bytes that arrive are counted too.
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw refuseTooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw refuse("malformed_json", { message: "The request body is not valid UTF-8" });
  }
}

function refuseExcess(text: string, bounds: JsonBounds): void {
  const excess = findExcess(outlineJson(text, bounds), bounds);
  if (excess === undefined) return;
  throw refuse(excess === "depth" ? "malformed_json" : "body_too_large", {
    message: formatExcessMessage(excess, bounds),
  });
}
