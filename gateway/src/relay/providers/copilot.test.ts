import { callOf, headersOf, settingsOf } from "@tollgate/tests/support/provider-adapter.ts";
import { describe, expect, test } from "vitest";
import { copilot } from "./copilot.ts";
import { buildUpstreamRequest } from "./upstream-request.ts";

// GitHub publishes no reference of this interface: the exchange is modelled on what public clients
// of it do.

const token =
  "tid=1;exp=1763730000;sku=monthly_subscriber;proxy-ep=proxy.individual.githubcopilot.com:abc";
const now = 1_763_728_200_000;
const answer = {
  token,
  expires_at: 1_763_730_000,
  refresh_in: 1500,
  endpoints: { api: "https://api.business.githubcopilot.com" },
};
const secretIn = (json: object) => copilot.tokenExchange?.read({ ...json }, now)?.secret ?? "";

describe("signing in", () => {
  test.each([
    [undefined, "https://api.github.com/copilot_internal/v2/token"],
    [
      "https://api.enterprise.githubcopilot.com",
      "https://api.github.com/copilot_internal/v2/token",
    ],
    ["https://copilot.example/below", "https://copilot.example/copilot_internal/v2/token"],
  ])("a channel at %s asks %s for a token", (base, url) => {
    const request = copilot.tokenExchange?.request("gho_stored", settingsOf(53, base), now);
    expect([request?.method, String(request?.url)]).toEqual(["GET", url]);
    expect(request && headersOf(request)).toMatchObject({
      authorization: "token gho_stored",
      "editor-version": expect.stringMatching(/^vscode\//),
    });
  });

  test("keeps the token until its end", () => {
    expect(copilot.tokenExchange?.read(answer, now)?.livesMs).toBe(1_800_000);
    for (const odd of [
      {},
      { token },
      { token: "", expires_at: 1 },
      { token: 7, expires_at: 1 },
      { message: "Not Found" },
    ]) {
      expect(copilot.tokenExchange?.read(odd, now)).toBeUndefined();
    }
  });

  test("needs a key and an address", () => {
    expect(() => copilot.tokenExchange?.request("", settingsOf(53), now)).toThrow(
      "access token of GitHub",
    );
    expect(() =>
      copilot.tokenExchange?.request("gho_stored", settingsOf(53, "nowhere"), now),
    ).toThrow("access token of GitHub");
  });
});

const sent = (secret: string, base?: string, body: object = {}) => {
  const settings = settingsOf(53, base);
  const channel = {
    id: 1,
    provider: copilot,
    settings,
    urlsFor: (model: string) => copilot.endpoints(settings, model),
    systemPrompt: null,
    key: "k",
  };
  return buildUpstreamRequest(
    callOf(body),
    channel as unknown as Parameters<typeof buildUpstreamRequest>[1],
    "gpt-4.1",
    secret,
    now,
  );
};

describe("a call", () => {
  test("comes from an editor, with the token that was given for it", async () => {
    const request = await sent(secretIn({ ...answer, endpoints: undefined }));
    expect(String(request.url)).toBe("https://api.githubcopilot.com/chat/completions");
    expect(headersOf(request)).toMatchObject({
      authorization: `Bearer ${token}`,
      "editor-version": expect.any(String),
      "editor-plugin-version": expect.any(String),
      "copilot-integration-id": "vscode-chat",
    });
    expect(headersOf(request)).not.toHaveProperty("copilot-vision-request");
  });

  test.each([
    ["https://api.business.githubcopilot.com", undefined, "https://api.business.githubcopilot.com"],
    ["https://evil.example", undefined, "https://api.githubcopilot.com"],
    [
      "https://api.business.githubcopilot.com.evil.example",
      undefined,
      "https://api.githubcopilot.com",
    ],
    [
      "https://api.business.githubcopilot.com",
      "https://copilot.example",
      "https://copilot.example",
    ],
  ])("goes to the host of the plan, %s, for a channel at %s: %s", async (api, base, host) => {
    const request = await sent(secretIn({ ...answer, endpoints: { api } }), base);
    expect(request.url.origin).toBe(host);
    expect(headersOf(request).authorization).toBe(`Bearer ${token}`);
  });

  test("says so when there is something to be seen", async () => {
    const content = [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }];
    const request = await sent(secretIn(answer), undefined, {
      messages: [{ role: "user", content }],
    });
    expect(headersOf(request)["copilot-vision-request"]).toBe("true");
  });
});
