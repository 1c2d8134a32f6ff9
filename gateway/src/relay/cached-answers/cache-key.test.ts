import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClientFormat } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { responses } from "../formats/responses.ts";
import { callOfJson } from "../read-request.ts";
import { parseExactJson } from "../wire/exact-json.ts";
import { composeCacheKey, readCanonicalJson, readWantedMaxAgeMs } from "./cache-key.ts";

const secret = Buffer.alloc(32, 1);
const caller = { walletId: 1, groups: ["default"] };
const reading = (format: ClientFormat) => ({
  formatFor: () => format,
  isEstimateRough: false,
  hasChoice: () => false,
  isServed: () => true,
});
const keyOf = (
  body: string | object,
  format: ClientFormat = chatCompletions,
  by = caller,
  pin?: string,
) => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return composeCacheKey(callOfJson(bytes, {}, reading(format)), by, pin, secret);
};
const plain = { model: "m", messages: [{ role: "user", content: "hi" }] };

test("spaces and the order of members do not change the key, and any value does", () => {
  const usual = keyOf(plain);
  expect(usual).toBeTypeOf("string");
  expect(keyOf('{ "messages": [{"content":"hi", "role":"user"}], "model":"m" }')).toBe(usual);
  const others = [
    keyOf({ ...plain, temperature: 0 }),
    keyOf({ ...plain, stream: true }),
    keyOf({ ...plain, model: "n" }),
    keyOf({ ...plain, messages: [{ role: "user", content: "hi " }] }),
    keyOf('{"model":"m","seed":9007199254740992,"messages":[{"role":"user","content":"hi"}]}'),
    keyOf('{"model":"m","seed":9007199254740993,"messages":[{"role":"user","content":"hi"}]}'),
    keyOf(plain, chatCompletions, { ...caller, walletId: 2 }),
    keyOf(plain, chatCompletions, { ...caller, groups: ["vip"] }),
    keyOf(plain, chatCompletions, caller, "7"),
  ];
  expect(new Set([usual, ...others]).size).toBe(others.length + 1);
});

test("two bodies have one canonical text exactly where they are the same JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [first, second] = [one, other].map((value) =>
        readCanonicalJson(parseExactJson(JSON.stringify(value))),
      );
      expect(JSON.parse(first ?? "")).toEqual(JSON.parse(JSON.stringify(one)));
      expect(first === second).toBe(
        readCanonicalJson(parseExactJson(JSON.stringify(one, null, 2))) ===
          readCanonicalJson(parseExactJson(JSON.stringify(other))),
      );
    }),
  );
});

test("what acts outside of the call, or depends on it, is not cached", () => {
  const kept = [
    keyOf({ ...plain, tools: [{ type: "function", function: { name: "f" } }] }),
    keyOf({ ...plain, functions: [{ name: "f" }] }),
    keyOf({ ...plain, web_search_options: {} }),
    keyOf({
      model: "m",
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }],
        },
      ],
    }),
    keyOf({ model: "m", input: "hi" }, responses),
    keyOf({ model: "m", input: "hi", store: false, previous_response_id: "resp_1" }, responses),
  ];
  expect(kept).toEqual(kept.map(() => undefined));
  expect(keyOf({ model: "m", input: "hi", store: false }, responses)).toBeTypeOf("string");
});

test("a client says how old an answer may be, and its key how old at most", () => {
  const age = (value?: string, cacheSeconds = 86_400) =>
    readWantedMaxAgeMs(value === undefined ? {} : { "x-tollgate-cache": value }, { cacheSeconds });
  expect([
    age("max-age=600", 60),
    age("max-age=30", 60),
    age("max-age=600", 0),
    age(undefined, 60),
  ]).toEqual([60_000, 30_000, undefined, undefined]);
  expect([age(), age("max-age=600"), age(" Max-Age=1 "), age("max-age=999999")]).toEqual([
    undefined,
    600_000,
    1_000,
    86_400_000,
  ]);
  expect([age("max-age=0"), age("no-store"), age("max-age=-1"), age("max-age=1.5")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
