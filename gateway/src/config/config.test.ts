import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "./config.ts";
import { ConfigError } from "./config-error.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (environment: Record<string, string>) =>
  readSettings({ DATA_DIR: folder, MASTER_KEY: masterKey, ...environment });

describe("the configuration", () => {
  test("is complete with the folder as the only variable", () => {
    const config = readSettings({ DATA_DIR: folder });
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 3_000,
      dataDir: folder,
      databaseUrl: undefined,
      redisUrl: undefined,
      initialRootPassword: undefined,
      publicUrl: undefined,
      trustedProxies: [],
      tokenKeyPrefix: "sk-",
      logLevel: "info",
      logsCalls: false,
      isReadOnly: false,
      shutdownGraceMs: 300_000,
      upstreamIdleTimeoutMs: 120_000,
      upstreamConnectTimeoutMs: 10_000,
      clientStallTimeoutMs: 60_000,
      databaseConnections: 16,
      databasePooler: "none",
      databaseDirectUrl: undefined,
      metricsPort: undefined,
      metricsHost: "127.0.0.1",
      metricsToken: undefined,
      metricsLabels: [],
      countsGenAi: false,
      metricsSeriesMax: 10_000,
      otel: undefined,
      aliasesUsed: [],
    });
    expect(config.masterKeyGiven).toBeUndefined();
  });

  test("treats an empty variable as absent", () => {
    expect(read({ PORT: "", DATABASE_URL: "", LOG_LEVEL: "", PUBLIC_URL: "" })).toMatchObject({
      port: 3_000,
      databaseUrl: undefined,
      logLevel: "info",
    });
  });

  test("reads every variable", () => {
    const config = read({
      HOST: "::1",
      PORT: "0",
      DATABASE_URL: "postgresql://u:p@db:5432/x?sslmode=require",
      DATABASE_POOLER: "transaction",
      DATABASE_DIRECT_URL: "postgres://u:p@db:5433/x",
      REDIS_URL: "rediss://u:p@cache:6380/2",
      INITIAL_ROOT_PASSWORD: "12345678",
      PUBLIC_URL: "https://ai.example.com",
      TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::1,",
      UPSTREAM_PRIVATE_HOSTS: "Ollama:11434, [::1]:8080 ,127.0.0.1:1",
      TOKEN_KEY_PREFIX: "acme-",
      LOG_LEVEL: "silent",
      LOG_CALLS: "true",
      READ_ONLY: "true",
      SHUTDOWN_GRACE_SECONDS: "0",
      UPSTREAM_TIMEOUT_SECONDS: "600",
      UPSTREAM_CONNECT_SECONDS: "2",
      CALLER_TIMEOUT_SECONDS: "30",
      DATABASE_CONNECTIONS: "40",
      METRICS_PORT: "9464",
      METRICS_HOST: "10.0.0.1",
      METRICS_TOKEN: "sixteen-letters!",
      METRICS_LABELS: "group, token,group",
      METRICS_GEN_AI: "true",
      METRICS_SERIES_MAX: "2000",
    });
    expect(config).toMatchObject({
      host: "::1",
      port: 0,
      tokenKeyPrefix: "acme-",
      logLevel: "silent",
      logsCalls: true,
      isReadOnly: true,
      shutdownGraceMs: 0,
      upstreamIdleTimeoutMs: 600_000,
      upstreamConnectTimeoutMs: 2_000,
      clientStallTimeoutMs: 30_000,
      databaseConnections: 40,
      databasePooler: "transaction",
      databaseDirectUrl: "postgres://u:p@db:5433/x",
      metricsPort: 9_464,
      metricsHost: "10.0.0.1",
      metricsToken: "sixteen-letters!",
      metricsLabels: ["group", "token"],
      countsGenAi: true,
      metricsSeriesMax: 2_000,
    });
    expect(config.publicUrl?.origin).toBe("https://ai.example.com");
    const below = read({ PUBLIC_URL: "https://example.com/ai/gate-1.0/" });
    expect(below.publicUrl?.pathname).toBe("/ai/gate-1.0/");
    expect(config.redisUrl?.host).toBe("cache:6380");
    expect(config.trustedProxies).toHaveLength(2);
    expect([...config.upstreamPrivateHosts]).toEqual(["ollama:11434", "[::1]:8080", "127.0.0.1:1"]);
    expect(config.masterKeyGiven).toEqual(Buffer.alloc(32, 7));
  });

  const bad: [name: string, ...values: string[]][] = [
    ["PORT", "abc", "-1", "65536", "80.5", "1e3", " ", "0x50", "３０００", "3000;", "99999999999"],
    ["CHANNEL_TEST_FREQUENCY", "5m", "-1", "525601", "1.5"],
    ["API_RATE_LIMIT", "-1", "1.5", "1000001", "off"],
    ["SHUTDOWN_GRACE_SECONDS", "5m", "-1", "86401", "1.5", "Infinity"],
    ["UPSTREAM_TIMEOUT_SECONDS", "2m", "0", "86401", "0.5"],
    ["UPSTREAM_CONNECT_SECONDS", "10s", "0", "301", "0.5"],
    ["CALLER_TIMEOUT_SECONDS", "1m", "0", "86401", "-1"],
    ["METRICS_PORT", "0", "65536", "prometheus"],
    ["METRICS_TOKEN", "short", "with a space inside", "x".repeat(257)],
    ["METRICS_LABELS", "user", "group,team", "group;token"],
    ["METRICS_GEN_AI", "yes", "1"],
    ["METRICS_SERIES_MAX", "999", "all"],
    ["DATABASE_CONNECTIONS", "many", "0", "1001", "1.5"],
    [
      "DATABASE_URL",
      "mysql://u:secret@db/x",
      "db",
      "/var/lib/x.db",
      "sqlite:x",
      "http://db/x",
      " postgres://db/x",
    ],
    ["DATABASE_DIRECT_URL", "mysql://u:secret@db/x", "db"],
    ["DATABASE_POOLER", "session", "yes", "Transaction"],
    [
      "REDIS_URL",
      "localhost:6379",
      "http://cache",
      "redis:",
      "redis://",
      "redis://u:50%@cache",
      "redis://cache/name",
    ],
    [
      "MASTER_KEY",
      "short",
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
      Buffer.alloc(32).toString("hex"),
      `!!!!${masterKey}`,
      "0".repeat(32),
    ],
    ["INITIAL_ROOT_PASSWORD", "short", "x".repeat(129)],
    [
      "PUBLIC_URL",
      "ai.example.com",
      "ftp://ai.example.com",
      "https://",
      "javascript:alert(1)",
      "https://a b",
      "https://example.com/gate?a=1",
      "https://example.com/gate#a",
      "https://example.com//gate",
      "https://example.com/a'b",
      "https://example.com/%41",
      "https://example.com/v1",
      "https://example.com/api/gate",
      "https://example.com/managed",
      "https://example.com/upload/gate",
      "https://example.com/healthz",
      "https://example.com/v2x",
      "https://example.com/tokens/",
    ],
    [
      "TRUSTED_PROXIES",
      "proxy.example.com",
      "10.0.0.0/33",
      "10.0.0",
      "1.2.3.4,nobody",
      "2001:db8::/129",
      "10.0.0.0/8;::1",
    ],
    [
      "UPSTREAM_PRIVATE_HOSTS",
      "localhost",
      "http://localhost:80",
      "localhost:port",
      ":80",
      "::1:80",
      "a b:80",
      "localhost:80/v1",
      "localhost:99999",
      "localhost:0",
    ],
    ["TOKEN_KEY_PREFIX", "x".repeat(21)],
    [
      "SMTP_URL",
      "mail.example.org",
      "http://mail.example.org",
      "smtp://",
      "smtp://user:50%@mail.example.org",
    ],
    ["LOG_LEVEL", "verbose", "INFO", "0"],
    ["LOG_CALLS", "yes", "1"],
    ["READ_ONLY", "yes", "1"],
  ];
  test.each(bad.flatMap(([name, ...values]) => values.map((value) => ({ name, value }))))(
    "refuses $name=$value and names the variable",
    { tags: ["FT-32"] },
    ({ name, value }) => {
      let refusal: unknown;
      try {
        read({ [name]: value });
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(ConfigError);
      expect((refusal as Error).message).toMatch(new RegExp(`^${name} `));
      expect((refusal as Error).message).not.toContain("\n");
    },
  );

  test.each([
    ["MASTER_KEY", "not-thirty-two-bytes-but-secret"],
    ["NEW_MASTER_KEY", "not-thirty-two-bytes-but-secret"],
    ["INITIAL_ROOT_PASSWORD", "s3cr3t"],
    ["DATABASE_URL", "mysql://root:s3cr3t@db/x"],
    ["REDIS_URL", "redis:/user:s3cr3t@cache"],
    ["SMTP_URL", "smtp:/user:s3cr3t@mail"],
  ])("does not repeat the secret in %s", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(ConfigError);
    expect(() => read({ [name]: value })).not.toThrow(/secret|s3cr3t/);
  });

  test("starts with OpenTelemetry's variables of other programs, and notes what it does not speak", () => {
    const fleet = {
      OTEL_TRACES_SAMPLER: "parentbased_always_on",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    };
    expect(read(fleet)).toMatchObject({ otel: undefined, foreignNotes: [] });
    const sent = read({ ...fleet, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" });
    expect(sent.otel?.sampler.ratio).toBe(1);
    expect(sent.foreignNotes).toEqual([expect.stringContaining("http/protobuf is not spoken")]);
    expect(() =>
      read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_TIMEOUT: "10s" }),
    ).toThrow(ConfigError);
  });

  test("names every invalid variable at once", { tags: ["FT-32"] }, () => {
    expect(() => read({ PORT: "x", LOG_LEVEL: "y" })).toThrow(/PORT.*LOG_LEVEL|LOG_LEVEL.*PORT/);
  });

  test("reads the alias of a variable, reports it, and names the alias in an error", () => {
    const config = read({ SQL_DSN: "postgres://db/x" });
    expect(config.databaseUrl).toBe("postgres://db/x");
    expect(config.aliasesUsed).toEqual([expect.stringMatching(/SQL_DSN.*DATABASE_URL/)]);
    expect(read({ SQL_DSN: "postgres://db/x", DATABASE_URL: "postgres://db/y" })).toMatchObject({
      databaseUrl: "postgres://db/y",
      aliasesUsed: [],
    });
    expect(() => read({ SQL_DSN: "root:pw@tcp(db:3306)/x" })).toThrow(/SQL_DSN/);
  });
});
