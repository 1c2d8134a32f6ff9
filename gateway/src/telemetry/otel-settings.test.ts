import { expect, test } from "vitest";
import { buildOtelSettings, type OtelVariables } from "./otel-settings.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
const settingsOf = (more: OtelVariables) => {
  const read = buildOtelSettings(more);
  return "problem" in read ? read : read.settings;
};
const notesOf = (more: OtelVariables) => {
  const read = buildOtelSettings(more);
  return "problem" in read ? [read.problem] : read.notes;
};
const nothing = { settings: undefined, notes: [] };

test("without a collector, or switched off, nothing is sent and nothing else is looked at", () => {
  const foreign = {
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_HEADERS: "=",
    OTEL_EXPORTER_OTLP_TIMEOUT: "10s",
    OTEL_TRACES_SAMPLER: "jaeger_remote",
    OTEL_TRACES_SAMPLER_ARG: "endpoint=http://jaeger:14250",
    OTEL_TRUST_CALLER_SAMPLING: "yes",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  };
  expect(buildOtelSettings(foreign)).toEqual(nothing);
  expect(buildOtelSettings({ OTEL_TRACES_SAMPLER: "parentbased_always_on" })).toEqual(nothing);
  expect(buildOtelSettings({ ...foreign, ...endpoint, OTEL_SDK_DISABLED: "true" })).toEqual(
    nothing,
  );
  expect(buildOtelSettings({ ...foreign, ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toEqual(
    nothing,
  );
});

test("the collector's address gets the path of traces, and one of traces alone is taken as it is", () => {
  expect(settingsOf(endpoint)).toMatchObject({ endpoint: "http://collector:4318/v1/traces" });
  const own = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://other/intake" };
  expect(settingsOf(own)).toMatchObject({ endpoint: "https://other/intake" });
});

test("of an endpoint alone the usual settings are taken, and nothing is noted", () => {
  expect(buildOtelSettings(endpoint)).toEqual({
    settings: {
      endpoint: "http://collector:4318/v1/traces",
      headers: {},
      timeoutMs: 10_000,
      isCompressed: false,
      resource: { "service.name": "tollgate" },
      sampler: { ratio: 0.1, keepsFailures: true, trustsClient: false },
      naming: "released",
      namesAccounts: true,
    },
    notes: [],
  });
});

test("headers and attributes are percent-decoded pairs, and the service's name wins over its attribute", () => {
  expect(
    settingsOf({
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

test("what is given for traces alone wins", () => {
  const all = { PROTOCOL: "grpc", HEADERS: "x=all", TIMEOUT: "1000", COMPRESSION: "none" };
  const traces = {
    PROTOCOL: "http/json",
    HEADERS: "x=traces",
    TIMEOUT: "2000",
    COMPRESSION: "gzip",
  };
  const named = (prefix: string, values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
  const given = {
    ...endpoint,
    ...named("OTEL_EXPORTER_OTLP_", all),
    ...named("OTEL_EXPORTER_OTLP_TRACES_", traces),
  };
  expect(buildOtelSettings(given)).toMatchObject({
    settings: { headers: { x: "traces" }, timeoutMs: 2_000, isCompressed: true },
    notes: [],
  });
});

test.each([
  [
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/protobuf",
    /^OTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf .* sent as http\/json/,
  ],
  [
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "http/protobuf",
    /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http\/protobuf/,
  ],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "deflate", /uncompressed/],
  [
    "OTEL_TRACES_SAMPLER",
    "jaeger_remote",
    /^OTEL_TRACES_SAMPLER=jaeger_remote .*parentbased_traceidratio/,
  ],
  ["OTEL_TRACES_SAMPLER", "constructor", /^OTEL_TRACES_SAMPLER=constructor/],
  ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true", /no contents/],
])("%s=%s is noted, and spans are sent", (name, value, words) => {
  const given = {
    ...endpoint,
    OTEL_TRACES_SAMPLER_ARG: "endpoint=x",
    OTEL_TRACES_SAMPLER: "always_on",
    [name]: value,
  };
  expect(settingsOf(given)).toMatchObject({ endpoint: "http://collector:4318/v1/traces" });
  expect(notesOf(given)).toEqual([expect.stringMatching(words)]);
});

test.each([
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", /grpc is not spoken: no spans are sent/],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", /OTEL_EXPORTER_OTLP_ENDPOINT is no http/],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://collector", /no spans/],
  ["OTEL_TRACES_EXPORTER", "zipkin", /no spans/],
])("%s=%s is noted, and no spans are sent", (name, value, words) => {
  const given = { ...endpoint, [name]: value };
  expect(settingsOf(given)).toBeUndefined();
  expect(notesOf(given)).toEqual([expect.stringMatching(words)]);
});

const malformed: readonly (readonly [name: string, value: string, words: string])[] = [
  ["OTEL_EXPORTER_OTLP_HEADERS", "no pair", "pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x=%", "pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x=a%0D%0Ab: c", "pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a b=c", "pairs"],
  ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a b=c", "pairs"],
  ["OTEL_RESOURCE_ATTRIBUTES", "=x", "pairs"],
  ["OTEL_RESOURCE_ATTRIBUTES", `x=${"y".repeat(8_000)}`, "pairs"],
  ...["10s", "0", "60001"].map((value) => ["OTEL_EXPORTER_OTLP_TIMEOUT", value, "60000"] as const),
  ...["1.1", "-0.1", "10%", "1e-3"].map(
    (value) => ["OTEL_TRACES_SAMPLER_ARG", value, "from 0 to 1"] as const,
  ),
  ["OTEL_TRUST_CALLER_SAMPLING", "yes", "true or false"],
  ["OTEL_SPAN_ACCOUNTS", "no", "true or false"],
];
test.each(malformed)(
  "%s=%s stops the start with a sentence that names %s",
  (name, value, words) => {
    expect(settingsOf({ ...endpoint, [name]: value })).toEqual({
      problem: expect.stringContaining(words),
    });
    expect(settingsOf({ ...endpoint, [name]: value })).toEqual({
      problem: expect.stringContaining(name),
    });
  },
);

const trusted = { OTEL_TRUST_CALLER_SAMPLING: "true", OTEL_TRACES_SAMPLER_ARG: "0.25" };
test.each([
  ["always_on", { ratio: 1, keepsFailures: true, trustsClient: false }],
  ["always_off", { ratio: 0, keepsFailures: false, trustsClient: false }],
  ["traceidratio", { ratio: 0.25, keepsFailures: true, trustsClient: false }],
  ["parentbased_always_on", { ratio: 1, keepsFailures: true, trustsClient: true }],
  ["parentbased_always_off", { ratio: 0, keepsFailures: false, trustsClient: true }],
  ["parentbased_traceidratio", { ratio: 0.25, keepsFailures: true, trustsClient: true }],
])("the sampler %s", (OTEL_TRACES_SAMPLER, sampler) => {
  expect(buildOtelSettings({ ...endpoint, ...trusted, OTEL_TRACES_SAMPLER })).toMatchObject({
    settings: { sampler },
    notes: [],
  });
  expect(settingsOf({ ...endpoint, OTEL_TRACES_SAMPLER })).toMatchObject({
    sampler: { trustsClient: false },
  });
});

test("the newest names are taken where they are asked for among others", () => {
  const naming = (optIn: string) =>
    settingsOf({ ...endpoint, OTEL_SEMCONV_STABILITY_OPT_IN: optIn });
  expect(naming("http, gen_ai_latest_experimental")).toMatchObject({ naming: "latest" });
  expect(naming("http")).toMatchObject({ naming: "released" });
});
