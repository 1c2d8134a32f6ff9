import type { LanguageCode } from "@tollgate/contract/site/languages.ts";

const longWorded: ReadonlySet<string> = new Set<LanguageCode>(["de", "es", "fr"]);

/** The header was drawn for English; in these languages its words take a quarter more room. */
export const hasLongWords = (locale: string): boolean => longWorded.has(locale);

const iconStyles: Readonly<Partial<Record<string, string>>> = {
  de: "xl:max-[1439px]:hidden",
  es: "xl:max-[1439px]:hidden",
  fr: "xl:max-[1839px]:hidden",
} satisfies Partial<Record<LanguageCode, string>>;

/** `findIconStyle` takes the icons of the header away where they do not fit beside the words. */
export const findIconStyle = (locale: string): string | undefined => iconStyles[locale];
