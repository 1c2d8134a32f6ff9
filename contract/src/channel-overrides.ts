/** `custom_headers` and `param_override` of a channel's `config`: what an operator may change about every upstream call. */

/** They belong to the connection and to the body as it is sent, and answers in other encodings could not be read. */
const fixedHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "accept-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  "expect",
]);
/** What the caller said, what the call is priced by, and what brings the usage with a stream. */
const fixedParameters: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "stream_options",
  "messages",
  "input",
  "prompt",
  "contents",
]);

const headersMax = 50;
const headerMax = 4_000;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** What can stand in a header: printable ASCII, so no line break. */
export const isHeaderValue = (value: string): boolean => value.length <= headerMax && /^[\t\x20-\x7e]*$/.test(value);

/** What is wrong with one header, in words, or nothing. */
export function headerIssue(name: string, value: unknown): string | undefined {
  if (!headerName.test(name)) return `Header "${name.slice(0, 100)}" is not a valid name`;
  if (fixedHeaders.has(name.toLowerCase())) return `Header ${name} cannot be set`;
  if (typeof value !== "string") return `Header ${name} must hold text`;
  return isHeaderValue(value) ? undefined : `Header ${name} must hold one line of plain characters`;
}

export const parameterIssue = (name: string): string | undefined =>
  fixedParameters.has(name) ? `Parameter ${name} cannot be overridden` : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first thing wrong with the overrides of a `config`, in words, or nothing. A text that is no object has none. */
export function overridesIssue(config: string): string | undefined {
  const { custom_headers: headers, param_override: parameters, multi_key: isMultiKey } = membersOf(config);
  if (headers !== undefined) {
    if (!isObject(headers)) return "Custom headers must be an object of names and values";
    const named = Object.entries(headers);
    if (named.length > headersMax) return `There can be at most ${headersMax} custom headers`;
    for (const [name, value] of named) {
      const issue = headerIssue(name, value);
      if (issue !== undefined) return issue;
    }
  }
  if (parameters !== undefined) {
    if (!isObject(parameters)) return "Overridden parameters must be an object";
    for (const name of Object.keys(parameters)) {
      const issue = parameterIssue(name);
      if (issue !== undefined) return issue;
    }
  }
  if (isMultiKey !== undefined && typeof isMultiKey !== "boolean") return "Setting multi_key must be true or false";
  return undefined;
}

function membersOf(config: string): Record<string, unknown> {
  try {
    const members: unknown = JSON.parse(config);
    return isObject(members) ? members : {};
  } catch {
    return {};
  }
}
