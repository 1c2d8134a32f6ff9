/**
 * Parses multipart/form-data (RFC 7578) in place: parts are offsets into the bytes. Refuses a body
 * that two parsers could read differently, because the provider might serve something other than
 * what was priced.
 */
import { type RelayRefused, refuseBadRequest } from "./relay-refusal.ts";

export interface FormPart {
  name: string;
  /** Undefined for a plain field. */
  filename: string | undefined;
  /** Byte offsets of the content, end exclusive. */
  start: number;
  end: number;
}

export interface MultipartForm {
  body: Buffer;
  boundary: string;
  parts: readonly FormPart[];
}

export const partsMax = 128;
export const headBytesMax = 4 * 1024;
const headersMax = 16;
const nameMax = 200;
/** Prompts are the longest fields: providers accept 32,000 characters. */
const fieldBytesMax = 256 * 1024;

export const refuseMalformed = (why: string): RelayRefused =>
  refuseBadRequest("invalid_multipart_request", `The multipart body ${why}`);

export const isFormType = (contentType: string): boolean =>
  /^multipart\/form-data *(;|$)/i.test(contentType);

/** Throws `RelayRefused`. */
export function readForm(contentType: string, body: Buffer): MultipartForm {
  const boundary = readBoundary(contentType);
  return { body, boundary, parts: [...buildParts(body, boundary)] };
}

