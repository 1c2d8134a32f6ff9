/** What OpenAI says of a failure by its status. */

type DefaultFailure = { message: string; type: string; code: string | null };

export function defaultFailure(status: number, key: string): DefaultFailure {
  if (status === 401) {
    const message = `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`;
    return { message, type: "invalid_request_error", code: "invalid_api_key" };
  }
  const known = defaultFailures[status];
  if (known) return known;
  return status < 500
    ? {
        message: `The request was refused with status ${status}.`,
        type: "invalid_request_error",
        code: null,
      }
    : {
        message: "The server had an error while processing your request. Sorry about that!",
        type: "server_error",
        code: null,
      };
}

const defaultFailures: Record<number, DefaultFailure> = {
  403: {
    message: "Your request is forbidden.",
    type: "request_forbidden",
    code: "unsupported_country_region_territory",
  },
  404: {
    message: "The model does not exist or you do not have access to it.",
    type: "invalid_request_error",
    code: "model_not_found",
  },
  429: {
    message: "Rate limit reached for requests per minute. Please try again later.",
    type: "requests",
    code: "rate_limit_exceeded",
  },
  503: {
    message: "The engine is currently overloaded, please try again later.",
    type: "server_error",
    code: null,
  },
};

/** OpenAI repeats the beginning and end of an incorrect key. */
function masked(key: string): string {
  return key.length <= 8
    ? "*".repeat(key.length)
    : `${key.slice(0, 4)}${"*".repeat(key.length - 8)}${key.slice(-4)}`;
}
