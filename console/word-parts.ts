/**
 * A Vite plugin that cuts the catalogues of the languages: each `import()` brings the words of what
 * it loads.
 *
 * What: the words that everything needs are the part "base". Each module that our code imports with
 * `import()` has a part of its own, with the words that it and its static imports use beyond the
 * base; `addWords` (src/load-words.ts) is put around the `import()`, and waits for both. Parts are
 * JSON below `assets/words/<language>`, with one hash of all in the address, and `.vite/words.json`
 * names the part of each module, so that the gateway can announce that of the requested page.
 *
 * In the code of the build, messages have no ids: the console names words by a hash of the English
 * text (src/message-key.ts). The ids were 5 % of all code. Messages with a context keep theirs.
 *
 * Why: a whole catalogue is as much as a third of a page's code, and a page uses a twentieth of it.
 * English is in the code.
 *
 * Relies on: the form of ids in code that the Lingui macros have written (`id: "n1ekoW"`); ids that
 * are put together in code name their prefix in a template (`refusal.${code}`). A word that is
 * missed is shown in English.
 *
 * Removable when: Lingui splits catalogues by dynamic import by itself, also for messages with
 * shared modules.
 */
import { createHash } from "node:crypto";
import { join, relative, resolve } from "node:path";
import { getCatalogs } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import type { Plugin } from "vite";
import { compileMessage } from "./src/compile-message.ts";
import { composeMessageKey } from "./src/message-key.ts";

type Words = Record<string, ReturnType<typeof compileMessage>>;
/** The words of one language by the id of their message. */
type Catalogue = ReadonlyMap<string, Words[string]>;
type ModuleGraph = {
  getModuleInfo(id: string): { code: string | null; importedIds: readonly string[] } | null;
};

/** The sentences of refusals are their own part: most visits meet none. */
const refusals = "refusal.";
const partMark = "words-part:";
const dynamicImport = /\bimport\(\s*"(\.[^"]+\.tsx?)"\s*,?\s*\)/g;
const versionLength = 10;
const idLength = 6;

export function wordParts(root: string): Plugin {
  const source = join(root, "src");
  /** The modules that are loaded by `import()`, by the mark in the code that loads them. */
  const lazyModules = new Map<string, string>();
  const markOf = (module: string) => `${partMark}${relative(source, module)}`;
  let names = new Map<string, string>();
  let partedIds = new Set<string>();
  let keys: ReadonlyMap<string, string> = new Map();
  const idsInChunks = new Set<string>();
  return {
    name: "word-parts",
    apply: "build",
    transform(code, id) {
      if (!id.startsWith(source) || code.search(dynamicImport) === -1) return undefined;
      const wrapped = code.replace(dynamicImport, (call, path: string) => {
        const module = resolve(id, "..", path);
        lazyModules.set(markOf(module), module);
        return `addWords(${call}, "${markOf(module)}")`;
      });
      return {
        code: `import { addWords } from ${JSON.stringify(join(source, "load-words.ts"))};\n${wrapped}`,
        map: null,
      };
    },
    async renderStart() {
      const { catalogues, keys: found } = await readCatalogues(root);
      keys = found;
      const ids = [
        ...new Set([...catalogues.values()].flatMap((catalogue) => [...catalogue.keys()])),
      ];
      const idsOf = idsOfModules(this, ids);
      const base = idsOf(join(source, "main.tsx"));
      const parts: [mark: string, ids: string[]][] = [
        [`${partMark}base`, [...base].filter((id) => !id.startsWith(refusals))],
        [`${partMark}refusals`, ids.filter((id) => id.startsWith(refusals))],
      ];
      // Modules come in any order; two builds of one state must be equal.
      for (const [mark, module] of [...lazyModules].sort(([a], [b]) => (a < b ? -1 : 1)))
        parts.push([mark, [...idsOf(module)].filter((id) => !base.has(id))]);
      partedIds = new Set(parts.flatMap(([, used]) => used));
      // A number costs a page fewer bytes than a hash. One that has no words has no name.
      names = new Map(
        parts.map(([mark, used], number) => [mark, used.length > 0 ? String(number) : ""]),
      );
      const files = parts.flatMap(([mark, used]) =>
        [...catalogues].map(
          ([language, words]) =>
            [`${language}/${names.get(mark)}.json`, wordsIn(words, used, keys)] as const,
        ),
      );
      const version = createHash("sha256")
        .update(JSON.stringify(files))
        .digest("hex")
        .slice(0, versionLength);
      names.set(`${partMark}version`, version);
      for (const [name, words] of files) {
        if (words !== noWords)
          this.emitFile({
            type: "asset",
            fileName: `assets/words/${version}/${name}`,
            source: words,
          });
      }
      const ofModules = Object.fromEntries(
        [...names].map(([mark, name]) => [`src/${mark.slice(partMark.length)}`, name]),
      );
      this.emitFile({
        type: "asset",
        fileName: ".vite/words.json",
        source: JSON.stringify(ofModules),
      });
    },
    renderChunk(code) {
      const named = code
        .replace(/words-part:([\w./-]+)/g, (mark) => names.get(mark) ?? "")
        .replace(idOfMessage, (whole, id: string) => {
          idsInChunks.add(id);
          return keys.has(id) ? "" : whole;
        });
      return { code: named, map: null };
    },
    /** A message in no part has a form in the code that this plugin does not know. */
    generateBundle() {
      const missed = [...idsInChunks].filter((id) => !partedIds.has(id));
      if (missed.length > 0)
        this.error(`These messages are in no part of the catalogues: ${missed.join(", ")}`);
    },
  };
}

