import { describe, expect, test } from "vitest";
import { findKeyInProtocols } from "./socket-handshake.ts";

describe("a WebSocket", () => {
  test.each([
    ["realtime, openai-insecure-api-key.sk-1", "sk-1"],
    ["openai-insecure-api-key.sk-1,realtime", "sk-1"],
    ["realtime", undefined],
    [undefined, undefined],
  ])("with the subprotocols %s has the key %s", (protocols, key) => {
    expect(findKeyInProtocols({ ...(protocols && { "sec-websocket-protocol": protocols }) })).toBe(
      key,
    );
  });
});
