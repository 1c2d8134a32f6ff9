/**
 * Kinds of failures of providers, recognised by codes of Node and undici and by the gateway's own
 * texts. Pure.
 */

/** The first that matches counts. */
const rules = [
  { kind: "unknown_host", pattern: /ENOTFOUND|EAI_AGAIN/ },
  { kind: "connection_refused", pattern: /ECONNREFUSED/ },
  { kind: "private_address", pattern: /private address|names this machine|UPSTREAM_PRIVATE_HOSTS/ },
  { kind: "unreachable", pattern: /UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/ },
  {
    kind: "silent",
    pattern: /UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|no whole answer within/,
  },
  { kind: "closed", pattern: /UND_ERR_SOCKET|ECONNRESET|EPIPE/ },
  { kind: "certificate", pattern: /CERT_|ERR_TLS|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_SSL|EPROTO/ },
  { kind: "key_refused", pattern: /status 401|refused the key|rejected the gateway's credentials/ },
  { kind: "no_credit", pattern: /status 402/ },
  { kind: "forbidden", pattern: /status 403/ },
  { kind: "not_found", pattern: /status 40[45]/ },
  { kind: "rate_limited", pattern: /status 429/ },
  { kind: "provider_error", pattern: /status 5\d\d/ },
  { kind: "redirect", pattern: /redirects are not followed/ },
  { kind: "wrong_format", pattern: /not in the expected format|not JSON/ },
] as const;

export type FailureKind = (typeof rules)[number]["kind"];

/** Undefined for a failure that already is a sentence, such as a provider's own message. */
export const buildFailureKind = (text: string): FailureKind | undefined =>
  rules.find(({ pattern }) => pattern.test(text))?.kind;
