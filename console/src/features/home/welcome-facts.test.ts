import type { DisplayedModel, DisplayedProvider } from "@tollgate/contract/models.ts";
import type { ServiceHealth } from "@tollgate/contract/service-health.ts";
import { expect, test } from "vitest";
import { modelsToShow, workingModels } from "./welcome-facts.ts";

const provider = (...names: string[]) =>
  ({ models: Object.fromEntries(names.map((name) => [name, {} as DisplayedModel])) }) as DisplayedProvider;

test("providers take turns among the models that are shown, and each name counts once", () => {
  const { shown, count } = modelsToShow({
    "OpenAI:a": provider("gpt-1", "gpt-2", "gpt-3", "gpt-4", "gpt-5"),
    "OpenAI:b": provider("gpt-1", "gpt-2"),
    Anthropic: provider("claude"),
  });
  expect(shown.map(({ name }) => name)).toEqual(["gpt-1", "claude", "gpt-2", "gpt-3", "gpt-4", "gpt-5"]);
  expect(count).toBe(6);
  expect(modelsToShow({})).toEqual({ shown: [], count: 0 });
});

test("models that were hardly called are not judged", () => {
  const models = ["ok", "quiet", "down", "ok"].map((state) => ({ state }));
  expect(workingModels({ models } as ServiceHealth)).toEqual({ judged: 3, working: 2 });
  expect(workingModels(undefined)).toEqual({ judged: 0, working: 0 });
});
