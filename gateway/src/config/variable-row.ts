/**
 * The declaration of a variable of the environment: once, for its check, `docs/configuration.md`
 * and `--help`.
 */
import type * as z from "zod/mini";

export interface VariableRow {
  /** Markdown; links are relative to docs. */
  meaning: string;
  /** `default` is the value without it, where the schema does not say so. */
  default?: string;
  /** A reload takes a new value at once; every other variable needs a restart. */
  isLive?: boolean;
  /** `NAME_FILE` may name a file that holds the value, such as a secret that is mounted. */
  isSecret?: boolean;
  schema: z.ZodMiniType<unknown, string | undefined>;
}

export type VariableRows = Readonly<Record<string, VariableRow>>;
