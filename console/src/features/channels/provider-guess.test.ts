import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { expect, test } from "vitest";
import { connectableTypes, guessProvider } from "./provider-guess.ts";

const nameOf = (type: number | undefined) =>
  type === undefined ? undefined : findChannelType(type)?.name;

test.each([
  ["sk-ant-api03-abcdefgh", "", "Anthropic"],
  ["sk-or-v1-0123456789", "", "OpenRouter"],
  [`AIza${"x".repeat(35)}`, "", "Gemini"],
  ["gsk_0123456789", "", "Groq"],
  ["sk-proj-0123456789012345678901", "", "OpenAI"],
  [`sk-${"0123456789abcdef".repeat(2)}`, "", "DeepSeek"],
  ["", "http://localhost:11434", "Ollama"],
  ["anything", "https://api.mistral.ai", "Mistral"],
  ["sk-proj-0123456789012345678901", "https://models.example/v1", "OpenAI Compatible"],
  ["anything", "", undefined],
  ["", "not an address", undefined],
])("the key %s at '%s' belongs to %s", (key, address, name) => {
  expect(nameOf(guessProvider(key, address))).toBe(name);
});

test("the best known providers come first, and none needs more than a key and an address", () => {
  const ids = connectableTypes.map(({ id }) => id);
  expect(ids.slice(0, 3)).toEqual([1, 14, 24]);
  expect(ids).not.toContain(33);
  expect(new Set(ids).size).toBe(ids.length);
});
