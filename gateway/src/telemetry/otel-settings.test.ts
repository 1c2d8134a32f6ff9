import { expect, test } from "vitest";
import { type OtelVariables, otelSettingsOf } from "./otel-settings.ts";

const variables: OtelVariables = {
  OTEL_SDK_DISABLED: "false",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_HEADERS: "",
  OTEL_EXPORTER_OTLP_TIMEOUT: 10_000,
  OTEL_EXPORTER_OTLP_COMPRESSION: "none",
  OTEL_RESOURCE_ATTRIBUTES: "",
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
  OTEL_TRACES_SAMPLER_ARG: 0.1,
  OTEL_TRUST_CALLER_SAMPLING: "false",
  OTEL_SEMCONV_STABILITY_OPT_IN: "",
  OTEL_SPAN_ACCOUNTS: "true",
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "false",
};
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
const read = (more: Partial<OtelVariables>) => otelSettingsOf({ ...variables, ...more });

test("without a collector, or switched off, nothing is sent and nothing else is looked at", () => {
  const foreign = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_HEADERS: "=" };
  expect(read(foreign)).toBeUndefined();
  expect(read({ ...foreign, ...endpoint, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
});

test("the collector's address gets the path of traces, and one of traces alone is taken as it is", () => {
  expect(read(endpoint)).toMatchObject({ endpoint: "http://collector:4318/v1/traces" });
  const own = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://other/intake" };
  expect(read(own)).toMatchObject({ endpoint: "https://other/intake" });
});

test("headers and attributes are percent-decoded pairs, and the service's name wins over its attribute", () => {
  expect(
    read({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: " authorization=Bearer%20a%3Db , x-tenant=1,",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=first,region=eu",
      OTEL_SERVICE_NAME: "gateway",
    }),
  ).toMatchObject({
    headers: { authorization: "Bearer a=b", "x-tenant": "1" },
    resource: { "service.name": "gateway", region: "eu" },
  });
});

test.each([
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/json"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "http/json"],
  ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true", "records no contents"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "no pair", "pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x=%", "pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x=a%0D%0Ab: c", "pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a b=c", "pairs"],
  ["OTEL_RESOURCE_ATTRIBUTES", "=x", "pairs"],
])("%s=%s stops the start with a sentence that names %s", (name, value, words) => {
  expect(read({ ...endpoint, [name]: value })).toEqual({ problem: expect.stringContaining(words) });
  expect(read({ ...endpoint, [name]: value })).toEqual({ problem: expect.stringContaining(name) });
});

test.each([
  ["parentbased_traceidratio", { ratio: 0.1, keepsFailures: true }],
  ["always_on", { ratio: 1, keepsFailures: true }],
  ["always_off", { ratio: 0, keepsFailures: false }],
] as const)("the sampler %s", (sampler, expected) => {
  expect(read({ ...endpoint, OTEL_TRACES_SAMPLER: sampler })).toMatchObject({ sampler: expected });
});

test("the newest names are taken where they are asked for among others", () => {
  const naming = (optIn: string) => read({ ...endpoint, OTEL_SEMCONV_STABILITY_OPT_IN: optIn });
  expect(naming("http, gen_ai_latest_experimental")).toMatchObject({ naming: "latest" });
  expect(naming("http")).toMatchObject({ naming: "released" });
});
