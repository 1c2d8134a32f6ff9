import { describe, expect, test } from "vitest";
import { buildEra, handshakeRevisions, negotiated, statelessRevision } from "./mcp-revisions.ts";

const meta = (version: unknown) => ({
  _meta: { "io.modelcontextprotocol/protocolVersion": version },
});
const whole = {
  "mcp-protocol-version": statelessRevision,
  "mcp-method": "tools/call",
  "mcp-name": "find",
};
const codeOf = (checked: ReturnType<typeof buildEra>) =>
  "error" in checked ? checked.error.code : checked.era;

describe("the revision of a request", () => {
  test("a request without one belongs to a handshake, and may repeat the revision that was agreed on", () => {
    expect(codeOf(buildEra({ method: "tools/list", params: {} }, {}))).toBe("handshake");
    for (const version of handshakeRevisions)
      expect(
        codeOf(buildEra({ method: "tools/list", params: {} }, { "mcp-protocol-version": version })),
      ).toBe("handshake");
    expect(
      codeOf(
        buildEra({ method: "tools/list", params: {} }, { "mcp-protocol-version": "2019-01-01" }),
      ),
    ).toBe(-32022);
  });

  test("headers that disagree with the body are refused, so that no proxy is told of another tool", {
    tags: ["MC-01"],
  }, () => {
    const call = { method: "tools/call", params: { name: "find", ...meta(statelessRevision) } };
    expect(codeOf(buildEra(call, whole))).toBe("stateless");
    for (const headers of [
      { ...whole, "mcp-name": "remove" },
      { ...whole, "mcp-method": "tools/list" },
      { ...whole, "mcp-protocol-version": "2025-11-25" },
      { "mcp-protocol-version": statelessRevision, "mcp-method": "tools/call" },
      {},
    ])
      expect(codeOf(buildEra(call, headers))).toBe(-32020);
    expect(codeOf(buildEra({ method: "tools/call", params: { name: "find" } }, whole))).toBe(
      -32020,
    );
    const other = { ...call, params: { name: "find", ...meta("2030-01-01") } };
    expect(codeOf(buildEra(other, { ...whole, "mcp-protocol-version": "2030-01-01" }))).toBe(
      -32022,
    );
    expect(codeOf(buildEra({ ...call, params: { name: "find", ...meta(7) } }, whole))).toBe(-32020);
  });

  test("a name beyond ASCII travels in base64", () => {
    const params = { name: "suche-ä", ...meta(statelessRevision) };
    const encoded = `=?base64?${Buffer.from("suche-ä").toString("base64")}?=`;
    expect(
      codeOf(buildEra({ method: "tools/call", params }, { ...whole, "mcp-name": encoded })),
    ).toBe("stateless");
  });
});

test("initialize agrees on the client's revision where it is known, else on the newest", () => {
  expect(negotiated({ protocolVersion: "2025-03-26" })).toBe("2025-03-26");
  expect(negotiated({ protocolVersion: "2026-07-28" })).toBe("2025-11-25");
  expect(negotiated({})).toBe("2025-11-25");
});
