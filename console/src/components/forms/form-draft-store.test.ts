import { expect, test } from "vitest";
import { saveDraft, takeDraft } from "./form-draft-store.ts";

function memoryStore(text?: string) {
  const texts = new Map(text === undefined ? [] : [["form-draft", text]]);
  return {
    texts,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, value: string) => void texts.set(key, value),
    removeItem: (key: string) => void texts.delete(key),
  };
}
const draft = { path: "/tokens/add", username: "mira", values: { name: "laptop" } };

test("a draft comes back once, on its page, to its user", () => {
  const store = memoryStore();
  saveDraft(store, draft);
  expect(takeDraft(store, "/users/add", "mira")).toBeUndefined();
  expect(takeDraft(store, "/tokens/add", "mira")).toEqual({ name: "laptop" });
  expect(takeDraft(store, "/tokens/add", "mira")).toBeUndefined();
});

test("a draft is removed when another user opens a form in the tab", () => {
  const store = memoryStore();
  saveDraft(store, draft);
  expect(takeDraft(store, "/users/add", "ada")).toBeUndefined();
  expect(store.texts.size).toBe(0);
});

test.each(["{", "[]", "null", '{"path":"/tokens/add","username":"mira","values":[1]}'])(
  "what is no draft (%s) restores nothing",
  (text) => {
    expect(takeDraft(memoryStore(text), "/tokens/add", "mira")).toBeUndefined();
  },
);

test("a store that refuses to write loses the draft and nothing else", () => {
  const full = {
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  expect(() => saveDraft(full, draft)).not.toThrow();
});
