/** The languages of the console and of the gateway's mails, as BCP 47 names. */
export const languageCodes = ["en", "de", "es", "fr", "ja", "zh-CN"] as const;
export type LanguageCode = (typeof languageCodes)[number];

export const isLanguageCode = (name: unknown): name is LanguageCode =>
  (languageCodes as readonly unknown[]).includes(name);

/**
 * The first available language of `preferred`, by base language: any Chinese gets zh-CN. English
 * when none is.
 */
export function buildLanguage(preferred: readonly string[]): LanguageCode {
  const baseLanguage = (name: string) => name.split("-")[0]?.toLowerCase();
  for (const preference of preferred) {
    const found = languageCodes.find((code) => baseLanguage(code) === baseLanguage(preference));
    if (found !== undefined) return found;
  }
  return "en";
}
