import { getCatalogs, type MessageType } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import { expect, test } from "vitest";
import { compileMessage } from "../compile-message.ts";

const config = getConfig({ cwd: new URL("../..", import.meta.url).pathname });
const [catalogue] = await getCatalogs(config);
const inCode = (await catalogue?.collect()) ?? {};
const remedy = "run `npm run extract -w console` and fill in what is empty";

interface Plural {
  name: string;
  cases: Record<string, unknown>;
}

/** The placeholders and tags of a message, in any order, and its plurals. */
function partsOf(message: string): { placeholders: string[]; plurals: Plural[] } {
  const names = new Set(message.match(/<\/?\d+\/?>/g));
  const plurals: Plural[] = [];
  const note = (tokens: ReturnType<typeof compileMessage> | string) => {
    if (typeof tokens === "string") return;
    for (const token of tokens) {
      if (typeof token === "string") continue;
      const [name, type, cases = {}] = token;
      names.add(name);
      if (type === "plural") plurals.push({ name, cases });
      for (const words of Object.values(cases)) note(words);
    }
  };
  note(compileMessage(message));
  return { placeholders: [...names].sort(), plurals };
}

/** `NaN` is the case that the compiler adds for a number that is not known. */
const isExact = (key: string) => /^(\d+|NaN)$/.test(key);
const exactCases = ({ cases }: Plural) => Object.keys(cases).filter(isExact);

/**
 * `pluralFaults` gives what is wrong with a translated plural, next to the English one over the
 * same number.
 */
function pluralFaults(locale: string, plural: Plural, english: Plural | undefined): string[] {
  const rules = new Intl.PluralRules(locale);
  const categories: readonly string[] = rules.resolvedOptions().pluralCategories;
  const keys = Object.keys(plural.cases);
  const faults: string[] = [];
  if (!keys.includes("other")) faults.push("has no case for other");
  if (categories.includes("one") && !keys.includes("one")) faults.push("has no case for one");
  for (const key of keys) if (!isExact(key) && !categories.includes(key)) faults.push(`never uses its case ${key}`);
  if (english === undefined) faults.push("is no plural in English");
  else if (exactCases(english).join() !== exactCases(plural).join()) faults.push("has other exact numbers than English");
  // In French, zero is singular too: a case that spells the number would show 1 for 0.
  const isOneAmongOthers = rules.select(0) === "one";
  if (isOneAmongOthers && JSON.stringify(plural.cases.one ?? "").includes("1")) faults.push("spells the number of one");
  return faults.map((fault) => `{${plural.name}} ${fault}`);
}

const englishOf = ({ message, comments = [] }: Pick<MessageType, "message" | "comments">) => message ?? comments[0];

test.each<string>(config.locales)("the catalogue %s has exactly the messages of the code", async (locale) => {
  const translated = (await catalogue?.read(locale)) ?? {};
  const missing = Object.entries(inCode).filter(([id]) => !translated[id]?.translation);
  expect(missing.map(([, message]) => englishOf(message)), remedy).toEqual([]);
  const left = Object.entries(translated).filter(([id]) => inCode[id] === undefined);
  expect(left.map(([, message]) => englishOf(message)), remedy).toEqual([]);
});

test.each<string>(config.locales)("a message in %s has the placeholders and plurals of the English one", async (locale) => {
  const translated = (await catalogue?.read(locale)) ?? {};
  for (const message of Object.values(translated)) {
    const english = englishOf(message);
    if (english === undefined || !message.translation) continue;
    const expected = partsOf(english);
    const found = partsOf(message.translation);
    expect(found.placeholders, english).toEqual(expected.placeholders);
    const faults = found.plurals.flatMap((plural) =>
      pluralFaults(
        locale,
        plural,
        expected.plurals.find(({ name }) => name === plural.name),
      ),
    );
    expect(faults, english).toEqual([]);
    // A language without plurals may do without the cases; one with plurals may not.
    const needsPlurals = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.length > 1;
    if (needsPlurals) expect(found.plurals.length, english).toBe(expected.plurals.length);
  }
});
