import { consoleSections } from "@tollgate/contract/site/console-paths.ts";
import { expect, test } from "vitest";
import routes from "./routes.tsx?raw";

test("the gateway serves the console for every path that the console has", () => {
  const paths = [...routes.matchAll(/path: "(\/[^"]*)"/g)].map(
    ([, path = ""]) => path.split("/")[1] ?? "",
  );
  const below = ["operation", "system", "sign-in", "other", "changes"];
  const sections = new Set(paths.filter((path) => !below.includes(path)));
  expect([...sections].filter((section) => !consoleSections.includes(section))).toEqual([]);
  expect(sections.size).toBeGreaterThan(10);
});
