/** Reads a JSON body, or a form, within bounds. */
import { refuse } from "./refusal.ts";

export const bodyBytesMax = 1024 * 1024;
/** Credentials are short; a big body there is an attack. */
export const signInBodyBytesMax = 64 * 1024;
const depthMax = 100;
/** Of a document such as a configuration of 5,000 channels. */
export const documentBytesMax = 16 * 1024 * 1024;
const membersMax = 20_000;
const documentMembersMax = 1_000_000;

const tooLarge = () => refuse("body_too_large", { headers: { Connection: "close" } });

export const isJsonType = (contentType: string | null): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType ?? "");

export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  if (!isJsonType(request.headers.get("content-type")))
    throw refuse("unsupported_media_type", { headers: { Connection: "close" } });
  const text = await readText(request, bytesMax);
  checkNesting(text, bytesMax > bodyBytesMax ? documentMembersMax : membersMax);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw refuse("malformed_json");
  }
}

export const isFormType = (contentType: string | null): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? "");

/** The fields of a form; of a repeated name, the last one. */
export async function readForm(request: Request, bytesMax: number): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(request, bytesMax)));
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // `content-length` may be missing or wrong, so the bytes that arrive are counted too.
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw refuse("malformed_json", { message: "The request body is not valid UTF-8" });
  }
}

/** Depth and number of members, counted in the text, because parsing a hostile document would already be costly. */
function checkNesting(text: string, most: number): void {
  let depth = 0;
  let members = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (inString) {
      if (char === "\\") index += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    else if (char === ",") members += 1;
    if (depth > depthMax)
      throw refuse("malformed_json", { message: `The request body is nested deeper than ${depthMax}` });
  }
  if (members > most) throw refuse("malformed_json", { message: "The request body has too many members" });
}
