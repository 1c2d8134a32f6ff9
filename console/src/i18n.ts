import { i18n } from "@lingui/core";
import { compileMessage } from "./compile-message.ts";

/** English lives in the code of each page, so only other languages have something to load. */
const catalogues = import.meta.glob<{ messages: Record<string, string> }>(["./locales/*.po", "!./locales/en.po"]);

const codeOf = (path: string): string => path.slice("./locales/".length, -".po".length);
export const languages = ["en", ...Object.keys(catalogues).map(codeOf)];

const storedUnder = "language";

/** What was chosen here before, else what the browser asks for and we have. */
export function preferredLanguage(): string {
  for (const name of [readChoice(), ...navigator.languages]) {
    const found = languages.find((language) => language === name || language === name?.split("-")[0]);
    if (found !== undefined) return found;
  }
  return "en";
}

export async function activateLanguage(language: string): Promise<void> {
  const load = catalogues[`./locales/${language}.po`];
  i18n.setMessagesCompiler(compileMessage);
  i18n.load(language, load === undefined ? {} : (await load()).messages);
  i18n.activate(language);
  document.documentElement.lang = language;
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(storedUnder);
  } catch {
    return null;
  }
}
