/** The system that a source is of, and its data as neutral items. */
import type { AnsweredPrices } from "./family/answered-prices.ts";
import { openFamilySource } from "./family/family-source.ts";
import type { ImportSource } from "./import-items.ts";
import type { LitellmConfiguration } from "./litellm/litellm-config-file.ts";
import { isLitellm, openLitellmSource } from "./litellm/litellm-source.ts";
import { ImportRefused, type SourceTables } from "./sources/source-tables.ts";

export interface SystemSettings {
  /** LiteLLM's `config.yaml`, where it is given. */
  config: LitellmConfiguration | undefined;
  /** False where that file is the whole source. */
  hasDatabase: boolean;
  /**
   * The environment that LiteLLM runs with, as far as it is known; an empty value counts as none.
   */
  environment: Readonly<Record<string, string | undefined>>;
  /** Units of a wallet without a budget in LiteLLM. */
  unlimitedAs: number;
  /** `answeredPrices` are those of one-api and new-api: prices that the running server answers. */
  answeredPrices?: AnsweredPrices | undefined;
  now: number;
}

export async function openSystem(
  tables: SourceTables,
  { config, hasDatabase, environment, unlimitedAs, answeredPrices, now }: SystemSettings,
): Promise<ImportSource> {
  if (hasDatabase && !(await isLitellm(tables))) {
    if (config !== undefined)
      throw new ImportRefused("--config is for LiteLLM, and the source is none");
    return await openFamilySource(tables, { answeredPrices, now });
  }
  if (answeredPrices)
    throw new ImportRefused("--prices-from is for one-api and new-api, and the source is LiteLLM");
  const variable = (name: string): string | undefined => environment[name] || undefined;
  return await openLitellmSource(tables, { environment: variable, config, unlimitedAs, now });
}
