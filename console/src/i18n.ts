import { i18n } from "@lingui/core";
import { compileMessage } from "./compile-message.ts";

/** English is in the code of each page; only other languages have a catalogue to load. */
const catalogues = import.meta.glob<{ messages: Record<string, string> }>("./locales/*.po");

/** Each language under its own name: a user may not be able to read the language that is shown. */
export const languages = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ja: "日本語",
  "zh-CN": "简体中文",
};
export type Language = keyof typeof languages;

const storageKey = "language";
const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(languages, name);

/** The first available language of `preferred`, by base language: any Chinese gets zh-CN. */
export function languageFor(preferred: readonly string[]): Language {
  const baseLanguage = (name: string) => name.split("-")[0]?.toLowerCase();
  const known = Object.keys(languages).filter(isLanguage);
  for (const preference of preferred) {
    const found = known.find((language) => baseLanguage(language) === baseLanguage(preference));
    if (found !== undefined) return found;
  }
  return "en";
}

/** Called before the first paint, so that the language does not change visibly. */
export async function startLanguage(): Promise<void> {
  i18n.setMessagesCompiler(compileMessage);
  addEventListener("storage", (event) => {
    if (event.key === storageKey && isLanguage(event.newValue)) void activate(event.newValue);
  });
  const stored = readChoice();
  await activate(isLanguage(stored) ? stored : languageFor(navigator.languages));
}

export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(storageKey, language);
  } catch {}
  await activate(language);
}

/** Keeps the current language when the catalogue fails to load. */
async function activate(language: Language): Promise<void> {
  try {
    const load = catalogues[`./locales/${language}.po`];
    i18n.load(language, load === undefined ? {} : (await load()).messages);
    i18n.activate(language);
  } catch (error) {
    console.error(`The words of ${language} could not be loaded`, error);
    if (i18n.locale === "") i18n.loadAndActivate({ locale: "en", messages: {} });
  }
  document.documentElement.lang = i18n.locale;
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
