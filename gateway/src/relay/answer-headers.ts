/** The gateway's own headers on answers of the client API. */

/**
 * The id of the call under the names that OpenAI's and Anthropic's libraries read, and under that
 * of compatible servers.
 */
export const requestIdHeaders = ["x-oneapi-request-id", "x-request-id", "request-id"];

export const upstreamIdHeader = "x-tollgate-upstream-request-id";

/** `servedModelHeader` says which target of a virtual model answers. */
export const servedModelHeader = "x-tollgate-model";

/**
 * `costHeader` is what a whole answer costs in dollars, under the name that clients of LiteLLM
 * read.
 */
export const costHeader = "x-litellm-response-cost";

/**
 * `cacheHeader` says whether the response cache answers, for a call that asked for it by the same
 * name.
 */
export const cacheHeader = "x-tollgate-cache";

const exposedHeaders = [
  "retry-after",
  ...requestIdHeaders,
  upstreamIdHeader,
  servedModelHeader,
  cacheHeader,
  costHeader,
  "sunset",
  "deprecation",
  "x-tollgate-lost",
  "x-tollgate-budget",
].join(", ");

export const fixedHeaders = [
  // Generated text must not become a page when a browser opens it.
  ...["x-content-type-options", "nosniff"],
  // Browsers may call with a key of their own; this API has no cookies to abuse.
  ...["access-control-allow-origin", "*"],
  ...["access-control-expose-headers", exposedHeaders],
];

/** Names of models may hold other characters, which no header carries. */
export const headerText = /^[\x20-\x7e]+$/;

/** Many proxies limit all headers together to a few thousand characters. */
const droppedHeaderMaxLength = 1_000;

/**
 * Names the request fields that a translation dropped. Names beyond the limit become an ellipsis.
 */
export function composeDroppedFieldsHeader(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const all = names.join(", ");
  const cut =
    all.length > droppedHeaderMaxLength
      ? `${all.slice(0, all.lastIndexOf(", ", droppedHeaderMaxLength))}, ...`
      : all;
  return ["x-tollgate-lost", cut];
}
