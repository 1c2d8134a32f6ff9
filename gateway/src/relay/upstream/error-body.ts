/** Parses the error body of an upstream, in whatever form its API reports errors. Pure. */
import { STATUS_CODES } from "node:http";
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";
import { findRetryDelay } from "../wire/retry-after.ts";
import { rejectedKeyCode } from "./upstream-failure-kinds.ts";

export interface UpstreamErrorBody {
  message: string;
  type: string;
  code: string | number | null;
  /** Google's name for the error; its code only repeats the status. */
  name?: string;
  param: string;
  /** Google's time to wait, as it writes it. */
  retryDelay?: string;
  /** `isJson` says whether the body is JSON; a proxy's page is not. */
  isJson: boolean;
}

const nameMax = 100;
const statusNames = new Set<unknown>(Object.values(STATUS_CODES));
export const defaultReport = {
  type: "upstream_error",
  code: "bad_response_status_code",
  param: "",
  isJson: true,
} as const;
/** Fields in which providers with other APIs state their reason. */
const reasons = ["message", "Message", "detail", "error_msg", "error_message", "msg", "title"];
/** Amazon's names for an unknown key, or for a signature with another key. */
const rejectedByAmazon = new Set([
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "IncompleteSignatureException",
  "MissingAuthenticationTokenException",
]);
/** OpenRouter reports input that a moderator refused as a 403 without a code. */
const flaggedCode = "content_filter";

/** `noReason` is what a body without words is given as its reason. */
export const noReason = "no reason given";

export function parseErrorBody(body: Buffer, amazonName?: string): UpstreamErrorBody {
  const written = body.toString("utf8").trim();
  let json: unknown;
  try {
    json = JSON.parse(written);
  } catch {
    return { ...defaultReport, message: formatPlainWords(written), isJson: false };
  }
  // Google's compatible API answers errors as a list of one.
  const [first] = Array.isArray(json) ? (json as unknown[]) : [json];
  if (typeof first === "string") return { ...defaultReport, message: first };
  const report = readErrorObject(isRecord(first) ? first : {}, amazonName);
  return { ...report, ...buildInnerReport(report.message) };
}

/** The member `error` of a body, or of an event of a stream: an object, or words. */
export function parseErrorValue(error: unknown): UpstreamErrorBody {
  const message = isWords(error) ? error : noReason;
  const report = isRecord(error) ? readReport(error) : { ...defaultReport, code: null, message };
  return { ...report, ...buildInnerReport(report.message) };
}

/** Of a proxy's page the title says what is wrong; a line of words says it itself. */
function formatPlainWords(written: string): string {
  if (written !== "" && written.length <= plainTextMax && !written.includes("<")) return written;
  const [, title = ""] = /<title[^>]{0,100}>([^<]{1,200})</i.exec(written) ?? [];
  const words = title.replaceAll(/\s+/g, " ").trim();
  return words === "" ? "the answer was not JSON" : `the answer was a page: ${words}`;
}
const plainTextMax = 500;

function readErrorObject(json: JsonRecord, amazonName: string | undefined): UpstreamErrorBody {
  const { error, error_description, message: said } = json;
  // Node's frameworks put the name of the status beside the reason.
  if (isWords(said) && statusNames.has(error)) return { ...defaultReport, message: said };
  // The error of OAuth is a code, and its description the reason.
  if (isWords(error) && isWords(error_description))
    return { ...defaultReport, code: findCode(error) ?? null, message: error_description };
  if (isWords(error)) return { ...defaultReport, message: error };
  if (isRecord(error)) return readReport(error);
  const code = findCode(json.code);
  const named: UpstreamErrorBody = {
    ...defaultReport,
    message: noReason,
    ...(code !== undefined && { code }),
    ...findAmazonCode(amazonName),
  };
  const listed = [json.errors, json.detail].flatMap((member) =>
    Array.isArray(member) ? (member as unknown[]) : [],
  );
  // Cloudflare lists errors, FastAPI what is wrong with each member; MiniMax puts the status beside
  // an empty answer.
  const [inner] = [...listed, json.detail, json.base_resp].filter(isRecord);
  const message =
    [...reasons.map((name) => json[name]), ...listWords(inner), ...listed].find(isWords) ??
    deepWords(json) ??
    noReason;
  const innerCode = inner && findCode(inner.code ?? inner.status_code ?? inner.type);
  const type = isRecord(json.base_resp) ? typeOfMiniMax[text(innerCode)] : undefined;
  return {
    ...named,
    ...(innerCode && named.code === defaultReport.code && { code: innerCode }),
    ...(type && { type }),
    ...(inner && findPlace(inner)),
    message,
  };
}

