/**
 * Sizes of the pages of the production build as the gateway sends them (Brotli), and their budgets.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

type BuildChunk = { file: string; imports?: string[]; css?: string[]; isEntry?: boolean };
type BuildManifest = Record<string, BuildChunk>;

export interface PageSize {
  name: string;
  /** Kilobytes (Brotli) of all files the page loads. */
  size: number;
  /** The number of files; 0 for totals over all pages. */
  files: number;
  /** Kilobytes that it may have. */
  budget: number | undefined;
}

/**
 * A browser loads six files in parallel, and each further round costs half a second on a slow
 * connection: with the style and the list's own request, ten scripts are two rounds.
 */
export const filesMax = 11;

const kilobyte = 1_000;
/**
 * Kilobytes that a page or total may have: the build fails beyond. docs/decisions/0010 and 0038
 * tell what keeps within.
 */
const budgets = {
  login: 112,
  list: 147,
  // Of all pages together: it grows with every screen and menu that loads by itself, and is raised
  // for those alone. The last are the filters of changes, the words of failures in the log, the
  // drawing of the gate, the card of metrics and traces, the preview of the FOCUS export, the words
  // of changes, and the recipes of agents.
  allScripts: 640,
  // Readers of English load no words. See docs/decisions/0063.
  loginWords: 1.5,
  listWords: 4.5,
  allStyles: 12.5,
};
const dist = join(import.meta.dirname, "dist");
/** The frame around every signed-in page. */
const signedInFrame = ["src/shell/signed-in-bar.tsx"];
const loginPage = "src/features/session/login-page.tsx";

/** The build has each file a second time as the gateway sends it. */
const compressed = (file: string): number => statSync(join(dist, `${file}.br`)).size / kilobyte;

export function pageSizes(): PageSize[] {
  const manifest: BuildManifest = JSON.parse(
    readFileSync(join(dist, ".vite/manifest.json"), "utf8"),
  );
  const assets = readdirSync(join(dist, "assets")).map((name) => join("assets", name));
  const total = (extension: string): number =>
    assets
      .filter((file) => file.endsWith(extension))
      .reduce((sum, file) => sum + compressed(file), 0);
  const page = (what: string, keys: readonly string[], budget?: number): PageSize => {
    const files = new Set(["index.html", ...keys].flatMap((key) => [...closure(manifest, key)]));
    return {
      name: what,
      size: [...files].reduce((sum, file) => sum + compressed(file), 0),
      files: files.size,
      budget,
    };
  };
  const pages = Object.keys(manifest).filter(
    (key) =>
      key.startsWith("src/features/") && !key.includes("/session/") && key.endsWith("-page.tsx"),
  );
  const lists = pages.filter((key) => key.endsWith("-list-page.tsx"));
  return [
    page("login page", [loginPage], budgets.login),
    ...pages.map((key) =>
      page(
        key.slice("src/features/".length, -".tsx".length),
        [...signedInFrame, key],
        lists.includes(key) ? budgets.list : undefined,
      ),
    ),
    { name: "all scripts", size: total(".js"), files: 0, budget: budgets.allScripts },
    wordsOf("login page", [[loginPage]], budgets.loginWords),
    wordsOf(
      "largest list",
      lists.map((key) => [...signedInFrame, key]),
      budgets.listWords,
    ),
    { name: "all styles", size: total(".css"), files: 0, budget: budgets.allStyles },
  ];
}

/**
 * The words of the page that has most of them, in the language that has most: those of everything,
 * and of its modules.
 */
function wordsOf(what: string, pages: readonly (readonly string[])[], budget: number): PageSize {
  const parts: Record<string, string> = JSON.parse(
    readFileSync(join(dist, ".vite/words.json"), "utf8"),
  );
  const folder = join("assets/words", parts["src/version"] ?? "");
  const sizes = readdirSync(join(dist, folder)).flatMap((language) =>
    pages.map((keys) => {
      const names = ["src/base", ...keys].map((key) => parts[key]).filter(Boolean);
      return names.reduce(
        (sum, name) => sum + compressed(join(folder, language, `${name}.json`)),
        0,
      );
    }),
  );
  return { name: `words of the ${what}`, size: Math.max(0, ...sizes), files: 0, budget };
}

/** A chunk and its static imports, transitively. */
function closure(manifest: BuildManifest, key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (chunk === undefined || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const next of chunk.imports ?? []) closure(manifest, next, found);
  return found;
}
