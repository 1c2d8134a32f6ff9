/**
 * The standard variables of OpenTelemetry as settings: whether spans are sent, where, and of which
 * calls. Pure.
 */
import { isHeaderValue } from "@tollgate/contract/catalogue/channel-overrides.ts";
import type { NamingColumn } from "./gen-ai-names.ts";

export interface OtelSettings {
  /** `endpoint` is where batches are posted. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  isCompressed: boolean;
  /** `service.name` and whatever the operator says of the process. */
  resource: Readonly<Record<string, string>>;
  sampler: SpanSampler;
  /** The column of names. */
  naming: NamingColumn;
  /** `namesAccounts` says whether spans name the user and the API key, by number. */
  namesAccounts: boolean;
}

export interface SpanSampler {
  /** The share of traces that is sent, from 0 to 1. */
  ratio: number;
  /**
   * `keepsFailures` says whether calls that failed or were slow are sent although they are not in
   * the share.
   */
  keepsFailures: boolean;
  /** `trustsClient` says whether the sampled flag of a client decides. */
  trustsClient: boolean;
}

/**
 * `OtelVariables` are as the environment has them. Other programs read them too, so that nothing is
 * judged but where spans are sent.
 */
export interface OtelVariables {
  OTEL_SDK_DISABLED?: string | undefined;
  OTEL_TRACES_EXPORTER?: string | undefined;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_PROTOCOL?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_HEADERS?: string | undefined;
  OTEL_EXPORTER_OTLP_TIMEOUT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT?: string | undefined;
  OTEL_EXPORTER_OTLP_COMPRESSION?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION?: string | undefined;
  OTEL_SERVICE_NAME?: string | undefined;
  OTEL_RESOURCE_ATTRIBUTES?: string | undefined;
  OTEL_TRACES_SAMPLER?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG?: string | undefined;
  OTEL_TRUST_CALLER_SAMPLING?: string | undefined;
  OTEL_SEMCONV_STABILITY_OPT_IN?: string | undefined;
  OTEL_SPAN_ACCOUNTS?: string | undefined;
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?: string | undefined;
}

export interface OtelReading {
  /** Undefined where no spans are sent. */
  settings: OtelSettings | undefined;
  /**
   * `notes` name the protocols and settings that are not spoken here, and the replacement of each.
   */
  notes: readonly string[];
}

const nothing: OtelReading = { settings: undefined, notes: [] };
const without = (note: string): OtelReading => ({ settings: undefined, notes: [note] });

const [timeoutMinMs, timeoutMaxMs] = [100, 60_000];
const defaultTimeoutMs = 10_000;
const defaultRatio = 0.1;
const textMax = 8_000;

/**
 * A value in no form at all is a slip of the operator and stops the start; one that is only not
 * spoken here does not.
 */
class MalformedVariable extends Error {}

export function buildOtelSettings(variables: OtelVariables): OtelReading | { problem: string } {
  try {
    return readOtel(variables);
  } catch (error) {
    if (error instanceof MalformedVariable) return { problem: error.message };
    throw error;
  }
}

function readOtel(variables: OtelVariables): OtelReading {
  const [name, endpoint] = findEndpoint(variables);
  if (endpoint === undefined || variables.OTEL_SDK_DISABLED?.toLowerCase() === "true")
    return nothing;
  const exporters = (variables.OTEL_TRACES_EXPORTER ?? "otlp").split(",").map((one) => one.trim());
  if (exporters.includes("none")) return nothing;
  if (!exporters.includes("otlp"))
    return without(`OTEL_TRACES_EXPORTER names no otlp: no spans are sent`);
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    return without(`${name} is no http:// or https:// address: no spans are sent`);
  const protocol = buildTracesOr(variables, "PROTOCOL");
  if (protocol.value === "grpc")
    return without(
      `${protocol.name}=grpc is not spoken: no spans are sent. Set it to http/json, and the endpoint to the collector's HTTP port`,
    );
  const { naming, notes: nameNotes } = buildNaming(variables);
  const sampling = buildSampler(variables);
  const compression = buildTracesOr(variables, "COMPRESSION");
  const isCompressed = compression.value === "gzip";
  return {
    settings: {
      endpoint,
      headers: buildHeaders(buildTracesOr(variables, "HEADERS")),
      timeoutMs: computeTimeout(buildTracesOr(variables, "TIMEOUT")),
      isCompressed,
      resource: buildResource(variables),
      sampler: sampling.sampler,
      naming,
      namesAccounts: readFlag(variables, "OTEL_SPAN_ACCOUNTS", true),
    },
    notes: [
      ...(protocol.value === undefined || protocol.value === "http/json"
        ? []
        : [
            `${protocol.name}=${protocol.value} is not spoken: spans are sent as http/json, which collectors take at the same port`,
          ]),
      ...(compression.value === undefined || isCompressed || compression.value === "none"
        ? []
        : [`${compression.name}=${compression.value} is not spoken: spans are sent uncompressed`]),
      ...sampling.notes,
      ...nameNotes,
    ],
  };
}

function findEndpoint(variables: OtelVariables): [name: string, address: string | undefined] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = variables;
  if (own !== undefined) return ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", own];
  return [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    base === undefined ? undefined : `${base.replace(/\/+$/, "")}/v1/traces`,
  ];
}

interface GivenVariable {
  name: string;
  value: string | undefined;
}

