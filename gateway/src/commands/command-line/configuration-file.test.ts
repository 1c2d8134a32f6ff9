import { expect, test } from "vitest";
import { readConfiguration } from "./configuration-file.ts";

const read = (text: string, environment: Record<string, string> = {}) =>
  readConfiguration(text, "f.yaml", {
    environment,
    readFile(path) {
      if (path === "key") return "sk-of-a-file\n";
      throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    },
  });
const channel = (members: string) =>
  `apiVersion: tollgate/v1\nchannels:\n  - { name: x, type: openai, ${members} }\n`;

test("every fault of a file is named with its line and column", () => {
  const text = "apiVersion: tollgate/v1\nchanels: []\nchannels:\n  - name: x\n    type: nosuch\n";
  expect(() => read(text)).toThrow(/f\.yaml:1:1: the file has no member chanels/);
  expect(() => read(text)).toThrow(/f\.yaml:5:11: .*type/);
  expect(() => read("a: [")).toThrow(/^f\.yaml:1:5: /);
  expect(() => read("a: 1\na: 2")).toThrow(/f\.yaml:2:1: /);
  expect(() => read("")).toThrow(/f\.yaml/);
});

test("secrets are references: a literal one is refused without being repeated, and one that is not set is left out", () => {
  expect(() => read(channel("key: sk-canary"))).toThrow(/f\.yaml:3:\d+: .*is a secret/);
  expect(() => read(channel("key: sk-canary"))).not.toThrow(/sk-canary/);
  expect(() => read(channel("config: { custom_headers: { X-Key: canary } }"))).toThrow(
    /is a secret/,
  );
  expect(() => read(channel("config: { sk: canary }"))).toThrow(/is a secret/);
  expect(() => read(channel("key: file:absent"))).toThrow(
    /f\.yaml:3:\d+: file:absent cannot be read \(ENOENT\)/,
  );
  const text = channel(
    "key: file:key, config: { custom_headers: { X-Key: env:SET, X-Other: env:UNSET } }",
  );
  const { document, missing } = read(text, { SET: "header" });
  expect(document.channels).toEqual([
    {
      name: "x",
      type: "openai",
      key: "sk-of-a-file",
      config: { custom_headers: { "X-Key": "header", "X-Other": "********" } },
    },
  ]);
  expect(missing).toEqual(["channels.0.config.custom_headers.X-Other: UNSET"]);
  expect(read(channel("key: env:UNSET")).document.channels?.[0]).not.toHaveProperty("key");
});

test("headers of MCP servers are references too", () => {
  const server = (value: string) =>
    `apiVersion: tollgate/v1\nmcpServers:\n  - { name: pages, url: "https://mcp.example.com/", headers: { X-Key: ${value} } }\n`;
  expect(() => read(server("canary"))).toThrow(
    /f\.yaml:3:\d+: mcpServers\.0\.headers\.X-Key is a secret/,
  );
  expect(() => read(server("canary"))).not.toThrow(/canary/);
  expect(read(server("file:key")).document.mcpServers?.[0]?.headers).toEqual({
    "X-Key": "sk-of-a-file",
  });
  const unset = read(server("env:UNSET"));
  expect(unset.document.mcpServers?.[0]?.headers).toEqual({ "X-Key": "********" });
  expect(unset.missing).toEqual(["mcpServers.0.headers.X-Key: UNSET"]);
});

test("the secret of an identity provider is a reference too, and an empty one says that there is none", () => {
  const provider = (secret: string) =>
    `apiVersion: tollgate/v1\nidentityProviders:\n  - { slug: x, issuer: "https://id.example.com", clientId: c, clientSecret: ${secret} }\n`;
  const secretIn = (secret: string) =>
    read(provider(secret)).document.identityProviders?.[0]?.clientSecret;
  expect(() => read(provider("canary"))).toThrow(/identityProviders\.0\.clientSecret is a secret/);
  expect(secretIn("file:key")).toBe("sk-of-a-file");
  expect(secretIn('""')).toBe("");
  expect(secretIn("env:UNSET")).toBeUndefined();
});

test("aliases that grow without end are refused", () => {
  const lines = [..."bcdefgh"].map(
    (name, at) => `${name}: &${name} [${`*${"abcdefg"[at]}, `.repeat(9)}]`,
  );
  expect(() => read(`a: &a [x]\n${lines.join("\n")}`)).toThrow();
});
