/** The provider's own id of a request, which its support asks for. */
import type { IncomingHttpHeaders } from "node:http";

/** OpenAI and most others, Anthropic, Azure, Amazon, Alibaba. */
const names = ["x-request-id", "request-id", "apim-request-id", "x-amzn-requestid", "x-dashscope-request-id"];
/** Ids are short words; anything else does not become a header. */
const idForm = /^[\w.:/+=-]{1,128}$/;

export function upstreamRequestIdIn(headers: IncomingHttpHeaders): string | undefined {
  for (const name of names) {
    const id = headers[name];
    if (typeof id === "string" && idForm.test(id)) return id;
  }
  return undefined;
}
