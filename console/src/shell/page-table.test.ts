import { getCatalogs } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import { expect, test } from "vitest";
import { listPages } from "../../preloads.ts";
import routesSource from "../routes.tsx?raw";
import { matchCommands, type PaletteCommand } from "./match-commands.ts";
import synonymsSource from "./page-synonyms.ts?raw";
import table from "./page-table.ts?raw";

// As text: titles are macros, which only the console's build knows.
const rows = [...table.matchAll(/\{\s*path: "([^"]+)",\s*title: msg`([^`]+)`([^}]*)\}/g)].map(
  ([, path = "", title = "", rest = ""]) => ({
    path,
    title,
    parent: /parent: "([^"]+)"/.exec(rest)?.[1],
    isOfThing: rest.includes("isOfThing"),
  }),
);
const synonyms = new Map(
  [...synonymsSource.matchAll(/"([^"]+)": msg`([^`]+)`/g)].map(([, path = "", words = ""]) => [
    path,
    words,
  ]),
);
const [, visitors = ""] = table.split("visitorPaths: readonly string[] = [");
const visitorPaths = [...(visitors.split("]")[0] ?? "").matchAll(/"([^"]+)"/g)].map(
  ([, path]) => path,
);

/** The patterns of all routes: those of Settings stand below their tab bar. */
function readRoutes(): string[] {
  const callbacks = [...routesSource.matchAll(/path: "([^"]+)"/g)].map(([, path = ""]) => path);
  const pages = listPages(routesSource).map(({ parent, path }) =>
    parent === "settings" ? `/settings${path}` : path,
  );
  return [...callbacks, ...pages];
}

test("each route is a row of the table, and each row a route", () => {
  const paths = rows.map(({ path }) => path);
  expect(rows).toHaveLength(table.match(/\bpath: "/g)?.length ?? 0);
  expect([...paths, ...visitorPaths].toSorted()).toEqual(readRoutes().toSorted());
});

test("each page has words besides its title, and a page above that exists", () => {
  expect([...synonyms.keys()].toSorted()).toEqual(rows.map(({ path }) => path).toSorted());
  const known = new Set(rows.map(({ path }) => path));
  for (const { parent } of rows) expect(parent === undefined || known.has(parent)).toBe(true);
});

const config = getConfig({ cwd: new URL("../..", import.meta.url).pathname });
const [catalogue] = await getCatalogs(config);
const inCode = (await catalogue?.collect()) ?? {};

test.each(["en", ...config.locales.filter((locale) => locale !== "en")])(
  "in %s, typing the title or a synonym of a page finds it among the first three",
  async (locale) => {
    const translated = locale === "en" ? {} : ((await catalogue?.read(locale)) ?? {});
    const words = new Map(
      Object.entries(inCode).flatMap(([id, { message, context }]) =>
        message === undefined || context !== undefined
          ? []
          : [[message, translated[id]?.translation || message]],
      ),
    );
    const wordOf = (english: string) => {
      const word = words.get(english);
      if (word === undefined) throw new Error(`${english} is not in the catalogue`);
      return word;
    };
    const pages = rows.filter(({ isOfThing }) => !isOfThing);
    const commands = pages.map(
      ({ path, title }): PaletteCommand => ({
        id: path,
        group: "",
        text: wordOf(title),
        words: wordOf(synonyms.get(path) ?? ""),
        run: () => {},
      }),
    );
    const lost = commands.flatMap((command) =>
      [command.text, ...(command.words ?? "").split(/\s*[,、，]\s*/)].filter(
        (typed) =>
          !matchCommands(commands, typed)
            .slice(0, 3)
            .some(({ id }) => id === command.id),
      ),
    );
    expect(lost).toEqual([]);
  },
);
