/** API routes for settings, including the public texts. */
import { getOwnVersion, listOptions, updateOption } from "@tollgate/contract/site/options.ts";
import { getAbout, getHomePageContent, getNotice } from "@tollgate/contract/site/pages.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { type ChangeOptionDeps, createOptionEditor } from "./change-option.ts";
import type { OptionReader } from "./live-options.ts";
import { type OptionKey, optionDefaults } from "./option-defaults.ts";
import { isOptionKey, isSecretKey } from "./option-rules.ts";
import type { StoredOption } from "./option-store.ts";

const keys = Object.keys(optionDefaults).filter(isOptionKey);

/** Secrets are not among these keys, so no reply contains one. */
const view = (key: OptionKey, stored: StoredOption | undefined) => ({
  key,
  value: key === "QuotaPerUnit" ? optionDefaults[key] : (stored?.value ?? optionDefaults[key]),
  default_value: optionDefaults[key],
  created_at: 0,
  updated_at: stored?.updated_at ?? 0,
});

interface OptionRoutesDeps extends ChangeOptionDeps {
  options: OptionReader;
  version: string;
}

export function buildOptionRoutes(deps: OptionRoutesDeps): ApiRoute[] {
  const { store, options, version } = deps;
  const { change } = createOptionEditor(deps);
  return [
    apiRoute(listOptions, async () => {
      const stored = await store.all();
      return {
        data: keys.map((key) => view(key, stored.get(key))),
        secrets_set: [...stored.keys()].filter(isSecretKey).sort(),
      };
    }),
    apiRoute(updateOption, (call) => change(call.body, call)),
    apiRoute(getOwnVersion, () => ({
      tag_name: version,
      content: `This server runs Tollgate ${version}. It does not ask other servers about newer versions.`,
    })),
    apiRoute(getNotice, () => options.text("Notice")),
    apiRoute(getAbout, () => options.text("About")),
    apiRoute(getHomePageContent, () => options.text("HomePageContent")),
  ];
}
