import { i18n } from "@lingui/core";
import {
  buildLanguage,
  isLanguageCode,
  type LanguageCode,
} from "@tollgate/contract/site/languages.ts";
import { compileMessage } from "./compile-message.ts";
import { expectWords, findWords, loadLanguage } from "./load-words.ts";
import { sendLanguage } from "./send-language.ts";

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
  // Lingui finds words by ids, and asks the compiler for what has none.
  i18n.setMessagesCompiler((message) => {
    const words = findWords(i18n.locale, message);
    return words === undefined || typeof words === "string" ? compileMessage(message) : words;
  });
  addEventListener("storage", (event) => {
    if (event.key === storageKey && isLanguageCode(event.newValue)) void activate(event.newValue);
  });
  expectWords(
    (document.querySelector<HTMLMetaElement>('meta[name="words"]')?.content ?? "").split(" "),
  );
  const stored = readChoice();
  await activate(isLanguageCode(stored) ? stored : buildLanguage(navigator.languages));
}

export async function chooseLanguage(language: LanguageCode): Promise<void> {
  try {
    localStorage.setItem(storageKey, language);
  } catch {}
  await activate(language);
  await sendLanguage();
}

/** Keeps the current language when the words of another fail to load. */
async function activate(language: LanguageCode): Promise<void> {
  try {
    const words = await loadLanguage(language);
    if (words === undefined) return;
    i18n.load(language, words);
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
