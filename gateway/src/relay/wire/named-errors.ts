/**
 * HTTP statuses of the names that providers give errors which come with status 200: inside a
 * stream, or as a failed reply. Pure.
 */

/** `contentNames` blame the context window, or what the content is: agents act on these. */
export const contentNames = new Set([
  "context_length_exceeded",
  "string_above_max_length",
  "request_too_large",
  "content_filter",
  "content_policy_violation",
  "moderation_blocked",
  "data_inspection_failed",
  "DataInspectionFailed",
  "invalid_prompt",
]);

const statusOfName: Readonly<Record<string, number>> = {
  invalid_api_key: 401,
  authentication_error: 401,
  UNAUTHENTICATED: 401,
  insufficient_quota: 429,
  billing_error: 402,
  permission_error: 403,
  PERMISSION_DENIED: 403,
  not_found_error: 404,
  model_not_found: 404,
  NOT_FOUND: 404,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  rate_limit_reached_error: 429,
  RESOURCE_EXHAUSTED: 429,
  // Alibaba's.
  Throttling: 429,
  "Throttling.RateQuota": 429,
  "Throttling.AllocationQuota": 429,
  limit_requests: 429,
  request_too_large: 413,
  invalid_request_error: 400,
  INVALID_ARGUMENT: 400,
  overloaded_error: 529,
  engine_overloaded_error: 503,
  UNAVAILABLE: 503,
  server_is_overloaded: 503,
  slow_down: 503,
};

/** `findNamedStatus` reads the code or the type of an error; undefined for a name without one. */
export const findNamedStatus = (name: unknown): number | undefined =>
  typeof name === "string"
    ? (statusOfName[name] ?? (contentNames.has(name) ? 400 : undefined))
    : undefined;
