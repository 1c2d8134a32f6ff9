import { i18n } from "@lingui/core";
import { isLanguageCode, type LanguageCode, languageFor } from "@tollgate/contract/languages.ts";
import { compileMessage } from "./compile-message.ts";
import { sendLanguage } from "./send-language.ts";

/** English is in the code of each page; only other languages have a catalogue to load. */
const catalogues = import.meta.glob<{ messages: Record<string, string> }>("./locales/*.po");

/** Each language under its own name: a user may not be able to read the language that is shown. */
export const languages: Readonly<Record<LanguageCode, string>> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ja: "日本語",
  "zh-CN": "简体中文",
};

const storageKey = "language";

/** Called before the first paint, so that the language does not change visibly. */
export async function startLanguage(): Promise<void> {
  i18n.setMessagesCompiler(compileMessage);
  addEventListener("storage", (event) => {
    if (event.key === storageKey && isLanguageCode(event.newValue)) void activate(event.newValue);
  });
  const stored = readChoice();
  await activate(isLanguageCode(stored) ? stored : languageFor(navigator.languages));
}

export async function chooseLanguage(language: LanguageCode): Promise<void> {
  try {
    localStorage.setItem(storageKey, language);
  } catch {}
  await activate(language);
  await sendLanguage();
}

/** Keeps the current language when the catalogue fails to load. */
async function activate(language: LanguageCode): Promise<void> {
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
