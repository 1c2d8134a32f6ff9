/** A small HTTP request with a JSON reply. It is never retried. */
import type { Exit } from "./egress.ts";
import { requestText } from "./request-text.ts";

export interface JsonRequest {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  /** `URLSearchParams` go as a form, everything else as JSON. */
  body?: unknown;
  /** 256 KiB by default. */
  replyBytesMax?: number;
}

/** A reply whose body is no JSON, as error pages of proxies are. */
export class NotJsonReply extends SyntaxError {
  readonly status: number;
  constructor(status: number, cause: unknown) {
    super("the reply is not JSON", { cause });
    this.status = status;
  }
}

/** Throws when no JSON reply arrives in time; an error status is a reply. */
export async function requestJson(
  exit: Exit,
  { body, headers, ...request }: JsonRequest,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json; charset=utf-8";
  const sent = {
    ...request,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": type }),
      ...headers,
    },
    body: body === undefined ? null : isForm ? body.toString() : JSON.stringify(body),
  };
  const { status, text } = await requestText(exit, sent, signal);
  try {
    return { status, body: JSON.parse(text) as unknown };
  } catch (error) {
    throw new NotJsonReply(status, error);
  }
}