/** FastAPI names the member by the way to it: `["body", "messages", 0, "name"]`. */
function findPlace({ loc }: JsonRecord): Pick<UpstreamErrorBody, "param"> | undefined {
  const [root, ...names] = Array.isArray(loc) ? (loc as unknown[]) : [];
  return root === "body" && names.length > 0
    ? { param: names.map(String).join(".").slice(0, nameMax) }
    : undefined;
}

/** MiniMax answers 200 and says in a number what is wrong. */
const typeOfMiniMax: Readonly<Record<string, string>> = {
  "1002": "rate_limit_error",
  "1004": "authentication_error",
  "1008": "billing_error",
  "1026": "invalid_request_error",
  "1027": "invalid_request_error",
  "1039": "rate_limit_error",
  "2013": "invalid_request_error",
};

/** `deepReasons` are the places at which servers of other kinds put their reason, however deep. */
const deepReasons = [
  ...reasons,
  ...[
    "errorMessage",
    "faultstring",
    "reason",
    "status_msg",
    "error",
    "errors",
    "err",
    "fault",
    "cause",
    "response",
    "data",
    // Tencent's.
    "Response",
    "Error",
  ],
];
const depthMax = 5;

function deepWords(value: unknown, depth = 0): string | undefined {
  if (isWords(value)) return value;
  if (depth >= depthMax) return undefined;
  if (Array.isArray(value)) return deepWords((value as unknown[])[0], depth + 1);
  if (!isRecord(value)) return undefined;
  for (const name of deepReasons) {
    const words = deepWords(value[name], depth + 1);
    if (words !== undefined) return words;
  }
  // Errors by the names of the members that have them.
  return isRecord(value.errors) ? deepWords(Object.values(value.errors), depth + 1) : undefined;
}

const isWords = (value: unknown): value is string => typeof value === "string" && value !== "";
const listWords = (inner: JsonRecord | undefined): unknown[] =>
  inner ? [...reasons, "status_msg"].map((name) => inner[name]) : [];
const findCode = (code: unknown): string | undefined =>
  typeof code === "number" && code !== 0
    ? String(code)
    : isWords(code)
      ? code.slice(0, nameMax)
      : undefined;

function readReport({
  message,
  type,
  param,
  details,
  metadata,
  status,
  ...rest
}: JsonRecord): UpstreamErrorBody {
  const isKeyRejected =
    isKeyUnknownToGoogle(details) ||
    (isWords(message) && /^API key (?:not valid|expired)/i.test(message));
  const code = isKeyRejected ? rejectedKeyCode : isInputFlagged(metadata) ? flaggedCode : rest.code;
  // OpenRouter repeats the words of its provider beside its own.
  const raw = isRecord(metadata) ? metadata.raw : undefined;
  const words = isWords(message)
    ? message
    : (deepWords({ ...rest, message }) ?? deepWords(details) ?? noReason);
  const retryDelay = findRetryDelay(details);
  return {
    message:
      isWords(raw) && !words.includes(raw) ? `${words} (${raw.slice(0, plainTextMax)})` : words,
    type: typeof type === "string" ? type : defaultReport.type,
    code: typeof code === "string" || typeof code === "number" ? code : null,
    ...(typeof status === "string" && { name: status }),
    param: typeof param === "string" ? param : "",
    ...(retryDelay !== undefined && { retryDelay }),
    isJson: true,
  };
}

/** Bodies inside each other that are read. */
const quotedMax = 3;

/**
 * Gateways in between quote the whole body of the provider's error as its message, and so does the
 * next one.
 */
function buildInnerReport(message: string, depth = 0): Partial<UpstreamErrorBody> {
  if (depth >= quotedMax || !/^[[{]/.test(message)) return {};
  try {
    const parsed: unknown = JSON.parse(message);
    const { error } = (Array.isArray(parsed) ? parsed[0] : parsed) as JsonRecord;
    if (!isRecord(error) || !isWords(error.message)) return {};
    const { type, code, message: words, retryDelay } = readReport(error);
    return {
      message: words,
      type,
      ...(code !== null && { code }),
      ...(retryDelay !== undefined && { retryDelay }),
      ...buildInnerReport(words, depth + 1),
    };
  } catch {
    return {};
  }
}

/** Amazon names the error in a header; a URL may follow behind a colon. */
function findAmazonCode(
  amazonName: string | undefined,
): Pick<UpstreamErrorBody, "code"> | undefined {
  const [name] = amazonName?.split(":") ?? [];
  if (!name) return undefined;
  return { code: rejectedByAmazon.has(name) ? rejectedKeyCode : name.slice(0, nameMax) };
}

/** Google's code repeats the status; its details name the error. */
const isKeyUnknownToGoogle = (details: unknown): boolean =>
  Array.isArray(details) &&
  details.some((detail: { reason?: unknown } | null) => detail?.reason === "API_KEY_INVALID");

const isInputFlagged = (metadata: unknown): boolean =>
  isRecord(metadata) && metadata.flagged_input !== undefined;
