import type { DisplayedModel, DisplayedProvider } from "@tollgate/contract/catalogue/models.ts";
import type { ServiceHealth } from "@tollgate/contract/figures/service-health.ts";
import { expect, test } from "vitest";
import { buildModelsToShow, buildWorkingModels } from "./welcome-facts.ts";

const provider = (...names: string[]) =>
  ({
    models: Object.fromEntries(names.map((name) => [name, {} as DisplayedModel])),
  }) as DisplayedProvider;

test("providers take turns among the models that are shown, and each name counts once", () => {
  const { shown, count } = buildModelsToShow({
    "OpenAI:a": provider("gpt-1", "gpt-2", "gpt-3", "gpt-4", "gpt-5"),
    "OpenAI:b": provider("gpt-1", "gpt-2"),
    Anthropic: provider("claude"),
  });
  expect(shown.map(({ name }) => name)).toEqual([
    "gpt-1",
    "claude",
    "gpt-2",
    "gpt-3",
    "gpt-4",
    "gpt-5",
  ]);
  expect(count).toBe(6);
  expect(buildModelsToShow({})).toEqual({ shown: [], count: 0 });
});

test("models that were hardly called are not judged", () => {
  const models = ["ok", "quiet", "down", "ok"].map((state) => ({ state }));
  expect(buildWorkingModels({ models } as ServiceHealth)).toEqual({ judged: 3, working: 2 });
  expect(buildWorkingModels(undefined)).toEqual({ judged: 0, working: 0 });
});
