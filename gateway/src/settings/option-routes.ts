/** What the API answers about settings, and the public texts among them. */
import { getOwnVersion, listOptions, updateOption } from "@tollgate/contract/options.ts";
import { getAbout, getHomePageContent, getNotice } from "@tollgate/contract/pages.ts";
import { answer, type Route } from "../http/answer.ts";
import { changeOptionWith, type OptionParts } from "./change-option.ts";
import { type OptionKey, optionDefaults } from "./option-defaults.ts";
import { isOptionKey, isSecretKey } from "./option-rules.ts";
import type { StoredOption } from "./option-store.ts";
import type { Options } from "./options.ts";

const keys = Object.keys(optionDefaults).filter(isOptionKey);

/** A secret is not among these keys, so whatever is stored under its name is never looked at. */
const view = (key: OptionKey, stored: StoredOption | undefined) => ({
  key,
  value: key === "QuotaPerUnit" ? optionDefaults[key] : (stored?.value ?? optionDefaults[key]),
  created_at: 0,
  updated_at: stored?.updated_at ?? 0,
});

interface Parts extends OptionParts {
  options: Options;
  version: string;
}

export function optionRoutes(parts: Parts): Route[] {
  const { store, options, version } = parts;
  const change = changeOptionWith(parts);
  return [
    answer(listOptions, async () => {
      const stored = await store.all();
      return {
        data: keys.map((key) => view(key, stored.get(key))),
        secrets_set: [...stored.keys()].filter(isSecretKey).sort(),
      };
    }),
    answer(updateOption, (call) => change(call.body, call)),
    answer(getOwnVersion, () => ({
      tag_name: version,
      content: `This server runs Tollgate ${version}. It does not ask other servers about newer versions.`,
    })),
    answer(getNotice, () => options.text("Notice")),
    answer(getAbout, () => options.text("About")),
    answer(getHomePageContent, () => options.text("HomePageContent")),
  ];
}
