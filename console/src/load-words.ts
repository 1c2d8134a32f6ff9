/**
 * The words of the languages. English is in the code; those of other languages come in parts, one
 * with each module that is loaded by `import()` (`word-parts.ts` cuts them), so that a page loads
 * the words that it shows.
 */
import type { Messages } from "@lingui/core";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";
import { composeMessageKey } from "./message-key.ts";
import { basePath } from "./site-path.ts";

/** Marks that a build replaces by the names of a folder and of files. */
const version = "words-part:version";
const basePart = "words-part:base";
/** `refusalWords` are what translates the gateway's refusals. */
export const refusalWords = "words-part:refusals";

/** The language that was asked for last. */
let wanted: LanguageCode = "en";
/** `partsInUse` is what a change of the language has to bring: the parts of all that was loaded. */
const partsInUse = new Set([basePart]);
/** Lingui reads these objects: words that come later need no new drawing of what is on screen. */
const catalogues = new Map<LanguageCode, Messages>();
const loads = new Map<string, Promise<void>>();

/**
 * Loads the words of all that was loaded so far. Undefined when another language was asked for
 * meanwhile; rejects when a part cannot be loaded, and what comes later is in the language before.
 */
export async function loadLanguage(language: LanguageCode): Promise<Messages | undefined> {
  const before = wanted;
  wanted = language;
  try {
    await Promise.all([...partsInUse].map((part) => loadPart(language, part)));
  } catch (error) {
    if (wanted === language) wanted = before;
    throw error;
  }
  return wanted === language ? buildCatalogue(language) : undefined;
}

/**
 * The words of a message that has no id in the code: those with a context keep theirs, and so does
 * everything in development.
 */
export const findWords = (language: string, message: string): Messages[string] | undefined =>
  (catalogues as ReadonlyMap<string, Messages>).get(language)?.[composeMessageKey(message)];

/**
 * The gateway names the parts of the requested page, which would otherwise wait until the page's
 * code is asked for.
 */
export function expectWords(parts: readonly string[]): void {
  for (const part of parts) partsInUse.add(part);
}

/** Waits for the module and for its words. The build puts it around each `import()`. */
export async function addWords<Module>(module: Promise<Module>, part: string): Promise<Module> {
  const [loaded] = await Promise.all([module, loadWords(part)]);
  return loaded;
}

/** Loads a part in the language that is shown; what cannot be loaded is shown in English. */
export async function loadWords(part: string): Promise<void> {
  partsInUse.add(part);
  try {
    await loadPart(wanted, part);
  } catch (error) {
    console.error(`Words of ${wanted} could not be loaded`, error);
  }
}

function loadPart(language: LanguageCode, part: string): Promise<void> {
  if (language === "en" || part === "") return Promise.resolve();
  const key = `${language}/${part}`;
  const running = loads.get(key);
  if (running !== undefined) return running;
  const load = readPart(language, part).then(
    (words) => void Object.assign(buildCatalogue(language), words),
  );
  loads.set(key, load);
  // Whatever needs the part next asks again.
  load.catch(() => loads.delete(key));
  return load;
}

/** The development server has whole catalogues: no part is cut. */
const wholeCatalogues = import.meta.env.DEV
  ? import.meta.glob<{ messages: Messages }>("./locales/*.po")
  : {};

async function readPart(language: LanguageCode, part: string): Promise<Messages> {
  if (import.meta.env.DEV)
    return (await wholeCatalogues[`./locales/${language}.po`]?.())?.messages ?? {};
  const response = await fetch(`${basePath}/assets/words/${version}/${language}/${part}.json`);
  if (!response.ok)
    throw new Error(`The words of ${language} were answered with status ${response.status}`);
  return response.json() as Promise<Messages>;
}

function buildCatalogue(language: LanguageCode): Messages {
  const known = catalogues.get(language) ?? {};
  catalogues.set(language, known);
  return known;
}
