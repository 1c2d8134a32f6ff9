/** The standard variables of OpenTelemetry as settings: whether spans are sent, where, and of which calls. Pure. */
import { isHeaderValue } from "@tollgate/contract/channel-overrides.ts";
import type { NamingColumn } from "./gen-ai-names.ts";

export interface OtelSettings {
  /** Where batches are posted. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  isCompressed: boolean;
  /** `service.name` and whatever the operator says of the process. */
  resource: Readonly<Record<string, string>>;
  sampler: SpanSampler;
  /** The column of names. */
  naming: NamingColumn;
  /** Whether spans name the user and the API key, by number. */
  namesAccounts: boolean;
}

export interface SpanSampler {
  /** The share of traces that is sent, from 0 to 1. */
  ratio: number;
  /** Whether calls that failed or were slow are sent although they are not in the share. */
  keepsFailures: boolean;
  /** Whether the sampled flag of a client decides. */
  trustsClient: boolean;
}

export const spanSamplers = ["parentbased_traceidratio", "always_on", "always_off"] as const;

/** As the environment has them, after their schemas. */
export interface OtelVariables {
  OTEL_SDK_DISABLED: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_PROTOCOL: string;
  OTEL_EXPORTER_OTLP_HEADERS: string;
  OTEL_EXPORTER_OTLP_TIMEOUT: number;
  OTEL_EXPORTER_OTLP_COMPRESSION: string;
  OTEL_SERVICE_NAME?: string | undefined;
  OTEL_RESOURCE_ATTRIBUTES: string;
  OTEL_TRACES_SAMPLER: (typeof spanSamplers)[number];
  OTEL_TRACES_SAMPLER_ARG: number;
  OTEL_TRUST_CALLER_SAMPLING: string;
  OTEL_SEMCONV_STABILITY_OPT_IN: string;
  OTEL_SPAN_ACCOUNTS: string;
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: string;
}

/** Undefined where no spans are sent; otherwise nothing else of these variables is looked at, as other programs read them too. */
export function otelSettingsOf(variables: OtelVariables): OtelSettings | { problem: string } | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = variables;
  const endpoint = own ?? (base === undefined ? undefined : `${base}/v1/traces`);
  if (endpoint === undefined || variables.OTEL_SDK_DISABLED === "true") return undefined;
  if (variables.OTEL_EXPORTER_OTLP_PROTOCOL !== "http/json")
    return { problem: "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, which every collector takes at its HTTP port" };
  if (variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === "true")
    return {
      problem:
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT cannot be true: this version records no contents of calls in spans",
    };
  const headers = pairsOf(variables.OTEL_EXPORTER_OTLP_HEADERS);
  if (!headers || !Object.entries(headers).every(([name, value]) => headerName.test(name) && isHeaderValue(value)))
    return { problem: "OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs with commas between them" };
  const attributes = pairsOf(variables.OTEL_RESOURCE_ATTRIBUTES);
  if (!attributes) return { problem: "OTEL_RESOURCE_ATTRIBUTES must be name=value pairs with commas between them" };
  return {
    endpoint,
    headers,
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    isCompressed: variables.OTEL_EXPORTER_OTLP_COMPRESSION === "gzip",
    resource: {
      "service.name": "tollgate",
      ...attributes,
      ...(variables.OTEL_SERVICE_NAME !== undefined && { "service.name": variables.OTEL_SERVICE_NAME }),
    },
    sampler: samplerOf(variables),
    naming: variables.OTEL_SEMCONV_STABILITY_OPT_IN.split(",").some((name) => name.trim() === latestNames)
      ? "latest"
      : "released",
    namesAccounts: variables.OTEL_SPAN_ACCOUNTS === "true",
  };
}

const latestNames = "gen_ai_latest_experimental";
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

function samplerOf(variables: OtelVariables): SpanSampler {
  const trustsClient = variables.OTEL_TRUST_CALLER_SAMPLING === "true";
  switch (variables.OTEL_TRACES_SAMPLER) {
    case "always_on":
      return { ratio: 1, keepsFailures: true, trustsClient: false };
    case "always_off":
      return { ratio: 0, keepsFailures: false, trustsClient: false };
    default:
      return { ratio: variables.OTEL_TRACES_SAMPLER_ARG, keepsFailures: true, trustsClient };
  }
}

/** `a=1,b=two%20words`, as W3C Baggage writes pairs; undefined where it is something else. */
function pairsOf(text: string): Record<string, string> | undefined {
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
