import { consoleSections } from "@tollgate/contract/site/console-paths.ts";
import { expect, test } from "vitest";
import { listPages } from "../preloads.ts";
import routes from "./routes.tsx?raw";

test("the gateway serves the console for every path that the console has", () => {
  const sections = new Set(
    listPages(routes)
      .filter(({ parent }) => parent !== "settings")
      .map(({ path }) => path.split("/")[1] ?? ""),
  );
  expect([...sections].filter((section) => !consoleSections.includes(section))).toEqual([]);
  expect(sections.size).toBeGreaterThan(10);
});
