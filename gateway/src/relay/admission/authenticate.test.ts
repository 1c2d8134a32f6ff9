import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCredential } from "./authenticate.ts";

const key = fc.stringMatching(/^[A-Za-z0-9]{16,48}$/).filter((text) => !/^(sk|laisky)-/.test(text));
const uuid = "01940000-0000-7000-8000-000000000001";

describe("a credential", () => {
  test.each([
    ["authorization", "Bearer sk-KEY"],
    ["authorization", "bearer sk-KEY"],
    ["authorization", "BEARER   sk-KEY"],
    ["authorization", "sk-KEY"],
    ["authorization", "KEY"],
    ["authorization", "Bearer sk-sk-KEY"],
    ["authorization", "Bearer laisky-KEY"],
    ["authorization", "Bearer sk-laisky-KEY"],
    ["x-api-key", "sk-KEY"],
    ["api-key", "sk-KEY"],
    ["x-goog-api-key", "sk-KEY"],
    ["x-litellm-api-key", "Bearer sk-KEY"],
    ["ocp-apim-subscription-key", "sk-KEY"],
  ])("is found in %s: %s", (header, value) => {
    expect(readCredential({ [header]: value }, "sk-")).toMatchObject({
      key: "KEY",
      pin: undefined,
    });
  });

  test.each([
    ["sk-KEY-12", "12"],
    [`sk-KEY-${uuid}`, uuid],
    ["laisky-KEY-7", "7"],
  ])("may choose a channel: %s", (value, pin) => {
    expect(readCredential({ authorization: `Bearer ${value}` }, "sk-")).toEqual({
      key: "KEY",
      pin,
      whole: value,
    });
  });

  test("keeps every other hyphen", () => {
    for (const text of ["a-b", "KEY-x1", "KEY-12-", "a-b-c"])
      expect(readCredential({ authorization: text }, "sk-")).toEqual({
        key: text,
        pin: undefined,
        whole: text,
      });
    expect(readCredential({ authorization: "a-b-3" }, "sk-")).toEqual({
      key: "a-b",
      pin: "3",
      whole: "a-b-3",
    });
  });

  test("accepts the operator's own prefix", () => {
    expect(readCredential({ authorization: "Bearer acme-KEY" }, "acme-")?.key).toBe("KEY");
    expect(readCredential({ authorization: "Bearer acme-sk-KEY" }, "acme-")?.key).toBe("KEY");
  });

  test("takes the first header that is not empty", () => {
    const headers = { authorization: "Bearer one", "x-api-key": "two", "api-key": "three" };
    expect(readCredential(headers, "sk-")?.key).toBe("one");
    expect(readCredential({ ...headers, authorization: "" }, "sk-")?.key).toBe("two");
  });

  test.each(["", "Bearer ", "Bearer sk-", "sk-", " ", "x".repeat(300)])(
    "is none in %j",
    (authorization) => {
      expect(readCredential({ authorization }, "sk-")).toBeUndefined();
    },
  );

  test.each([
    ["/v1beta/models/m:generateContent?key=sk-KEY", "KEY"],
    ["/v1beta/models/m:streamGenerateContent?alt=sse&key=sk-KEY&x=1", "KEY"],
    ["/v1beta/models?key=", undefined],
    ["/v1beta/models?monkey=sk-KEY", undefined],
    // What the trace would not know as a key is none.
    ["/v1beta/models?%6bey=sk-KEY", undefined],
    ["/v1/models?key=sk-KEY", undefined],
    ["/v1/models?x=/v1beta/&key=sk-KEY", undefined],
  ])("may stand in the address of Google's interface alone: %s", (target, key) => {
    expect(readCredential({}, "sk-", target)?.key).toBe(key);
    expect(readCredential({ "x-goog-api-key": "sk-HEADER" }, "sk-", target)?.key).toBe("HEADER");
  });

  test("reading never fails, whatever a client sends", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (authorization) => {
        const found = readCredential({ authorization }, "sk-");
        if (found) expect(found.key).not.toBe("");
      }),
    );
    fc.assert(
      fc.property(key, fc.nat(), (text, pin) => {
        expect(readCredential({ authorization: `Bearer sk-${text}-${pin}` }, "sk-")).toEqual({
          key: text,
          pin: `${pin}`,
          whole: `sk-${text}-${pin}`,
        });
      }),
    );
  });
});
