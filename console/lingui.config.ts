import type { LinguiConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

const config: LinguiConfig = {
  rootDir: import.meta.dirname,
  sourceLocale: "en",
  locales: ["en"],
  catalogs: [{ path: "<rootDir>/src/locales/{locale}", include: ["<rootDir>/src"], exclude: ["**/*.test.*"] }],
  // Without line numbers: a catalogue changes when its sentences do.
  format: formatter({ lineNumbers: false }),
  orderBy: "message",
};

export default config;
