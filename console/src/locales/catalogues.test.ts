import { getCatalogs, type MessageType } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import { expect, test } from "vitest";
import { compileMessage } from "../compile-message.ts";

const config = getConfig({ cwd: new URL("../..", import.meta.url).pathname });
const [catalogue] = await getCatalogs(config);
const inCode = (await catalogue?.collect()) ?? {};
const remedy = "run `npm run extract -w console` and fill in what is empty";

/** The placeholders and tags of a message, in any order. */
function placeholdersOf(message: string): string[] {
  const names = new Set(message.match(/<\/?\d+\/?>/g));
  const note = (tokens: ReturnType<typeof compileMessage> | string) => {
    if (typeof tokens === "string") return;
    for (const token of tokens) {
      if (typeof token === "string") continue;
      names.add(token[0]);
      for (const words of Object.values(token[2] ?? {})) note(words);
    }
  };
  note(compileMessage(message));
  return [...names].sort();
}

const englishOf = ({ message, comments = [] }: Pick<MessageType, "message" | "comments">) => message ?? comments[0];

test.each<string>(config.locales)("the catalogue %s has exactly the messages of the code", async (locale) => {
  const translated = (await catalogue?.read(locale)) ?? {};
  const missing = Object.entries(inCode).filter(([id]) => !translated[id]?.translation);
  expect(missing.map(([, message]) => englishOf(message)), remedy).toEqual([]);
  const left = Object.entries(translated).filter(([id]) => inCode[id] === undefined);
  expect(left.map(([, message]) => englishOf(message)), remedy).toEqual([]);
});

test.each<string>(config.locales)("a message in %s has the placeholders of the English one", async (locale) => {
  const translated = (await catalogue?.read(locale)) ?? {};
  for (const { message, translation } of Object.values(translated)) {
    if (message === undefined || translation === undefined) continue;
    expect(placeholdersOf(translation), message).toEqual(placeholdersOf(message));
  }
});