const plainBoundary = /^[\w'+.-]+$/;

/** The content type of the body for an upstream. */
export const composeFormType = ({ boundary }: MultipartForm): string =>
  `multipart/form-data; boundary=${plainBoundary.test(boundary) ? boundary : `"${boundary}"`}`;

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameterPattern = `; *(${token}) *= *(?:"([^"\\\\]*)"|([^\\s;"\\\\]+)) *`;

/** Parameters of a header; undefined when they are ambiguous. */
function findParameters(text: string): Map<string, string> | undefined {
  const pattern = new RegExp(parameterPattern, "y");
  const found = new Map<string, string>();
  while (pattern.lastIndex < text.length) {
    const [, name = "", quoted, bare = ""] = pattern.exec(text) ?? [];
    if (name === "" || found.has(name.toLowerCase())) return undefined;
    found.set(name.toLowerCase(), quoted ?? bare);
  }
  return found;
}

export function readBoundary(contentType: string): string {
  const boundary = findParameters(contentType.replace(/^[^;]*/, "").trim())?.get("boundary") ?? "";
  if (!/^[\w'()+,./:=? -]{1,70}$/.test(boundary) || boundary.endsWith(" ")) {
    throw refuseMalformed("has no boundary in its content-type");
  }
  return boundary;
}

const cr = 0x0d;
const lf = 0x0a;
const dashes = "--";

function* buildParts(body: Buffer, boundary: string): Generator<FormPart> {
  const delimiter = `${dashes}${boundary}`;
  if (!body.subarray(0, delimiter.length).equals(Buffer.from(delimiter)))
    throw refuseMalformed("does not begin with its boundary");
  if (body.includes(`\r${delimiter}`))
    throw refuseMalformed("has a boundary behind a line end that is none");
  let at = delimiter.length;
  for (let count = 0; !isEnd(body, at); count += 1) {
    if (count === partsMax) throw refuseMalformed(`has more than ${partsMax} parts`);
    if (body[at] !== cr || body[at + 1] !== lf)
      throw refuseMalformed("has something behind a boundary");
    // A part without headers.
    const headEnd = body.indexOf("\r\n\r\n", at);
    const head = at + 2;
    const next = computeDelimiter(body, delimiter, head);
    const start = headEnd + 4;
    const end = next - 2;
    if (headEnd < 0 || start > end) throw refuseMalformed("has a part without a head");
    if (headEnd - head > headBytesMax)
      throw refuseMalformed("has a part with a head that is too long");
    yield { ...readPartHead(body.toString("latin1", head, headEnd)), start, end };
    at = next + delimiter.length;
  }
}

function isEnd(body: Buffer, at: number): boolean {
  if (body.toString("latin1", at, at + 2) !== dashes) return false;
  const rest = body.toString("latin1", at + 2, at + 5);
  if (rest !== "" && rest !== "\r\n") throw refuseMalformed("goes on behind its end");
  return true;
}

/** The offset of the next delimiter. Some readers accept a bare line feed before it as a line end, others do not. */
function computeDelimiter(body: Buffer, delimiter: string, from: number): number {
  const at = body.indexOf(`\n${delimiter}`, from);
  if (at < 0) throw refuseMalformed("ends before its last boundary");
  if (body[at - 1] !== cr) throw refuseMalformed("has a boundary behind a line end that is none");
  return at + 1;
}

const header = new RegExp(`^(${token}):[ \\t]*(.*)$`, "s");
const readHeaders = new Set(["content-disposition", "content-transfer-encoding"]);

/** Name and file name in the head of a part. Throws `RelayRefused`. */
export function readPartHead(head: string): Pick<FormPart, "name" | "filename"> {
  const lines = head.split("\r\n");
  if (lines.length > headersMax)
    throw refuseMalformed(`has a part with more than ${headersMax} headers`);
  const seen = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = header.exec(line) ?? [];
    // Readers differ on continued lines and on bare CR or LF.
    if (name === "" || /[\r\n\0]/.test(value))
      throw refuseMalformed("has a part with a header that cannot be read");
    const key = name.toLowerCase();
    if (readHeaders.has(key) && seen.has(key))
      throw refuseMalformed(`has a part with two ${key} headers`);
    seen.set(key, value.trim());
  }
  if (!/^(|7bit|8bit|binary)$/i.test(seen.get("content-transfer-encoding") ?? "")) {
    throw refuseMalformed("has a part in a transfer encoding; send plain bytes");
  }
  return readDisposition(seen.get("content-disposition") ?? "");
}

function readDisposition(disposition: string): Pick<FormPart, "name" | "filename"> {
  const rest = /^form-data *(?=;)/i.exec(disposition);
  const parameters = rest ? findParameters(disposition.slice(rest[0].length)) : undefined;
  const name = parameters?.get("name") ?? "";
  const isReadable =
    name !== "" && name.length <= nameMax && /^[ -~]+$/.test(name) && !parameters?.has("name*");
  if (!isReadable) throw refuseMalformed("has a part whose name cannot be read");
  return { name, filename: parameters?.get("filename") ?? parameters?.get("filename*") };
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parts of one name, files or not. Some readers ignore case in names. */
function listPartsNamed({ parts }: MultipartForm, name: string): FormPart[] {
  const named = parts.filter((part) => part.name.toLowerCase() === name);
  if (named.some((part) => part.name !== name))
    throw refuseMalformed(`has a part whose name must be written ${name}`);
  return named;
}

/** The text of a field that may occur once; undefined when it is missing. */
export function findField(form: MultipartForm, name: string): string | undefined {
  const [part, ...more] = listPartsNamed(form, name);
  if (!part) return undefined;
  if (more.length > 0) throw refuseMalformed(`has ${name} twice`);
  if (part.filename !== undefined) throw refuseMalformed(`has a file as ${name}`);
  if (part.end - part.start > fieldBytesMax)
    throw refuseMalformed(`has a ${name} that is too long`);
  try {
    return decoder.decode(form.body.subarray(part.start, part.end));
  } catch {
    throw refuseMalformed(`has a ${name} that is not UTF-8`);
  }
}

/** The only file of a name; undefined when it is missing. */
export function findFile(form: MultipartForm, name: string): Buffer | undefined {
  const [part, ...more] = listPartsNamed(form, name);
  if (!part) return undefined;
  if (more.length > 0) throw refuseMalformed(`has ${name} twice`);
  return form.body.subarray(part.start, part.end);
}

/** The bytes with another value in one field, or with the missing field added in front. */
export function addField(form: MultipartForm, name: string, value: string): Buffer {
  const { body, boundary } = form;
  const [part] = listPartsNamed(form, name);
  if (part)
    return Buffer.concat([
      body.subarray(0, part.start),
      Buffer.from(value),
      body.subarray(part.end),
    ]);
  const head = `${dashes}${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
  return Buffer.concat([Buffer.from(`${head}${value}\r\n`), body]);
}
