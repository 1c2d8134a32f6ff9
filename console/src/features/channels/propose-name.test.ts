import { expect, test } from "vitest";
import { nameAccount, proposeName } from "./propose-name.ts";

test.each([
  [{ type: 1, base_url: "https://api.openai.com" }, "OpenAI"],
  [{ type: 50, base_url: "https://api.example.com/v1" }, "example.com"],
  [{ type: 50, base_url: "http://127.0.0.1:11434" }, "127.0.0.1:11434"],
  [{ type: 50, base_url: "" }, "OpenAI Compatible"],
])("an account %j is called %s", (account, name) => {
  expect(nameAccount(account)).toBe(name);
});

test("no two channels get the same name", () => {
  expect(proposeName("OpenAI", [])).toBe("OpenAI");
  expect(proposeName("OpenAI", ["Openai ", "OpenAI 3"])).toBe("OpenAI 2");
  expect(proposeName("OpenAI", ["OpenAI", "openai 2", "OpenAI 3"])).toBe("OpenAI 4");
});
