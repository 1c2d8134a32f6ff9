/** The facts that the welcome tells of the models. Pure. */
import type { DisplayedModel, DisplayedProvider } from "@tollgate/contract/catalogue/models.ts";
import type { ServiceHealth } from "@tollgate/contract/figures/service-health.ts";

const shownMax = 6;

type NamedModel = DisplayedModel & { name: string };

/** `buildModelsToShow` picks models of as many providers as there are, and counts all names. */
export function buildModelsToShow(providers: Readonly<Record<string, DisplayedProvider>>): {
  shown: NamedModel[];
  count: number;
} {
  const lists = Object.values(providers).map(({ models }) =>
    Object.entries(models ?? {}).map(([name, model]): NamedModel => ({ ...model, name })),
  );
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list[place] ?? []),
  ).flat();
  const known = [
    ...new Map(inTurn.toReversed().map((model) => [model.name, model])).values(),
  ].reverse();
  return { shown: known.slice(0, shownMax), count: known.length };
}

/**
 * `buildWorkingModels` says how many models were called often enough to judge, and how many of
 * those work.
 */
export function buildWorkingModels(health: ServiceHealth | undefined): {
  judged: number;
  working: number;
} {
  const judged = (health?.models ?? []).filter(({ state }) => state !== "quiet");
  return { judged: judged.length, working: judged.filter(({ state }) => state === "ok").length };
}