/** The form for traces alone wins. */
function buildTracesOr(
  variables: OtelVariables,
  what: "PROTOCOL" | "HEADERS" | "TIMEOUT" | "COMPRESSION",
): GivenVariable {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${what}` as const;
  const name = variables[own] === undefined ? (`OTEL_EXPORTER_OTLP_${what}` as const) : own;
  return { name, value: variables[name]?.trim() };
}

function buildHeaders({ name, value = "" }: GivenVariable): Record<string, string> {
  const headers = findPairs(value);
  if (
    !headers ||
    !Object.entries(headers).every(([key, text]) => headerName.test(key) && isHeaderValue(text))
  )
    throw new MalformedVariable(`${name} must be name=value pairs with commas between them`);
  return headers;
}

function computeTimeout({ name, value }: GivenVariable): number {
  if (value === undefined) return defaultTimeoutMs;
  const timeoutMs = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (timeoutMs < timeoutMinMs || timeoutMs > timeoutMaxMs)
    throw new MalformedVariable(
      `${name} must be a whole number from ${timeoutMinMs} to ${timeoutMaxMs}, of milliseconds`,
    );
  return timeoutMs;
}

function buildResource({
  OTEL_RESOURCE_ATTRIBUTES = "",
  OTEL_SERVICE_NAME,
}: OtelVariables): Record<string, string> {
  const attributes = findPairs(OTEL_RESOURCE_ATTRIBUTES);
  if (!attributes)
    throw new MalformedVariable(
      "OTEL_RESOURCE_ATTRIBUTES must be name=value pairs with commas between them",
    );
  const named = OTEL_SERVICE_NAME !== undefined && { "service.name": OTEL_SERVICE_NAME };
  return { "service.name": "tollgate", ...attributes, ...named };
}

/** `readFlag` is about variables that this program alone reads. */
function readFlag(
  variables: OtelVariables,
  name: "OTEL_SPAN_ACCOUNTS" | "OTEL_TRUST_CALLER_SAMPLING",
  byDefault: boolean,
): boolean {
  const value = variables[name];
  if (value !== undefined && value !== "true" && value !== "false")
    throw new MalformedVariable(`${name} must be true or false`);
  return value === undefined ? byDefault : value === "true";
}

function buildNaming(variables: OtelVariables): { naming: NamingColumn; notes: string[] } {
  const optIns = (variables.OTEL_SEMCONV_STABILITY_OPT_IN ?? "")
    .split(",")
    .map((name) => name.trim());
  const captures = !["", "false"].includes(
    (variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? "").toLowerCase(),
  );
  return {
    naming: optIns.includes(latestNames) ? "latest" : "released",
    notes: captures
      ? [
          "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT has no effect: no contents of calls are in spans",
        ]
      : [],
  };
}

const latestNames = "gen_ai_latest_experimental";
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/**
 * `samplers` hold those of the specification. A client's flag decides only where the operator
 * trusts it, whatever the sampler is called.
 */
const samplers: Readonly<Record<string, (ratio: number, trustsClient: boolean) => SpanSampler>> = {
  always_on: () => ({ ratio: 1, keepsFailures: true, trustsClient: false }),
  always_off: () => ({ ratio: 0, keepsFailures: false, trustsClient: false }),
  traceidratio: (ratio) => ({ ratio, keepsFailures: true, trustsClient: false }),
  parentbased_always_on: (_, trustsClient) => ({ ratio: 1, keepsFailures: true, trustsClient }),
  parentbased_always_off: (_, trustsClient) => ({ ratio: 0, keepsFailures: false, trustsClient }),
  parentbased_traceidratio: (ratio, trustsClient) => ({ ratio, keepsFailures: true, trustsClient }),
};
const usualSampler = "parentbased_traceidratio";

function buildSampler(variables: OtelVariables): { sampler: SpanSampler; notes: string[] } {
  const { OTEL_TRACES_SAMPLER: asked = usualSampler, OTEL_TRACES_SAMPLER_ARG: argument } =
    variables;
  const trustsClient = readFlag(variables, "OTEL_TRUST_CALLER_SAMPLING", false);
  const known = Object.hasOwn(samplers, asked) ? samplers[asked] : undefined;
  const notes = known
    ? []
    : [
        `OTEL_TRACES_SAMPLER=${asked} is not spoken: ${usualSampler} is taken, with a share of ${defaultRatio}`,
      ];
  // The argument of a sampler that is not spoken has a form of its own, and always_on and always_off have none.
  const ratio = known && asked.endsWith("traceidratio") ? computeRatio(argument) : defaultRatio;
  const sampler = known?.(ratio, trustsClient) ?? { ratio, keepsFailures: true, trustsClient };
  return { sampler, notes };
}

function computeRatio(argument: string | undefined): number {
  if (argument === undefined) return defaultRatio;
  if (!/^(?:0?\.\d{1,9}|0|1(?:\.0{1,9})?)$/.test(argument))
    throw new MalformedVariable("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1");
  return Number(argument);
}

/** `a=1,b=two%20words`, as W3C Baggage writes pairs; undefined where it is something else. */
function findPairs(text: string): Record<string, string> | undefined {
  if (text.length > textMax) return undefined;
  const pairs: Record<string, string> = {};
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(at, 0)).trim();
    if (name === "") return undefined;
    try {
      pairs[name] = decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      return undefined;
    }
  }
  return pairs;
}
