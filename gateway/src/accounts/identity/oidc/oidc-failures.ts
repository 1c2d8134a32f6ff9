/** What a provider of OpenID Connect did wrong, in the words of its administrator. */
import type { OidcProblem } from "@tollgate/contract/accounts/oidc-providers.ts";
import type { Claims } from "./claim-rules.ts";

export const tooManyRequests = 429;

export const internalServerError = 500;

/** A provider that cannot be used as it is. */
export class OidcFailure extends Error {
  readonly problem: OidcProblem;
  constructor(problem: OidcProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

const reportedMax = 50;

export const readText = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, 500) : "";

export const listTexts = (value: unknown): string[] =>
  Array.isArray(value)
    ? (value as unknown[]).slice(0, reportedMax).map(readText).filter(Boolean)
    : [];

export const readMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The library wraps what its `fetch` throws. */
export function classifyFailure(error: unknown): OidcFailure | undefined {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if (cause instanceof OidcFailure) return cause;
    cause = cause.cause;
  }
  return undefined;
}

export function classifyDiscoveryFailure(error: unknown, issuer: string): OidcFailure {
  const cause =
    error instanceof Error
      ? (error.cause as { body?: { issuer?: unknown } } | undefined)
      : undefined;
  const namedIssuer = cause?.body?.issuer;
  if (typeof namedIssuer === "string" && namedIssuer !== issuer)
    return new OidcFailure("issuer", namedIssuer.slice(0, 300), error);
  return new OidcFailure("unreachable", readMessage(error), error);
}

/**
 * The library's message, and how far the clocks are apart where that is the reason. Holds no token
 * and no claim's value.
 */
export function readRefusalReason(error: unknown): string {
  const { code = "", error: word = "" } = error as { code?: unknown; error?: unknown };
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const { claims, claim, now } = (inner?.cause ?? {}) as {
    claims?: Claims;
    claim?: string;
    now?: number;
  };
  const time = claim === undefined ? undefined : claims?.[claim];
  const distance =
    typeof time === "number" && typeof now === "number"
      ? `; ${claim} is ${time - now} seconds from this clock`
      : "";
  const words = [word, code, readMessage(error), inner?.message].filter(
    (part) => typeof part === "string" && part !== "",
  );
  return `${words.join(", ")}${distance}`.slice(0, 500);
}
