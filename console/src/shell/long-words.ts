import type { LanguageCode } from "@tollgate/contract/site/languages.ts";

const longWorded: ReadonlySet<string> = new Set<LanguageCode>(["de", "es", "fr"]);

/** The header was drawn for English; in these languages its words take a quarter more room. */
export const hasLongWords = (locale: string): boolean => longWorded.has(locale);

/** Japanese words fit below icons, and not beside them. */
export const needsRoomForWords = (locale: string): boolean =>
  locale === "ja" || hasLongWords(locale);
