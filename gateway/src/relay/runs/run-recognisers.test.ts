import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findAgent, findRun } from "./run-recognisers.ts";

const uuid = "b0d5ea46-5d4c-4a4e-9d3a-0d3c1f6f8a11";
const other = "0197f3f0-7c1a-7c33-8f5e-2b1d0e9c4a77";
const codex = { "user-agent": "codex_exec/0.171.0 (Linux)" };

describe("a run is recognised by what its agent sends", () => {
  test.each([
    ["our own header", { "x-tollgate-run": "nightly-7" }, {}, ["tollgate", "nightly-7"]],
    ["a tag", { "x-tollgate-tags": "team=search,run=build-12" }, {}, ["tag", "build-12"]],
    ["LiteLLM's trace", { "x-litellm-trace-id": uuid }, {}, ["litellm_trace", uuid]],
    [
      "Claude Code",
      { "x-claude-code-session-id": uuid, "x-claude-remote-session-id": other },
      {},
      ["claude_code", uuid],
    ],
    [
      "Claude Code behind a proxy that drops headers",
      {},
      { metadata: { user_id: JSON.stringify({ device_id: "d", session_id: uuid }) } },
      ["claude_user", uuid],
    ],
    [
      "old Claude Code",
      {},
      { metadata: { user_id: `user_ab_account_cd_session_${uuid}` } },
      ["claude_user", uuid],
    ],
    ["Codex", { ...codex, "session-id": uuid, "thread-id": other }, {}, ["codex", uuid]],
    ["old Codex", { ...codex, conversation_id: uuid }, {}, ["codex", uuid]],
    ["a bare session-id of another program", { "session-id": uuid }, {}, undefined],
    [
      "OpenCode",
      { "x-session-id": "ses_0123456789abcdefghijklmnop" },
      {},
      ["session", "ses_0123456789abcdefghijklmnop"],
    ],
    [
      "a child session of OpenCode",
      {
        "x-session-id": "ses_child4567890abcdefghijklmno",
        "x-parent-session-id": "ses_0123456789abcdefghijklmnop",
      },
      {},
      ["session", "ses_0123456789abcdefghijklmnop"],
    ],
    ["the parent that another vendor names", { "x-dynamo-parent-session-id": uuid }, {}, undefined],
    ["any other vendor", { "x-acme-session-id": uuid }, {}, ["vendor_session", uuid]],
    ["a made cache key", {}, { prompt_cache_key: uuid }, ["cache_key", uuid]],
    [
      "a cache key that an application chose once for all",
      {},
      { prompt_cache_key: "my-application" },
      undefined,
    ],
    ["baggage", { baggage: `a=b, session.id=${uuid};p=1` }, {}, ["baggage", uuid]],
    [
      "a trace",
      { traceparent: `00-${"4b".repeat(16)}-00f067aa0ba902b7-01` },
      {},
      ["traceparent", "4b".repeat(16)],
    ],
    [
      "a header that came twice",
      { "x-claude-code-session-id": `${uuid}, ${other}` },
      {},
      undefined,
    ],
    ["a text that is too long", { "x-tollgate-run": "a".repeat(201) }, {}, undefined],
    [
      "members of other types",
      {},
      { metadata: [{}], session_id: 7, prompt_cache_key: null },
      undefined,
    ],
    ["nothing", {}, undefined, undefined],
  ] as const)("%s", (_, headers, body, expected) => {
    const found = findRun(headers, body);
    expect(found && [found.recogniser, found.id]).toEqual(expected);
  });
});

test("whatever a client sends, a run has a short plain name or there is none", () => {
  const names = [
    "x-tollgate-run",
    "x-tollgate-tags",
    "x-a-session-id",
    "session-id",
    "baggage",
    "traceparent",
    "user-agent",
  ];
  const headers = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(fc.string(), fc.string({ unit: "binary" })),
  );
  fc.assert(
    fc.property(headers, fc.jsonValue(), (sent, json) => {
      const found = findRun(sent, json);
      if (found) expect(found.id).toMatch(/^[\w.:~/+=@-]{1,200}$/);
      expect(findAgent(sent).length).toBeLessThan(20);
    }),
    { numRuns: 50 },
  );
  const session = fc.record({
    metadata: fc.record({ user_id: fc.string() }),
    session_id: fc.string(),
  });
  fc.assert(fc.property(session, (json) => (findRun({}, json)?.id ?? "").length <= 200));
});