const noWords = "{}";
const wordsIn = (
  catalogue: Catalogue,
  ids: readonly string[],
  keys: ReadonlyMap<string, string>,
): string =>
  JSON.stringify(
    Object.fromEntries(ids.toSorted().map((id) => [keys.get(id) ?? id, catalogue.get(id)])),
  );

/** `keys` are those of the messages whose id is nothing but a hash of their text. */
async function readCatalogues(root: string) {
  const config = getConfig({ cwd: root });
  const [catalogue] = await getCatalogs(config);
  const catalogues = new Map<string, Catalogue>();
  const keys = new Map<string, string>();
  for (const language of config.locales) {
    const messages = Object.entries((await catalogue?.read(language)) ?? {});
    catalogues.set(
      language,
      new Map(messages.map(([id, { translation = "" }]) => [id, compileMessage(translation)])),
    );
    for (const [id, { message }] of messages)
      if (message !== undefined && plainId(message) === id)
        keys.set(id, composeMessageKey(message));
  }
  if (new Set(keys.values()).size < keys.size)
    throw new Error("two messages have the same key in src/message-key.ts");
  return { catalogues, keys };
}

/** The id that the macros give to a message without a context. */
const plainId = (message: string): string =>
  createHash("sha256").update(`${message}\u001f`).digest("base64url").slice(0, idLength);

/**
 * The id of a message as the macros write it: six characters of a hash, and the English message
 * behind.
 */
const idOfMessage = /\bid: ?["'`]([\w+/-]{6})["'`],\s*(?=message: ?["'`])/g;
const messageIds = (code: string): Set<string> =>
  new Set([...code.matchAll(idOfMessage)].map(([, id = ""]) => id));

/** The ids of the messages that a module and all its static imports use. */
function idsOfModules(graph: ModuleGraph, ids: readonly string[]): (module: string) => Set<string> {
  const known = new Set(ids);
  const ownIds = new Map<string, string[]>();
  const idsIn = (code: string): string[] => [
    ...[...messageIds(code)].filter((id) => known.has(id)),
    ...[...code.matchAll(/`([a-z]+\.)\$\{/g)].flatMap(([, prefix = ""]) =>
      ids.filter((id) => id.startsWith(prefix)),
    ),
  ];
  return (module) => {
    const seen = new Set<string>([module]);
    const found = new Set<string>();
    for (const id of seen) {
      if (id.includes("/node_modules/")) continue;
      const info = graph.getModuleInfo(id);
      const own = ownIds.get(id) ?? idsIn(info?.code ?? "");
      ownIds.set(id, own);
      for (const word of own) found.add(word);
      for (const imported of info?.importedIds ?? []) seen.add(imported);
    }
    return found;
  };
}
