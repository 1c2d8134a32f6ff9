import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { parseRealtimeCall, realtime } from "./realtime-format.ts";

const asked = (url: string, headers: Record<string, string> = {}) =>
  ({ url, headers }) as unknown as IncomingMessage;
const at = "/v1/realtime?model=gpt-realtime";

describe("a session", () => {
  test("names its model in its address", () => {
    expect(parseRealtimeCall(asked(at))).toMatchObject({
      model: "gpt-realtime",
      isStream: true,
      headers: [],
    });
    const url = realtime.upstream.urlFor?.(
      new URL("https://api.openai.com/v1/realtime"),
      parseRealtimeCall(asked(at)),
      "a b&c",
    );
    expect(String(url)).toBe("https://api.openai.com/v1/realtime?model=a+b%26c");
  });

  test.each([
    "/v1/realtime",
    "/v1/realtime?model=",
    `${at}&call_id=rtc_1`,
    `${at}&intent=translation`,
    "/v1/realtime?intent=transcription&model=",
  ])("%s is refused", (url) => expect(() => parseRealtimeCall(asked(url))).toThrow(RelayRefused));

  test.each([
    ["/v1/realtime?intent=transcription", "gpt-4o-transcribe"],
    ["/v1/realtime?intent=transcription&model=whisper-1", "whisper-1"],
  ])("that only transcribes (%s) has no model in the provider's address", (url, model) => {
    const call = parseRealtimeCall(asked(url));
    expect(call.model).toBe(model);
    const sent = call.upstream.urlFor?.(
      new URL("https://mine.openai.azure.com/openai/v1/realtime"),
      call,
      "deployment",
    );
    expect(String(sent)).toBe(
      "https://mine.openai.azure.com/openai/v1/realtime?intent=transcription",
    );
  });

  test.each([
    [{ "openai-beta": "realtime=v1" }, ["openai-beta", "realtime=v1"]],
    [
      { "sec-websocket-protocol": "realtime, openai-beta.realtime-v1" },
      ["openai-beta", "realtime=v1"],
    ],
    [{ "openai-beta": "x".repeat(2_000) }, []],
    [{ "openai-organization": "org" }, []],
  ])("%j passes %j on", (headers, passed) =>
    expect(parseRealtimeCall(asked(at, headers)).headers).toEqual(passed),
  );
});
