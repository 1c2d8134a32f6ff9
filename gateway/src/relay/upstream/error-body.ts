/** Parses the error body of an upstream, in whatever form its API reports errors. Pure. */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { rejectedKeyCode } from "./upstream-failure-kinds.ts";

export interface UpstreamErrorBody {
  message: string;
  type: string;
  code: string | number | null;
  /** Google's name for the error; its code only repeats the status. */
  name?: string;
  param: string;
  /** Whether the body is JSON; a proxy's page is not. */
  isJson: boolean;
}

const nameMax = 100;
export const defaultReport = {
  type: "upstream_error",
  code: "bad_response_status_code",
  param: "",
  isJson: true,
} as const;
/** Fields in which providers with other APIs state their reason. */
const reasons = ["message", "Message", "detail", "error_msg", "msg", "title"];
/** Amazon's names for an unknown key, or for a signature with another key. */
const rejectedByAmazon = new Set([
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "IncompleteSignatureException",
  "MissingAuthenticationTokenException",
]);
/** OpenRouter reports input that a moderator refused as a 403 without a code. */
const flaggedCode = "content_filter";

export function parseErrorBody(body: Buffer, amazonName?: string): UpstreamErrorBody {
  try {
    const json = JSON.parse(body.toString("utf8")) as JsonRecord;
    const { error } = json;
    if (typeof error === "string") return { ...defaultReport, message: error };
    if (!isRecord(error)) {
      const reason = reasons
        .map((name) => json[name])
        .find((reported) => typeof reported === "string" && reported !== "");
      return {
        ...defaultReport,
        ...(typeof json.code === "string" && { code: json.code.slice(0, nameMax) }),
        ...amazonCode(amazonName),
        message: typeof reason === "string" ? reason : "no reason given",
      };
    }
    const { message, type, param, details, metadata, status, ...rest } = error;
    const code = isKeyUnknownToGoogle(details) ? rejectedKeyCode : isInputFlagged(metadata) ? flaggedCode : rest.code;
    return {
      message: typeof message === "string" ? message : "no reason given",
      type: typeof type === "string" ? type : defaultReport.type,
      code: typeof code === "string" || typeof code === "number" ? code : null,
      ...(typeof status === "string" && { name: status }),
      param: typeof param === "string" ? param : "",
      isJson: true,
    };
  } catch {
    return { ...defaultReport, message: "the answer was not JSON", isJson: false };
  }
}

/** Amazon names the error in a header; a URL may follow behind a colon. */
function amazonCode(amazonName: string | undefined): Pick<UpstreamErrorBody, "code"> | undefined {
  const [name] = amazonName?.split(":") ?? [];
  if (!name) return undefined;
  return { code: rejectedByAmazon.has(name) ? rejectedKeyCode : name.slice(0, nameMax) };
}

/** Google's code repeats the status; its details name the error. */
const isKeyUnknownToGoogle = (details: unknown): boolean =>
  Array.isArray(details) && details.some((detail: { reason?: unknown } | null) => detail?.reason === "API_KEY_INVALID");

const isInputFlagged = (metadata: unknown): boolean => isRecord(metadata) && metadata.flagged_input !== undefined;
