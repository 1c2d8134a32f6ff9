import { babelExtractor } from "@lingui/cli/api/extractors/babel";
import type { LinguiConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";
import { channelIssueExtractor, refusalExtractor } from "./refusal-extractor.ts";

const config: LinguiConfig = {
  rootDir: import.meta.dirname,
  // English is the source text in the code and needs no catalogue.
  sourceLocale: "en",
  locales: ["de", "es", "fr", "ja", "zh-CN"],
  catalogs: [
    {
      path: "<rootDir>/src/locales/{locale}",
      include: [
        "<rootDir>/src",
        "<rootDir>/../contract/src/{catalogue/channel-issues,api/errors}.ts",
      ],
      exclude: ["**/*.test.*"],
    },
  ],
  extractors: [channelIssueExtractor, refusalExtractor, babelExtractor],
  // Without origins, a catalogue changes only when its messages change, and moved files touch none.
  format: formatter({ origins: false }),
  orderBy: "message",
};

export default config;
