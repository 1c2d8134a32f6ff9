/** The arguments of the command `import`. Pure. */

import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import {
  isCalendarDay,
  unlimitedUnitsDefault,
} from "@tollgate/contract/commands/import-defaults.ts";
import { type CommandInput, findText, listTexts, UsageError } from "../command-line/command-row.ts";

export interface ImportArguments {
  isVerify: boolean;
  /** Enables again what was disabled because it was deleted in the source, which is not read. */
  isUndo: boolean;
  source: string;
  name: string;
  isPlan: boolean;
  /**
   * `logsSinceMs` is the moment from which log rows are carried; undefined where the log is not
   * carried.
   */
  logsSinceMs: number | undefined;
  /**
   * `logSource` is the place of the log, instead of the source; undefined for the source itself.
   */
  logSource: string | undefined;
  keepRoot: ReadonlySet<string>;
  /**
   * `followedDeletions` says how many rows that are deleted in the source may be disabled, where
   * they are many.
   */
  followedDeletions: number | undefined;
  /** Later runs follow no deletions any more. */
  isCutOver: boolean;
  /** Units of a wallet whose owner has no budget in the source. */
  unlimitedAs: number;
  /** `config.yaml` of LiteLLM: the source itself, or besides its database. */
  configFile: string | undefined;
  /** `hasDatabase` says whether the source is a database, and not that file alone. */
  hasDatabase: boolean;
  /** A saved answer of the running server, with its prices. */
  pricesFile: string | undefined;
  /** A file of variables, in place of or besides the environment. */
  envFile: string | undefined;
  printsAll: boolean;
}

/** No address of a database ends like this. */
const yamlFile = /^[^@?]*\.ya?ml$/i;
const namePattern = /^[\w.-]{1,50}$/;

/** Throws `UsageError` that says what is wrong. `fallback` is the source where none was named. */
export function readImportArguments(
  { args, options }: Pick<CommandInput, "args" | "options">,
  fallback: string | undefined,
): ImportArguments {
  const isVerify = args[0] === "verify";
  const isUndo = options["undo-deletions"] === true;
  const [source = isUndo ? "" : fallback, ...more] = isVerify ? args.slice(1) : args;
  if (isUndo && (isVerify || source !== "" || options.plan === true))
    throw new UsageError("--undo-deletions reads no source: it goes with --name alone");
  if (source === undefined || (source === "" && !isUndo))
    throw new UsageError("name the source, or set IMPORT_SOURCE");
  if (more.length > 0) throw new UsageError("import takes one source");
  const text = (name: string): string | undefined => findText(options, name);
  const { name = "main", "unlimited-as": units = String(unlimitedUnitsDefault) } = {
    name: text("name"),
    "unlimited-as": text("unlimited-as"),
  };
  if (!namePattern.test(name))
    throw new UsageError("--name takes up to 50 letters, digits, dots, dashes and _");
  const unlimitedAs = /^\d{1,16}$/.test(units) ? Number(units) : Number.NaN;
  if (!Number.isSafeInteger(unlimitedAs) || unlimitedAs > quotaMax)
    throw new UsageError(`--unlimited-as takes a number of units up to ${quotaMax}`);
  const followed = text("follow-deletions");
  if (followed !== undefined && !/^\d{1,9}$/.test(followed))
    throw new UsageError("--follow-deletions takes the number of rows that the plan names");
  const isFileAlone = yamlFile.test(source);
  const [configFile, logSource] = [text("config"), text("log-source")];
  if (isFileAlone && (configFile !== undefined || logSource !== undefined))
    throw new UsageError("a source that is a config.yaml has neither --config nor --log-source");
  return {
    isVerify,
    isUndo,
    followedDeletions: followed === undefined ? undefined : Number(followed),
    isCutOver: options["cut-over"] === true,
    source,
    configFile: isFileAlone ? source : configFile,
    hasDatabase: !isFileAlone,
    name,
    isPlan: options.plan === true,
    logsSinceMs: findLogs(options.logs === true, text("logs-since")),
    logSource,
    keepRoot: new Set(listTexts(options, "keep-root")),
    unlimitedAs,
    pricesFile: text("prices-from"),
    envFile: text("env-file"),
    printsAll: options.all === true,
  };
}

function findLogs(isCarried: boolean, day: string | undefined): number | undefined {
  if (day === undefined) return isCarried ? 0 : undefined;
  if (!isCalendarDay(day)) throw new UsageError("--logs-since takes a day in UTC, YYYY-MM-DD");
  return Date.parse(`${day}T00:00:00Z`);
}
